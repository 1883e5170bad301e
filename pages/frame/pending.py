"""The settings of a pending release: they change on its own page alone.

Pages share their settings, so that you can continue on another page what you explore on one. But for an own column that
is to be released, a page keeps its settings, even if you try others on another page meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from ..settings import OPTION, PREFIX, key, said, table

_PENDING = f"{PREFIX}:pending:"
ALSO = ("column_unit", "one", "more_names")
"""Settings of an own column that are in no link."""


def keep(page: str, identity: str | None) -> None:
    """Keep the settings of a page whose release of this column is pending; None where none is."""
    if identity is None:
        st.session_state.pop(_PENDING + page, None)
        return
    stored = st.session_state
    values = {name: stored[name] for name in _names(page) if name in stored}
    stored[_PENDING + page] = identity, said.present(), values


def restore(page: str) -> None:
    """Set what the page was left with, where a release is pending on it. Before any widget."""
    found: tuple[str, str, dict[str, object]] | None = st.session_state.get(_PENDING + page)
    if found is None:
        return
    _, said_of, values = found
    said.resume(said_of)
    for name in _names(page):
        if name in values:
            st.session_state[name] = values[name]


def _names(page: str) -> Iterable[str]:
    options = [str(name) for name in st.session_state if str(name).startswith(key(f"{OPTION}_"))]
    return [*(key(name) for name in (*table.PAGES[page], *ALSO)), *options]
