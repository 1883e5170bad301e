"""The rank errors to expect of the ways to bounds, by short simulations of one plan on the same public shapes.

Errors are counted among the records as they are, so that rounding to significant digits counts, and so does what lies
beyond bounds that were found. No private data is read.
"""

from __future__ import annotations

from functools import lru_cache
from math import floor

import numpy as np

from ..arrays import Floats
from ..domain import Domain, FindBounds
from ..errors import ParameterError
from ..finding import RawSample, simulate_with_bounds
from ..plan import Plan
from ..sample import Sample
from ..trials import simulate
from .simulation import shapes_within

MOST_RECORDS = 20_000
RUNS, WALKS = 128, 4
"""On each shape: answers, and how often bounds are found."""
BOUNDS_WHILE_UNKNOWN = Domain(0, 1_000_000)
"""Where nobody said bounds: one decade more or less hardly changes an error."""


@lru_cache(maxsize=16)
def error_of_way(plan: Plan, bounds: Domain | FindBounds, around: Domain, n: int) -> float | None:
    """Return the mean rank error to expect of a plan among n records; None where it is not available.

    `around`: the bounds between which the public shapes lie. The typical error over the shapes, as in `advise`.
    """
    count = min(n, MOST_RECORDS)
    try:
        errors = [_on_shape(plan, bounds, values) for values in shapes_within(around, count).values()]
    except ParameterError:
        return None
    return float(np.expm1(np.log1p(errors).mean()))


def _on_shape(plan: Plan, bounds: Domain | FindBounds, values: Floats) -> float:
    if isinstance(bounds, FindBounds):
        study, _ = simulate_with_bounds(RawSample.from_values(values, bounds, seed=0), plan, RUNS, 0, WALKS)
    else:
        study = simulate(Sample.from_values(values, bounds, seed=0), plan, RUNS, 0)
    return _mean_error(np.sort(values), plan, study.values)


def _mean_error(ordered: Floats, plan: Plan, answers: Floats) -> float:
    """Return the mean distance from the target ranks to the ranks of answers, among sorted values."""
    wanted = np.array([floor(level * ordered.size) for level in plan.quantiles])
    below, at_most = np.searchsorted(ordered, answers), np.searchsorted(ordered, answers, side="right")
    return float((np.maximum(below - wanted, 0) + np.maximum(wanted - at_most, 0)).mean())
