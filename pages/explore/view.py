"""What stands around the answer of the page Explore: what it is, which data, its button, and the way to a release."""

from __future__ import annotations

import streamlit as st

from ..form.data import are_several
from ..form.several import Form
from ..form.table import text
from ..room import membership
from ..shell import pieces, screen
from ..shell.style import CHOSEN_NOW
from . import live, now

WHAT_THIS_IS = (
    "Quantiles with differential privacy: each answer carries random noise, which limits what it can reveal about any "
    "one person."
)


def has_picture() -> bool:
    """Return whether the page shows one picture beside its form, which stays in view while a control is turned.

    Answers for groups and of several columns are longer than a screen.
    """
    return text("each") == "all" and not are_several()


def button(reason: str, *, is_live: bool) -> bool:
    """Draw the primary button, and return whether it was pressed just now; while it is disabled a line says why."""
    return pieces.primary_button(live.LABEL if is_live else now.VERB, pieces.RUN, ":material/casino:", reason)


def show_headline(form: Form) -> None:
    """Show which data these are, and the way to own data, but for students: it leads out of a room."""
    shown, chosen = form.named, form.inputs.adjacency
    if screen.is_presented() or membership.attended():
        st.markdown(pieces.headline(shown, chosen, pieces.NOT_PRIVATE))
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        with st.container(width="content"):
            pieces.page_link("release", "Release from own data", {})
        with st.container(key=CHOSEN_NOW, width="content"):
            st.markdown(pieces.headline(shown, chosen, ""))
        st.markdown(pieces.NOT_PRIVATE, width="content")
