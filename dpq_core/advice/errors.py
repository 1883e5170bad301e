"""The rank error to expect of what is run, and the sizes and budgets for which it is small enough.

From public facts alone. Only the run's own mechanism is simulated, on the shapes of `simulation`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, replace
from functools import lru_cache
from math import ceil, inf
from typing import TypeVar

import numpy as np

from ..calibrations import MOST_OF_SEVERAL, mechanism_of, plan_of_group
from ..errors import Infeasible, ParameterError
from ..privacy.budgets import UNUSUAL_EPSILON, ZCDP, Adjacency, Privacy
from ..question import Question
from .choice import Run, runs_of
from .simulation import TOO_SLOW, Range, Simulation, runs_for, too_slow

T = TypeVar("T")

FAR_OFF = 0.4
"""Of the records beyond a level, as 5 % of all at 95 %: of a normal or a log-normal column (σ = 0.6), about half of the
interquartile range at the outermost levels."""
RUNS_OF_FAR = 256
MARGIN = 1.05
"""Simulated errors differ by as much from one budget to the next: a wanted error is kept with this to spare."""
SIZES = tuple(2**power for power in range(15))
"""Records: groups are simulated at these sizes; in larger ones the error hardly changes."""
LARGEST_ERROR = 0.1
"""The largest useful error, as a share of a group's records. An error of a tenth takes the median for the 40 % or the
60 % quantile, and a decile for the next one; answers at random are off by a sixth to a third."""
ROUND_BUDGETS = tuple(digits * 10.0**power for power in range(-9, 2) for digits in (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8))
MOST_EPSILON, MOST_RHO = UNUSUAL_EPSILON, 1.0
"""A larger budget is not proposed: it protects too little."""
MOST_RECORDS = 2**40
"""No group needs more."""


def errors_of(run: Run, n: int) -> tuple[float, Range]:
    """Return what `error_of` does, and how far answers are from the quantiles in the column's unit, by public shapes.

    The second is that of the simulated size times this size over n: a share of the records is as wide in all groups.
    """
    if run.groups is None:
        return _simulated(run, n)
    size = SIZES[min(n.bit_length(), len(SIZES)) - 1]
    run = replace(run, groups=1 if run.groups <= MOST_OF_SEVERAL else MOST_OF_SEVERAL + 1)
    try:
        error, in_unit = _simulated(run, size)
    except Infeasible:
        size = n
        error, in_unit = _simulated(run, n)
    return min(error, float(n)), Range(*(each * size / n for each in astuple(in_unit)))


@lru_cache(maxsize=512)
def _simulated(run: Run, n: int) -> tuple[float, Range]:
    drawn = run.with_ends(n)
    if too_slow(drawn):
        raise ParameterError("mechanism", TOO_SLOW)
    simulation = Simulation(drawn, n)
    simulation.run(runs_for(drawn))
    return simulation.error, simulation.in_unit


def error_of(run: Run, n: int) -> float:
    """Return the mean rank error to expect among n records, with the levels at the ends of intervals. Repeatable.

    In groups n is about one of them, which is simulated at the next smaller of `SIZES`, or at its own size where the
    mechanism needs more. Raises ParameterError where the plan is not available, or too slow to simulate.
    """
    return errors_of(run, n)[0]


def expected_error(run: Run, n: int) -> float | None:
    """Return the mean rank error to expect among n records, as `error_of`; None where it cannot be simulated."""
    try:
        return error_of(run, n)
    except ParameterError:
        return None


@lru_cache(maxsize=128)
def chances_of_far(run: Run, n: int) -> tuple[float, ...] | None:
    """Return for each level how often its answer is far off among n records; None where that cannot be simulated.

    Far off is a rank error above FAR_OFF of what lies beyond the level, on the hardest of the public shapes: outermost
    levels are off by the same number of records as others, of which fewer are left there.
    """
    try:
        if too_slow(run):
            return None
        most = np.array([max(FAR_OFF * float(min(level, 1 - level)) * n, 1.0) for level in run.plan.quantiles])
        return tuple(Simulation(run, n).chances_beyond(most, RUNS_OF_FAR).tolist())
    except ParameterError:
        return None


def least_budget(
    question: Question, sizes: Mapping[str, int], share: float, amounts: Sequence[float] = ()
) -> Privacy | None:
    """Return the smallest budget of the whole at which no error is expected above a share of n; None without one.

    `sizes`: n of each column that counts, in a group where there are groups; `amounts`: those that can be chosen, which
    rise. Without them round ones up to the largest that protects. Errors are as in `error_of`.
    """

    def is_enough(budget: Privacy) -> bool:
        try:
            runs = runs_of(replace(question, budget=budget))
            return all(error_of(runs[name], n) * MARGIN <= share * n for name, n in sizes.items())
        except ParameterError:
            return False

    most = MOST_RHO if isinstance(question.budget, ZCDP) else MOST_EPSILON
    amounts = amounts or [amount for amount in ROUND_BUDGETS if amount <= most]
    return first_of([replace_budget(question.budget, amount) for amount in amounts], is_enough)


def first_of(options: Sequence[T], is_enough: Callable[[T], bool]) -> T | None:
    """Return the first option that is enough, where all after it are, too; None where none is."""
    at = bisect_left(options, True, key=is_enough)
    return options[at] if at < len(options) else None


def replace_budget(privacy: Privacy, amount: float) -> Privacy:
    """Return a budget of the same kind, with the same delta and another epsilon or rho. Raises ParameterError."""
    return ZCDP(amount) if isinstance(privacy, ZCDP) else replace(privacy, epsilon=amount)


def least_size(run: Run) -> int:
    """Return the fewest records with which the answers for a group say something about it, by halving sizes.

    Smaller groups are too small for the plan. Where it is available at no simulated size, more than all of these.
    """

    def error(size: int) -> float:
        found = expected_error(run, size)
        return inf if found is None else found

    large = first_of(SIZES, lambda size: error(size) <= LARGEST_ERROR * size)
    if large is None:  # from the largest of them on the error stays
        return ceil(min(error(SIZES[-1]), float(SIZES[-1])) / LARGEST_ERROR)
    below = large // 2
    if below and error(below) == inf:
        return first_of(range(below + 1, large), lambda size: error(size) <= LARGEST_ERROR * size) or large
    return min(large, ceil(error(below) / LARGEST_ERROR)) if below else 1


def least_size_for_all(run: Run) -> int:
    """Return about how many records every group needs so that no group is refused; 1 where none ever is.

    Where the sizes are private, a mechanism may find out only after its first draw that a group is too small. Then no
    group is answered, and the whole budget is charged. Raises ParameterError where the plan is not available.
    """
    plan = run.plan
    if plan.adjacency is not Adjacency.ADD_REMOVE or not mechanism_of(plan).PROFILE.refuses_after_draws:
        return 1
    each = plan_of_group(plan, run.unit)
    refused_on, cells = mechanism_of(each).PROFILE.refused_on, run.domain.cells
    return first_of(range(1, MOST_RECORDS), lambda size: refused_on(each, cells, size) is None) or MOST_RECORDS
