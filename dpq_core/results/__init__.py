"""Outcomes of simulations and releases, and the files made of them. Knows no Streamlit."""
