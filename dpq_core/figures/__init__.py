"""`draw_*(plain numbers) -> plotly Figure`: no streamlit, no global state, no computing. Only here is plotly."""
