"""Answers without a button, on public data: a changed setting is simulated at once with the same seed.

Never in Release: there every answer is a press of its own. Where a simulation would take long the button stays, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from threading import Lock
from time import monotonic

import streamlit as st

from ...calibrations import Calibrated
from ...domain import FindBounds
from ...jobs.companion import Companion
from ...plan import Plan
from ...results import DRAWS, PublicData, Simulation, outcomes
from ...sample import Sample
from ...studies import seconds_of
from ...trials import Study, simulate_calibrated
from ..forms import Inputs
from ..server.sessions import session
from ..settings import table, text
from ..shell import state

MOST_SECONDS = 1.0
"""That a simulation may take: what takes longer waits for its button."""
LABEL = "New noise"
"""What the button says while no other is needed."""
FIRST_DRAWS = 64
"""Of a simulation in a crowd: the others follow when its visitor rests, and these stay as they are."""
CROWD, CROWD_SECONDS = 4, 3.0
"""Visitors with quick simulations within so many seconds, from how many on they are a crowd."""
REST_SECONDS = 2.0
_TURN = Lock()
"""Held by the one visitor whose quick simulation runs: an interpreter that changes between thirty takes three times as
long for each."""
_BESIDE = Companion(simulate_calibrated.__module__)
_last: dict[str, float] = {}
"""When the sessions of a moment ago last asked for a quick simulation."""


def is_crowded() -> bool:
    """Return whether so many are at work that each gets a part of the runs first."""
    since = monotonic() - CROWD_SECONDS
    return sum(asked > since for asked in list(_last.values())) >= CROWD


def draws_now(plan: Plan) -> int:
    """Return how many runs to draw at once: all of them, unless this one is quick and one of a crowd."""
    return FIRST_DRAWS if _is_quick(plan) and is_crowded() else DRAWS


@contextmanager
def in_turn(plan: Plan, draws: int = DRAWS) -> Iterator[None]:
    """Wait for a turn where all runs of a quick simulation are drawn; who draws the first ones waits in `simulate`."""
    if not _is_quick(plan):
        yield
        return
    with _TURN if draws == DRAWS else nullcontext():
        _note(session())
        yield


def simulate(sample: Sample, calibrated: Calibrated, trials: int, seed: int) -> Study:
    """Simulate as `dpq_core.simulate` does; for one of a crowd in a process beside the server, which has its pages."""
    if trials > FIRST_DRAWS:
        return simulate_calibrated(sample, calibrated, trials, seed)
    _BESIDE.start()
    study = _BESIDE.ask(simulate_calibrated, sample, calibrated, trials, seed)
    if study is not None:
        return study
    with _TURN:
        return simulate_calibrated(sample, calibrated, trials, seed)


def _note(visitor: str) -> None:
    """Note that a visitor is at work now, and forget those who rest."""
    now = monotonic()
    for other in [other for other, asked in _last.items() if asked <= now - CROWD_SECONDS]:
        del _last[other]
    _last[visitor] = now


def _is_quick(plan: Plan) -> bool:
    return seconds_of(plan, DRAWS) <= MOST_SECONDS


def is_live(inputs: Inputs) -> bool:
    """Return whether a changed setting answers by itself: of examples, and of declared data after a press."""
    data, plan = inputs.data, inputs.plan
    if not isinstance(data, PublicData) or plan is None or inputs.groups or text("show") == table.TABS[1]:
        return False
    known = data.is_example or isinstance(state.outcome_of(data), Simulation)
    return known and not isinstance(inputs.bounds, FindBounds) and _is_quick(plan)


def seed_due(inputs: Inputs) -> int | None:
    """Return the seed of the shown simulation where it is one of other settings or not whole; of none yet the first."""
    outcome, data = state.outcome_of(inputs.data), inputs.data
    if data is None or not is_live(inputs):
        return None
    if not isinstance(outcome, Simulation):
        return int(text("seed"))
    current = outcomes.is_current(outcome, data, inputs.bounds, inputs.plan)
    return None if current and (is_whole(outcome) or is_crowded()) else outcome.seed


def is_whole(outcome: object) -> bool:
    """Return whether an outcome lacks none of its runs."""
    return not isinstance(outcome, Simulation) or outcome.draws >= DRAWS


def draw_the_others(outcome: object) -> None:
    """Ask for the runs that a simulation in a crowd lacks, as soon as its visitor rests and the crowd is gone."""
    if not is_whole(outcome):
        _rest(monotonic())


@st.fragment(run_every=REST_SECONDS)
def _rest(shown: float) -> None:
    st.caption(f"Many are drawing at this moment: {FIRST_DRAWS} runs for now, all {DRAWS} when you rest.")
    if monotonic() - shown > REST_SECONDS / 2 and not is_crowded():
        st.rerun()
