"""The dashboard: all that knows Streamlit, a folder for each page, whose page.py is what runs."""
