"""How do I enter a room?"""

import streamlit as st

from pages import keys
from pages.room import bar, membership
from pages.shell import links

CODE = keys.widget("room_code")

bar.begin("room", "Which room do you want to enter?")

with st.container(width=420):
    if membership.led() is not None:
        st.markdown("You lead this room. Open the page that you want to show.")
    elif membership.inside():
        st.markdown("You are in this room already. What your lecturer shows next opens by itself.")
    else:
        st.markdown("In a room you see what your lecturer shows, and take part without an account.")
        st.text_input("Code from your lecturer", key=CODE, max_chars=12, placeholder="K7QM-3XRT")
        st.button(
            "Enter", key=keys.widget("enter_room"), type="primary",
            on_click=lambda: membership.enter(str(st.session_state.get(CODE) or "")),
        )  # fmt: skip

links.write_link()
