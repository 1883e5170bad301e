"""The key columns of a file, which the page asks for before it reads the file: whose rows they are, and the groups.

The columns of ids and of groups are then read as well, and no other one.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dpq_core.sources.people import likely_person

from .. import keys
from ..budget import account_of_file, before_reading
from ..frame import complain, escape, term
from ..settings import key, table, text

EVERY_ROW = ""
"""Used in place of a column of ids where every row is a different person."""


def ask_person(widget: str, names: Sequence[str], column: str, to_release: str) -> str:
    """Ask whose rows they are; return the column of ids, or EVERY_ROW where every row is a different person.

    The question opens by itself if a column's name, which is public, suggests persons. `to_release`: the file, if
    private answers are requested from it; the page then also says if the data set of that name counts in another way.
    """
    others = [name for name in names if name != column]
    if not others:
        return EVERY_ROW
    likely = likely_person(others)
    if st.session_state.get(widget) not in [EVERY_ROW, *others]:
        st.session_state[widget] = likely if text("person") == table.PERSONS[1] else EVERY_ROW
    place = st.container()
    chosen = str(
        st.selectbox(
            "Who is one person?", [EVERY_ROW, *others], format_func=_label, key=widget,
            help="To protect a person with all of their rows, choose the column that says whose row each is. "
            "The ids are compared and then forgotten.",
        )
    )  # fmt: skip
    if likely and chosen == EVERY_ROW:
        with place, st.container(gap="xsmall"):
            st.caption(
                f":material/group: *{escape(likely)}* may say whose row each is. A person with several rows is "
                "protected with all of them only if you choose it."
            )
            st.button(
                escape(_label(likely)), key=keys.widget("same_person"), icon=":material/group:", on_click=_choose,
                args=(widget, likely),
            )  # fmt: skip
    with place:
        account = account_of_file(to_release) if to_release else None
        if refused := before_reading(account, of_person=chosen != EVERY_ROW):
            complain(refused)
    return chosen


def keep_person(column: str) -> None:
    """Keep for links whether the rows of a person are taken together."""
    st.session_state[key("person")] = table.PERSONS[1 if column else 0]


def _choose(widget: str, name: str) -> None:
    st.session_state[widget] = name


def _label(name: str) -> str:
    return f"All rows with the same {name}" if name else "Every row is a different person"


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
