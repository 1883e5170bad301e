"""One click plays epsilon from 10 to 0.1: the page turns its own slider from stop to stop, and all else stays.

A visitor who asked the system for less motion sees another button in its place, which turns to one stop at each press.
The server does not know who did, so the page has both, and CSS hides one (`STEP_BY_STEP` in frame/style.py).
"""

from __future__ import annotations

import streamlit as st

from dpq_core.privacy import PureDP
from dpq_core.results import Simulation

from .. import keys
from ..frame import state, style
from ..settings import key, text

STOPS = ("10", "5", "2", "1", "0.5", "0.2", "0.1")
"""The budgets that are played, from the least private one."""
PAUSE_SECONDS = 0.9
"""After each of them, so that it can be seen."""
_WAITS = keys.state("play_waits")
"""The stop after which the page waits now."""


def button(outcome: Simulation) -> None:
    """Draw the button that plays, or stops. Only a pure budget has an epsilon to turn, and only examples play."""
    if state.is_playing():
        st.button("Stop", key=style.PLAY_STOP, icon=":material/stop:", type="tertiary", on_click=state.stop_playing)
    elif isinstance(outcome.plan.privacy, PureDP) and outcome.of_example:
        st.button(
            f"Play ε from {STOPS[0]} to {STOPS[-1]}", key=style.PLAY, icon=":material/play_arrow:", type="tertiary",
            on_click=state.play_from, args=(0,),
        )  # fmt: skip
        stop = next_stop(outcome.plan.privacy.epsilon)
        st.button(
            f"Next step: ε = {stop}", key=style.PLAY_NEXT, icon=":material/skip_next:", type="tertiary",
            on_click=_turn_to, args=(stop,),
        )  # fmt: skip


def next_stop(present: float) -> str:
    """Return the first stop that is more private than the present epsilon; after the last one the first."""
    return next((stop for stop in STOPS if float(stop) < present), STOPS[0])


def _turn_to(stop: str) -> None:
    st.session_state[key("epsilon")] = stop


def step() -> None:
    """Set epsilon to the stop that is due, before any control is drawn. A visitor who turns it stops the play."""
    found = state.playing()
    if found is None:
        return
    at, shown = found
    if not shown:
        st.session_state[key("epsilon")] = STOPS[at]
        state.note_stop_shown()
    elif text("epsilon") != STOPS[at]:
        state.stop_playing()


def go_on() -> None:
    """Wait a moment and turn to the next stop. The last thing of a page, when all of it stands."""
    found = state.playing()
    if found is None:
        return
    at, _ = found
    if at + 1 < len(STOPS):
        _wait(at)
    else:
        state.stop_playing()
        st.rerun()  # with the button that plays again


@st.fragment(run_every=PAUSE_SECONDS)
def _wait(at: int) -> None:
    """Turn to the next stop the second time that this runs for a stop, which is after the pause."""
    if state.playing() != (at, True):
        return
    if st.session_state.get(_WAITS) == at:
        del st.session_state[_WAITS]
        state.play_from(at + 1)
        st.rerun(scope="app")
    st.session_state[_WAITS] = at
