"""Hand a student's own draw to the room."""

from __future__ import annotations

from ...results import DataSet, Simulation, spoken_level
from ..classroom import membership
from ..shell import state


def hand_in(data: DataSet | None) -> None:
    """Hand in the answer in the middle of the simulation that is shown, if the room has asked for this very draw."""
    found = membership.attended()
    outcome = state.outcome_of(data)
    if found is None or not found[0].drawing or not isinstance(outcome, Simulation):
        return
    levels = outcome.plan.quantiles
    middle = sorted(levels)[len(levels) // 2]
    at = levels.index(middle)
    unit = f" ({outcome.wording.unit})" if outcome.wording.unit else ""
    membership.answer(outcome.seed, outcome.values[at], outcome.true_values[at], f"{spoken_level(middle)}{unit}")
