"""One question before anything is spent: it repeats the request, the bounds, the unit of protection and the cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count

import streamlit as st

from .. import keys
from ..budget.panel import PayingAccount
from ..form.inputs import Inputs
from ..frame import screen
from ..frame.header import escape
from ..frame.state import Mode
from .states import cost_in_words, error_in_words, expected_points, question_in_words, values_in_words

_SAID = keys.state("confirmed")
_TAKEN = keys.state("confirmations_taken")
_NUMBERS = count(1)
FINAL = "This cannot be undone: what is spent stays spent."

Wanted = tuple[object, ...]
"""All that a release depends on: a confirmation holds for nothing else."""


def confirmed(
    name: str, inputs: Inputs, payer: PayingAccount | None, *, pressed: bool, size: int | None = None
) -> bool:
    """Return whether an answer for one column is to be drawn now, as `confirmed_with` has it.

    `size`: of a synthetic column.
    """
    wanted: Wanted = (inputs.settings, inputs.group_choice, payer and (payer.name, payer.budget), size)
    return confirmed_with(name, inputs.mode, wanted, lambda: facts_of(inputs, payer, size), pressed=pressed)


def confirmed_with(
    name: str, mode: Mode, wanted: Wanted, facts: Callable[[], Mapping[str, str]], *, pressed: bool
) -> bool:
    """Return whether an answer is to be drawn now: in Release a press asks first, and the answer to that counts once.

    `name`: that of the button; `facts`: what the question repeats, worked out for a press alone.
    """
    if mode is Mode.EXPLORE:
        return pressed
    wanted = (name, *wanted)
    if pressed:
        _ask(next(_NUMBERS), wanted, facts())
        return False
    return _take(name, wanted)


def _take(name: str, wanted: Wanted) -> bool:
    """Return whether just this was confirmed since the last run; a second click on the same answer is none."""
    stored: tuple[int, Wanted] | None = st.session_state.get(_SAID)
    if stored is None or stored[1][0] != name:
        return False
    del st.session_state[_SAID]
    if stored[0] <= st.session_state.get(_TAKEN, 0):
        return False
    st.session_state[_TAKEN] = stored[0]
    return stored[1] == wanted


def facts_of(inputs: Inputs, payer: PayingAccount | None, size: int | None) -> dict[str, str]:
    """Return what the question repeats. Public facts only."""
    data, bounds = inputs.column, inputs.bounds
    if data is None or bounds is None:
        return {}
    column = f"a synthetic column of {size:,} values of {data.about}" if size else ""
    error = {} if size else {"Expected error": error_in_words(expected_points(inputs))}
    return {
        "You ask for": column or question_in_words(inputs, data.about),
        "Possible values": values_in_words(data, bounds),
        "It protects": f"whether {inputs.adjacency.of(data.protected)}",
        "It uses": cost_in_words(inputs.plan, payer),
        **error,
    }


@st.dialog("Release this?", width="medium", icon=":material/lock:")
def _ask(number: int, wanted: Wanted, facts: Mapping[str, str]) -> None:
    """Repeat the request, and ask for confirmation once."""
    if _SAID in st.session_state:  # the dialog closes, and the page draws what was confirmed
        st.rerun()
    rows = "  \n".join(f":gray[{label}] {escape(fact)}" for label, fact in facts.items())
    st.markdown(rows)
    st.caption(FINAL)
    with st.container(horizontal=True, gap="small"):
        st.button(
            "Yes, release", key=keys.widget("confirm"), type="primary", icon=":material/lock:", on_click=_say,
            args=(number, wanted),
        )  # fmt: skip
        if st.button("Not yet", key=keys.widget("not_yet")):
            st.rerun()


def _say(number: int, wanted: Wanted) -> None:
    st.session_state[_SAID] = (number, wanted)
    screen.note_press()
