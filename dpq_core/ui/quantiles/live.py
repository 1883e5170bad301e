"""Answers without a button, on public data: a changed setting is simulated at once with the same seed.

Never in Release: there every answer is a press of its own. Where a simulation would take long the button stays, too.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from threading import Lock

from ...domain import FindBounds
from ...plan import Plan
from ...results import DRAWS, PublicData, Simulation, outcomes
from ...studies import seconds_of
from ..forms import Inputs
from ..settings import table, text
from ..shell import state

MOST_SECONDS = 1.0
"""That a simulation may take: what takes longer waits for its button."""
LABEL = "New noise"
"""What the button says while no other is needed."""
_TURN = Lock()
"""Held by the one visitor whose quick simulation runs: an interpreter that changes between thirty takes three times as
long for each."""


def in_turn(plan: Plan) -> AbstractContextManager[object]:
    """Return what a simulation of the plan waits for: its turn where it is quick, nothing where others would wait."""
    return _TURN if seconds_of(plan, DRAWS) <= MOST_SECONDS else nullcontext()


def is_live(inputs: Inputs) -> bool:
    """Return whether a changed setting answers by itself: of examples, and of declared data after a press."""
    data, plan = inputs.data, inputs.plan
    if not isinstance(data, PublicData) or plan is None or inputs.groups or text("show") == table.TABS[1]:
        return False
    known = data.is_example or isinstance(state.outcome_of(data), Simulation)
    return known and not isinstance(inputs.bounds, FindBounds) and seconds_of(plan, DRAWS) <= MOST_SECONDS


def seed_due(inputs: Inputs) -> int | None:
    """Return the seed of the shown simulation where it is one of other settings, or where there is none yet."""
    outcome, data = state.outcome_of(inputs.data), inputs.data
    if data is None or not is_live(inputs):
        return None
    if not isinstance(outcome, Simulation):
        return int(text("seed"))
    return None if outcomes.is_current(outcome, data, inputs.bounds, inputs.plan) else outcome.seed
