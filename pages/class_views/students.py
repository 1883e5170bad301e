"""What a student does: type the code of a room, and hand in a draw."""

from __future__ import annotations

import streamlit as st

from dpq_core.results.data_set import DataSet
from dpq_core.results.kinds import Simulated
from dpq_core.results.wording import spoken_level

from .. import keys
from ..classroom import membership
from ..frame import links, state

LONGEST_CODE = 12
ABOUT = "In a room you see what your lecturer shows, and take part without an account."
INSIDE = "You are in this room already. What your lecturer shows next opens by itself."
LEADING = "You lead this room. Open the page that you want to show."
_TYPED = keys.widget("room_code")


def ask_for_code() -> None:
    """Draw a field for the code of a room; nothing for a visitor who is in one."""
    if membership.inside():
        return
    with st.popover("Enter a room", icon=":material/groups:", type="tertiary"):
        _field()


def ask_for_code_here() -> None:
    """Draw the same field on a page of its own; a visitor who is in a room reads that instead."""
    if membership.led() is not None:
        st.markdown(LEADING)
    elif membership.inside():
        st.markdown(INSIDE)
    else:
        st.markdown(ABOUT)
        _field()


def _field() -> None:
    st.text_input("Code from your lecturer", key=_TYPED, max_chars=LONGEST_CODE, placeholder="K7QM-3XRT")
    st.button("Enter", key=keys.widget("enter_room"), type="primary", on_click=_enter)


def _enter() -> None:
    membership.enter(str(st.session_state.get(_TYPED) or ""))


def hand_in(data: DataSet | None, *, current: bool) -> None:
    """Hand in the answer in the middle of the simulation that is shown, if the room has asked for this very draw.

    `current`: whether it was drawn with the settings of the page as they are now.
    """
    found = membership.attended()
    outcome = state.outcome_of(data)
    if found is None or not found[0].drawing or not current or not isinstance(outcome, Simulated):
        return
    levels = outcome.plan.quantiles
    middle = sorted(levels)[len(levels) // 2]
    at = levels.index(middle)
    unit = f" ({outcome.wording.unit})" if outcome.wording.unit else ""
    drawn_with = links.link_values() | {"seed": str(outcome.seed)}
    membership.answer(
        drawn_with, outcome.only.values[at], outcome.only.true_values[at], f"{spoken_level(middle)}{unit}"
    )
