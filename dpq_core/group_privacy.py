"""Calibrate a plan for one record, where a person has several records or parts of one; the same for every mechanism.

`privacy.composition` says how much a record may spend, and what all records guarantee together.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from .errors import Infeasible, ParameterError
from .mechanisms.base import Make, Parameters
from .mechanisms.registry import MECHANISMS
from .plan import Plan
from .privacy.budgets import Adjacency, Privacy
from .privacy.composition import PrivacyUnit, least_noisy, loss_times

OF_THE_WHOLE = ("epsilon", "delta", "budget", "adjacency")
"""Settings whose values in a refusal for one record are not those of the whole."""


def knows_rho(plan: Plan) -> bool:
    """Return whether the plan's mechanism can be calibrated by rho, for any neighbours."""
    known = MECHANISMS.get(plan.mechanism)
    return known is None or any("concentrated" in budgets for budgets in known.SUPPORTS.values())


@dataclass(frozen=True)
class CalibratesEach:
    """Calibrates plans for one record, where a unit may have several."""

    unit: PrivacyUnit
    calibrate: Make

    def __call__(self, plan: Plan, count: int | None) -> tuple[Plan, Parameters]:
        """Return the plan for one record that gives `plan` for a unit, with its parameters, in the least noisy way.

        Raises ParameterError (also Infeasible).
        """
        if self.unit.is_one_record:
            return plan, self.calibrate(plan, count)

        def calibrated(privacy: Privacy) -> tuple[Plan, Parameters]:
            each = replace(plan, privacy=privacy, adjacency=Adjacency.ADD_REMOVE)
            return each, self.calibrate(each, None)

        ways = self.unit.budgets_for_each(plan.privacy, knows_rho=knows_rho(plan))
        try:
            return least_noisy(ways, calibrated, lambda way: (way[1].guarantee,))
        except ParameterError as refused:
            raise refused_for_each(refused, self.unit) from None


def refused_for_each(error: ParameterError, unit: PrivacyUnit) -> ParameterError:
    """Return a refusal for one record as one for the whole: it says so, and what was drawn has cost `times` as much."""
    if unit.epsilon_divisor == 1:
        return error
    counts = f"A person counts as {unit.epsilon_divisor} records, and each gets a part of the budget."
    about = f" This is about one record, where n is private. {counts}"
    remedies = tuple(way for way in error.remedies if way.name not in OF_THE_WHOLE)
    told = error.reworded(after=about, remedies=remedies)
    if isinstance(told, Infeasible):
        told.charged = loss_times(told.charged, unit.epsilon_divisor)
    return told
