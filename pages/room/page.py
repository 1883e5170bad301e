"""How do I enter a room?"""

import streamlit as st

from pages.class_views import bar, students
from pages.frame import links
from pages.frame.header import page_header

page_header("Which room do you want to enter?")
links.begin("room")
bar.bar()

with st.container(width=420):
    students.ask_for_code_here()

links.write_link()
