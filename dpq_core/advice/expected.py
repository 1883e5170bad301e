"""The rank error to expect of one plan, and the least budget for a wanted error: from public facts alone."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from ..domain.domain import Domain
from ..errors import ParameterError
from ..plan import Plan
from ..privacy.budgets import Privacy
from ..privacy.composition import RECORD, Unit
from ..studies.configuration import Method
from .facts import PublicFacts
from .forecast import replace_budget
from .ranking import with_all_levels
from .simulation import RUNS, Simulation, enough_runs, too_slow

FAR_OFF = 0.4
"""Of the records beyond a level, as 5 % of all at 95 %: of a normal or a log-normal column (σ = 0.6), about half of the
interquartile range at the outermost levels."""
RUNS_OF_FAR = 256
MARGIN = 1.05
"""Simulated errors differ by as much from one budget to the next: a wanted error is kept with this to spare."""


@lru_cache(maxsize=128)
def expected_error(plan: Plan, domain: Domain, n: int, unit: Unit = RECORD, *, shares: bool = False) -> float | None:
    """Return the mean rank error to expect among n records, as in `advise`; None where it cannot be simulated."""
    facts = with_all_levels(_facts_of(plan, n, domain, unit, shares=shares))
    try:
        if too_slow(facts, plan.mechanism):
            return None
        simulation = Simulation(facts, plan.mechanism, n)
        simulation.run(enough_runs(facts, RUNS))
    except ParameterError:
        return None
    return simulation.mean.typical


@lru_cache(maxsize=128)
def chances_of_far(
    plan: Plan, domain: Domain, n: int, unit: Unit = RECORD, *, shares: bool = False
) -> tuple[float, ...] | None:
    """Return for each level how often its answer is far off among n records; None where that cannot be simulated.

    Far off is a rank error above FAR_OFF of what lies beyond the level, on the hardest of the public shapes: outermost
    levels are off by the same number of records as others, of which fewer are left there.
    """
    facts = _facts_of(plan, n, domain, unit, shares=shares)
    try:
        if too_slow(facts, plan.mechanism):
            return None
        most = np.array([max(FAR_OFF * float(min(level, 1 - level)) * n, 1.0) for level in plan.quantiles])
        return tuple(Simulation(facts, plan.mechanism, n).chances_beyond(most, RUNS_OF_FAR).tolist())
    except ParameterError:
        return None


def _facts_of(plan: Plan, n: int, domain: Domain, unit: Unit, *, shares: bool) -> PublicFacts:
    """Return the facts of a plan, with its own options."""
    facts = PublicFacts.of(plan, n, domain, unit, shares=shares)
    return replace(facts, methods=(Method(plan.mechanism, dict(plan.options)),))


def least_budget(
    plan: Plan,
    domain: Domain,
    n: int,
    wanted: float,
    amounts: Sequence[float],
    unit: Unit = RECORD,
    *,
    shares: bool = False,
) -> Privacy | None:
    """Return the budget with the least of these rising amounts at which no larger error is expected; None without one.

    `wanted`: a mean rank error in records.
    """

    def is_enough(amount: float) -> bool:
        tried = replace(plan, privacy=replace_budget(plan.privacy, amount))
        error = expected_error(tried, domain, n, unit, shares=shares)
        return error is not None and error * MARGIN <= wanted

    at = bisect_left(amounts, True, key=is_enough)
    return replace_budget(plan.privacy, amounts[at]) if at < len(amounts) else None
