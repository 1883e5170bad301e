"""A mechanism that is not available for the example on the screen: settings with which it shows its structure."""

from __future__ import annotations

import streamlit as st

from dpq_core.mechanisms.registry import MECHANISMS
from dpq_core.results.data_set import DataSet

from .. import keys
from ..frame.header import escape
from ..settings.table import key

SETTINGS: dict[str, dict[str, str]] = {
    "slice": {"data": "adult-age-full"},
    "gkexp": {"data": "adult-age", "adjacency": "substitute"},
    "normal": {
        "data": "adult-age",
        "adjacency": "substitute",
        "option_normal.sigma": "15",
        "option_normal.mean_bound": "120",
    },
}
IN_WORDS = {
    "slice": "It needs many people: the ages of all 48,842 people of Adult take the place of the data above.",
    "gkexp": "It needs a bound on the number of people: with one person replaced by another that number is public.",
    "normal": "It needs public facts about ages: a standard deviation of 15 years, and a mean between -120 and 120.",
}


def offer(mechanism: str, data: DataSet | None) -> None:
    """Offer to show a mechanism with settings that it can serve, where the data is an example."""
    if mechanism not in SETTINGS or data is None or not data.is_example:
        return
    label = f"Show {MECHANISMS[mechanism].LABEL} on an example"
    st.button(escape(label), key=keys.widget("show_example"), type="primary", on_click=_show, args=(mechanism,))
    st.caption(IN_WORDS[mechanism])


def _show(mechanism: str) -> None:
    for name, value in {"mechanism": mechanism, **SETTINGS[mechanism]}.items():
        st.session_state[key(name)] = value
