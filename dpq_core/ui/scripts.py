"""The scripts of our own, a line each. The front door lets these texts run in a page and no other."""

from __future__ import annotations

import streamlit as st

TO_THE_TOP = "document.querySelector('[data-testid=stMain]').scrollTo(0, 0)"
"""Scroll to the top of the page, which may be longer than a phone's screen."""
SCRIPTS = (TO_THE_TOP,)


def run(script: str) -> None:
    """Run one of SCRIPTS in the visitor's page, once."""
    st.html(f"<script>{script}</script>", unsafe_allow_javascript=True)
