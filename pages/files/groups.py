"""Ask which columns of a file hold the groups, before it is read: no further column is read."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from ..frame import term
from ..settings import key, table, text

MOST_BY = 2
"""Columns by which groups are made on the page."""
ALL_IN_ONE = ""
"""Used in place of a column of groups where there is one answer for all."""


def ask_group(widget: str, others: Sequence[str]) -> str:
    """Ask for which groups there should be answers; return their column, or ALL_IN_ONE for one answer for all."""
    if not others:
        return ALL_IN_ONE
    if st.session_state.get(widget) not in [ALL_IN_ONE, *others]:
        st.session_state[widget] = ALL_IN_ONE
    return str(
        st.selectbox(
            "For each …", [ALL_IN_ONE, *others], format_func=label_of_group, key=widget, help=term("for each group")
        )
    )


def ask_groups(widget: str, others: Sequence[str]) -> tuple[str, ...]:
    """Ask for which groups all columns are answered; return up to two columns of groups, none for one answer each."""
    held = st.session_state.get(widget, [])
    st.session_state[widget] = [name for name in held if name in others]
    chosen: list[str] = st.multiselect(
        "For each …", others, key=widget, max_selections=MOST_BY, placeholder="One answer for all",
        help=f"{term('for each group')} With two columns, every combination of them is a group.",
    )  # fmt: skip
    return tuple(chosen)


def label_of_group(column: str) -> str:
    """Return what a choice is called: `every group of department`."""
    return f"Every group of {column}" if column else "One answer for all"


def keep_group(column: str) -> None:
    """Keep for links whether every group is answered."""
    if column or text("each") != table.EACH[0]:
        st.session_state[key("each")] = table.EACH[1 if column else 0]
