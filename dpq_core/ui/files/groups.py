"""Which column holds the groups, asked of a file before it is read: then it is read as well, and no other one."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from ..settings import key, table, text
from ..shell import term

ALL_IN_ONE = ""
"""Stands for the column of groups where there is one answer for all."""


def ask_group(widget: str, others: Sequence[str]) -> str:
    """Ask for each of what there is to be an answer; return the column of groups, ALL_IN_ONE for one answer for all."""
    if not others:
        return ALL_IN_ONE
    if st.session_state.get(widget) not in [ALL_IN_ONE, *others]:
        st.session_state[widget] = ALL_IN_ONE
    return str(
        st.selectbox(
            "For each …", [ALL_IN_ONE, *others], format_func=label_of_group, key=widget, help=term("for each group")
        )
    )


def label_of_group(column: str) -> str:
    """Return what a choice is called: `every group of department`."""
    return f"Every group of {column}" if column else "One answer for all"


def keep_group(column: str) -> None:
    """Keep for links whether every group is answered."""
    if column or text("each") != table.EACH[0]:
        st.session_state[key("each")] = table.EACH[1 if column else 0]
