"""Error bounds of answers from public facts alone.

The public reference shape has its records spread evenly between the bounds. No private data is ever read here, so
results are cached. A bound on that shape is simulated; a theorem's bound holds for every data set.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil

import numpy as np

from ..advice.errors import replace_budget
from ..calibrations import Calibrated
from ..column import Column
from ..domain.domain import Domain
from ..errors import ParameterError, shown
from ..plan import NOISY, Plan
from ..privacy.budgets import ZCDP, Privacy
from ..studies.bounds import bound_of
from ..studies.shapes import values_of
from ..study import simulate_column

TRIALS = 256
OF_HUNDRED = 95
"""In this many of 100 runs no answer is farther off than the bound."""
SEED = 0
SHAPE = "reference"
PRESETS = {"strict": (0.1, 0.005), "balanced": (1.0, 0.25), "loose": (3.0, 1.5)}
"""Epsilon, and rho for a concentrated budget."""


@dataclass(frozen=True)
class ErrorBound:
    """The rank errors of the answers of one run on n public records: simulated, and proved where a theorem says so."""

    mean: float
    """Of simulated runs on the reference shape, over all quantiles and all runs."""
    worst: float
    """Of each run the largest over its quantiles; here the mean over all runs."""
    bound: int
    """The largest of a run is no larger than this in 95 of 100 runs."""
    proved: int | None
    """Records: for any data without ties, 95 of 100 runs at least; None where no theorem says less than n."""
    source: str
    """Of the theorem."""
    privacy: Privacy


@lru_cache(maxsize=128)
def error_bound_of(
    plan: Plan, domain: Domain, n: int, max_rows_per_person: int | None = None, *, all_levels: bool = False
) -> ErrorBound | None:
    """Return the ErrorBound of a plan on n public records; None without quantiles or where it is not available.

    `max_rows_per_person`: how many of the records may be one person's, where there may be several; `all_levels`:
    whether all are drawn, however few records there are. Repeatable: the seed is fixed. O(n log n) and some
    milliseconds for most mechanisms. Raises ParameterError for n < 1.
    """
    if n < 1:
        raise ParameterError("n", f"must be a whole number >= 1, got {shown(n)}.")
    if not plan.quantiles:
        return None
    try:
        column = _reference(domain, n)
        if max_rows_per_person is not None:
            column = replace(column, protects="person", max_rows_per_person=max_rows_per_person)
        calibrated = Calibrated.for_column(column, plan, all_levels=all_levels)
        study = simulate_column(column, calibrated, TRIALS, SEED)
    except ValueError:  # not available, or no room on so small a shape; messages hold no data
        return None
    bound = bound_of(calibrated, n, column.slots)
    if bound is not None and (not bound.proved or bound.error >= n):  # at n it is true of any answer
        bound = None
    errors = study.rank_errors[:, 0]
    worst = errors.max(axis=1)
    return ErrorBound(
        mean=float(errors.mean()), worst=float(worst.mean()),
        bound=int(np.percentile(worst, OF_HUNDRED, method="higher")),
        proved=None if bound is None else ceil(bound.error), source="" if bound is None else bound.source,
        privacy=plan.privacy,
    )  # fmt: skip


def with_all_levels(plan: Plan, domain: Domain, n: int) -> Plan:
    """Return the plan without intervals that draws the same levels: its errors are those of the answers and the ends.

    So other budgets are judged on the same levels, which need not be looked for again.
    """
    if plan.intervals is None or not plan.quantiles:
        return plan
    try:
        guessed = replace(plan, about_n=n) if plan.about_n == NOISY else plan
        drawn = Calibrated.for_column(_reference(domain, n), guessed).drawn_levels
    except ValueError:  # not available with so few records: no errors either
        drawn = None
    return replace(plan, intervals=None, about_n=None) if drawn is None else drawn.plan


@lru_cache(maxsize=2)
def _reference(domain: Domain, n: int) -> Column:
    return Column.from_values(values_of(SHAPE, n, SEED, domain), domain, seed=SEED)


def presets(
    plan: Plan, domain: Domain, n: int, max_rows_per_person: int | None = None, *, all_levels: bool = False
) -> dict[str, ErrorBound | None]:
    """Return the ErrorBound of the same plan at a strict, a balanced and a loose budget, with the same delta."""
    found = {}
    for name, (epsilon, rho) in PRESETS.items():
        budget = replace_budget(plan.privacy, rho if isinstance(plan.privacy, ZCDP) else epsilon)
        found[name] = error_bound_of(
            replace(plan, privacy=budget), domain, n, max_rows_per_person, all_levels=all_levels
        )
    return found
