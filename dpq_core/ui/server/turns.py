"""Turn a visitor's page from the server, and give the browser a moment to follow.

Where the server turns a page, the words of the run before come in one burst with those of the new one. Without a pause
between the two a student's page stopped with "Bad delta path" and stayed empty: most likely what arrives before the
browser has emptied the old page is put into that one and lost with it. A click leaves time enough.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import NoReturn

import streamlit as st
from streamlit.navigation.page import Page

from ..settings import PREFIX

MOMENT_SECONDS = 0.1
"""Several pictures of a browser."""
_TURNED = f"{PREFIX}:page_turned"


def turn(page: str | Page, query: Mapping[str, str] | None = None) -> NoReturn:
    """End this run, and begin with another page."""
    st.session_state[_TURNED] = True
    st.switch_page(page, query_params=query)


def follow() -> None:
    """Wait a moment where the server has turned the page; before anything of it is drawn."""
    if st.session_state.pop(_TURNED, False):
        time.sleep(MOMENT_SECONDS)
