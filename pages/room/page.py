"""How do I enter a room?"""

import streamlit as st

from pages import class_views
from pages.frame import links, page_header

page_header("Which room do you want to enter?")
links.begin("room")
class_views.bar()

with st.container(width=420):
    class_views.ask_for_code_here()

links.write_link()
