"""Where a student types the code of a room."""

from __future__ import annotations

import streamlit as st

from ..classroom import membership
from ..settings import PREFIX

LONGEST_CODE = 12
_TYPED = f"{PREFIX}_room_code"


def ask_for_code() -> None:
    """Draw a field for the code of a room; nothing for whoever is in one."""
    if membership.inside():
        return
    with st.popover("Enter a room", icon=":material/groups:", type="tertiary"):
        st.text_input("The code on the wall", key=_TYPED, max_chars=LONGEST_CODE, placeholder="K7QM-3XRT")
        st.button("Enter", key=f"{PREFIX}_enter_room", type="primary", on_click=_enter)


def _enter() -> None:
    membership.enter(str(st.session_state.get(_TYPED) or ""))
