"""The scripts that run in a visitor's page, from scripts.js. The front door lets these texts run there and no other."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

NARROW = "(max-width: 767px)"
"""Where controls and answer go under each other, and Streamlit's menu folds: phones, and screens at 200 % zoom."""
UNSAVED = "unsaved"
"""The occasion of a page that holds what would be lost."""


def _scripts() -> tuple[str, ...]:
    """Return the scripts in their order, without remarks."""
    text = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
    _, *parts = text.replace("@NARROW", NARROW).split("\n//// ")
    return tuple("\n".join(line for line in part.splitlines()[1:] if line[:2] != "//").strip() for part in parts)


SCRIPTS = _scripts()
TO_THE_TOP, TO_THE_ANSWER, TO_THE_READING, NAME_THE_MENU, PICTURES, TO_THE_FIELD, WARN_BEFORE_LEAVING = SCRIPTS


def run(script: str, occasion: str = "") -> None:
    """Run one of SCRIPTS in the visitor's page, once for each occasion.

    A browser does not run a script again that is already in the page, and the text of a script must not change. So the
    occasion, a plain word or number, is written beside it.
    """
    st.html(f'<i hidden data-occasion="{occasion}"></i><script>{script}</script>', unsafe_allow_javascript=True)
