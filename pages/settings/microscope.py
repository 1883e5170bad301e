"""The fields of the microscope in the link of its page: each of its views keeps its own.

Every view keeps its own fields; the link says those of the one that is shown, where they differ from how it opens.
"""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from .. import keys
from .check import fits
from .table import SETTINGS, TINY_OWN, key, text

_CARRIED = keys.state("tiny:carried")
"""What the link said when this page last wrote it: anything else comes from a link that was opened since."""
READ: dict[str, Callable[[str], str | int]] = {"highest": int, "leaving": int, "joining": int}
"""How the text of a field becomes what its widget holds; the others hold texts."""


def own(view: str, name: str) -> str:
    """Return the key of a widget that every view keeps for itself."""
    return keys.widget("microscope", view, name)


def begin(view: str) -> None:
    """Fill the fields of a view from a link that was opened since the last run; to be called before its widgets."""
    said = {name: text(f"tiny_{name}") for name in TINY_OWN}
    if said == st.session_state.get(_CARRIED, dict.fromkeys(TINY_OWN, "")):
        return
    for name, typed in said.items():
        if typed:
            st.session_state[own(view, name)] = READ.get(name, str)(typed)
        else:
            st.session_state.pop(own(view, name), None)


def start(view: str, name: str, preset: str | int) -> str:
    """Return the key of a view's widget, which then holds its preset unless something else was chosen."""
    st.session_state.setdefault(own(view, name), preset)
    return own(view, name)


def carry(view: str, presets: dict[str, str | int]) -> None:
    """Let the link say what differs from the presets of the fields that the view has shown; called after them."""
    said = dict.fromkeys(TINY_OWN, "")
    for name, preset in presets.items():
        value = st.session_state.get(own(view, name), preset)
        if value != preset and fits(SETTINGS[f"tiny_{name}"].check, str(value)):
            said[name] = str(value)
    for name, value in said.items():
        st.session_state[key(f"tiny_{name}")] = value
    st.session_state[_CARRIED] = said
