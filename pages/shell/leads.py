"""Buttons that lead to a control of an earlier step: a sentence that names one has such a button."""

from __future__ import annotations

import streamlit as st

from .. import keys
from ..server import scripts

_SOUGHT = keys.state("sought")


def button(label: str, place: str, of: str) -> None:
    """Draw a button that leads to a place of the page, by its key; `of`: what the button is called among others."""
    st.button(
        label, key=keys.widget("lead", of), type="tertiary", icon=":material/arrow_upward:", on_click=_seek,
        args=(place,),
    )  # fmt: skip


def follow() -> None:
    """Bring into view what the last button leads to, with the cursor in its first field. The last thing of a form."""
    if place := st.session_state.pop(_SOUGHT, ""):
        scripts.run(scripts.TO_THE_FIELD, f"field:{place}")


def _seek(place: str) -> None:
    st.session_state[_SOUGHT] = place
