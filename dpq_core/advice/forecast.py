"""The rank error to expect of a plan, and the least budget for a wanted error: from public facts alone.

Only the plan's own mechanism is simulated, on the shapes of `simulation`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TypeVar

import numpy as np

from ..domain.domain import Domain
from ..errors import Infeasible, ParameterError
from ..groups.calibration import MOST_OF_SEVERAL
from ..plan import Plan
from ..privacy.budgets import ZCDP, Privacy
from ..privacy.composition import RECORD, Unit
from ..studies.configuration import Method
from .facts import PublicFacts
from .simulation import TOO_SLOW, Simulation, runs_of, too_slow

T = TypeVar("T")

FAR_OFF = 0.4
"""Of the records beyond a level, as 5 % of all at 95 %: of a normal or a log-normal column (σ = 0.6), about half of the
interquartile range at the outermost levels."""
RUNS_OF_FAR = 256
MARGIN = 1.05
"""Simulated errors differ by as much from one budget to the next: a wanted error is kept with this to spare."""
SIZES = tuple(2**power for power in range(15))
"""Records: groups are simulated at these sizes; in larger ones the error hardly changes."""


def error_of(plan: Plan, domain: Domain, n: int, unit: Unit = RECORD, *, groups: int | None = None) -> float:
    """Return the mean rank error to expect among n records, with the levels at the ends of intervals. Repeatable.

    `groups`: how many groups all columns have, where n is about one of them. A group is simulated at the next smaller
    of `SIZES`, or at its own size where the mechanism needs more. Raises ParameterError where the plan is not
    available, or too slow to simulate.
    """
    if groups is None:
        return _simulated(plan, domain, n, unit, None)
    size, alike = SIZES[min(n.bit_length(), len(SIZES)) - 1], 1 if groups <= MOST_OF_SEVERAL else MOST_OF_SEVERAL + 1
    try:
        return min(_simulated(plan, domain, size, unit, alike), float(n))
    except Infeasible:
        return min(_simulated(plan, domain, n, unit, alike), float(n))


@lru_cache(maxsize=512)
def _simulated(plan: Plan, domain: Domain, n: int, unit: Unit, groups: int | None) -> float:
    facts = _facts_of(plan, domain, n, unit, groups).with_ends
    if too_slow(facts, plan.mechanism):
        raise ParameterError("mechanism", TOO_SLOW)
    simulation = Simulation(facts, plan.mechanism, n)
    simulation.run(runs_of(facts, plan.mechanism))
    return simulation.mean.typical


def _facts_of(plan: Plan, domain: Domain, n: int, unit: Unit, groups: int | None) -> PublicFacts:
    """Return the facts of a plan, with the options of its own mechanism."""
    own = Method(plan.mechanism, dict(plan.options))
    return replace(PublicFacts.of(plan, n, domain, unit, groups=groups), methods=(own,))


def expected_error(plan: Plan, domain: Domain, n: int, unit: Unit = RECORD) -> float | None:
    """Return the mean rank error to expect among n records, as `error_of`; None where it cannot be simulated."""
    try:
        return error_of(plan, domain, n, unit)
    except ParameterError:
        return None


@lru_cache(maxsize=128)
def chances_of_far(plan: Plan, domain: Domain, n: int, unit: Unit = RECORD) -> tuple[float, ...] | None:
    """Return for each level how often its answer is far off among n records; None where that cannot be simulated.

    Far off is a rank error above FAR_OFF of what lies beyond the level, on the hardest of the public shapes: outermost
    levels are off by the same number of records as others, of which fewer are left there.
    """
    facts = _facts_of(plan, domain, n, unit, None)
    try:
        if too_slow(facts, plan.mechanism):
            return None
        most = np.array([max(FAR_OFF * float(min(level, 1 - level)) * n, 1.0) for level in plan.quantiles])
        return tuple(Simulation(facts, plan.mechanism, n).chances_beyond(most, RUNS_OF_FAR).tolist())
    except ParameterError:
        return None


def least_budget(
    plan: Plan,
    domain: Domain,
    n: int,
    wanted: float,
    amounts: Sequence[float],
    unit: Unit = RECORD,
    *,
    groups: int | None = None,
) -> Privacy | None:
    """Return the budget with the least of these rising amounts at which no larger error is expected; None without one.

    `wanted`: a mean rank error in records, among n, or in a group of n. The rest as in `error_of`.
    """

    def is_enough(privacy: Privacy) -> bool:
        try:
            error = error_of(replace(plan, privacy=privacy), domain, n, unit, groups=groups)
        except ParameterError:
            return False
        return error * MARGIN <= wanted

    return first_of([replace_budget(plan.privacy, amount) for amount in amounts], is_enough)


def first_of(options: Sequence[T], is_enough: Callable[[T], bool]) -> T | None:
    """Return the first option that is enough, where all after it are, too; None where none is."""
    at = bisect_left(options, True, key=is_enough)
    return options[at] if at < len(options) else None


def replace_budget(privacy: Privacy, amount: float) -> Privacy:
    """Return a budget of the same kind, with the same delta and another epsilon or rho. Raises ParameterError."""
    return ZCDP(amount) if isinstance(privacy, ZCDP) else replace(privacy, epsilon=amount)
