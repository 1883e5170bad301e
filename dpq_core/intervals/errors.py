"""How often intervals hold, and how far answers err: by simulation on public shapes within the bounds, or by a theorem.

No data is read. The shapes are made without randomness, from their quantile functions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import ceil

import numpy as np
from scipy.special import ndtri

from ..accuracy import rank_errors, signed_rank_errors
from ..arrays import Flags, Floats, Integers
from ..domain import Domain
from ..errors import ParameterError
from ..mechanisms import MECHANISMS, Parameters
from ..noise import FastEntropy
from ..plan import Intervals, Plan
from ..sample import Sample
from .ends import Ends

MOST_SIMULATED = 20_000
"""Records of a shape; with more, rank errors hardly change."""
BEYOND = 8
"""About so many runs are beyond the limit of an end that holds as often as asked."""
RUNS = (64, 2048)
ANSWERS = 12_000
"""On each shape, about; of many levels fewer runs are made."""
SEED = 0
FILLED = 0.1
"""How much of the way from gap to gap records fill, in a shape with gaps."""
_BELLS = (0.25, 0.5, 0.75)

_QUANTILES: tuple[Callable[[Floats], Floats], ...] = (
    lambda u: u,
    lambda u: 0.0005 * np.exp(ndtri(u)),
    lambda u: np.where(u < 0.3, u, np.where(u < 0.63, 0.3, u - 0.33)),
)
"""Where records lie between the lower bound, 0, and the upper one, 1: evenly; with a heavy tail in far too wide bounds;
a third of them at one value."""


def simulated_to_hold(parameters: Parameters, plan: Plan, ends: Sequence[Ends], domain: Domain, n: int) -> bool:
    """Return whether intervals hold as often as the plan asks, on public shapes of n records: on each, at every end.

    `parameters` are those of all levels; of the population, only the mechanism's part is simulated. Repeatable. Raises
    ParameterError (also Infeasible).
    """
    assert plan.intervals is not None, "somebody asked for intervals"
    runs = _runs(plan.intervals, len(parameters.levels))
    for part, sample in enumerate(shapes(domain, n, plan.quantiles, *_normal_distribution(plan))):
        cells = MECHANISMS[plan.mechanism].run(sample, parameters, FastEntropy(SEED, runs, part))
        failed = _failed(plan, parameters, ends, sample, cells)
        worst = failed.any(axis=1).mean() if plan.intervals.together else 2 * failed.mean(axis=0).max(initial=0)
        if worst > 1 - plan.intervals.chance:
            return False
    return True


def _runs(intervals: Intervals, levels: int) -> int:
    least, most = RUNS
    return max(least, min(most, ceil(BEYOND / (1 - intervals.chance) * 2), ANSWERS // max(levels, 1)))


def _failed(plan: Plan, parameters: Parameters, ends: Sequence[Ends], sample: Sample, cells: Integers) -> Flags:
    """Return which lows lie above the true quantile, and which highs below it: (runs, ends that are drawn).

    Of a population, which are farther than its own error from what it was drawn for.
    """
    values = sample.values_of(cells)
    column = {level: at for at, level in enumerate(parameters.levels)}
    drawn = [(end, level, 1) for level, (end, _) in zip(plan.quantiles, ends, strict=True) if end is not None]
    drawn += [(end, level, -1) for level, (_, end) in zip(plan.quantiles, ends, strict=True) if end is not None]
    chosen = values[:, [column[end] for end, _, _ in drawn]]
    errors = signed_rank_errors(sample, [level for _, level, _ in drawn], chosen)
    return np.asarray(errors * [side for *_, side in drawn] > 0, dtype=np.bool_)


def simulated_error(parameters: Parameters, plan: Plan, domain: Domain, n: int) -> int:
    """Return how many ranks answers err at most, as often as the plan asks, on the hardest of the public shapes."""
    assert plan.intervals is not None, "somebody asked for intervals"
    runs, found = _runs(plan.intervals, len(parameters.levels)), 0.0
    for part, sample in enumerate(shapes(domain, n, plan.quantiles, *_normal_distribution(plan))):
        cells = MECHANISMS[plan.mechanism].run(sample, parameters, FastEntropy(SEED, runs, part))
        errors = rank_errors(sample, parameters.levels, sample.values_of(cells))
        alike = errors.max(axis=1, keepdims=True) if plan.intervals.together else errors
        found = max(found, float(np.quantile(alike, plan.intervals.chance, axis=0, method="higher").max()))
    return ceil(found)


def proved_error(plan: Plan, parameters: Parameters, cells: int, beta: float) -> float:
    """Return a theorem's bound on all rank errors of a run, which fails with chance beta. Raises ParameterError."""
    bound = parameters.bound(plan, cells, beta)
    if bound is None or not bound.proved:
        raise ParameterError("intervals", "must be approximate for this mechanism: no theorem bounds its error.")
    return bound.error


@lru_cache(maxsize=4)
def shapes(
    domain: Domain, n: int, levels: tuple[Fraction, ...], sigma: float | None = None, mean_bound: float | None = None
) -> tuple[Sample, ...]:
    """Return n public records of each shape; of normal ones only, where the column is known to be normal."""
    u = (np.arange(n) + 0.5) / max(n, 1)
    if sigma is None or mean_bound is None:
        places = [*(place(u) for place in _QUANTILES), *(_with_gaps(u, levels, side / max(n, 1)) for side in (1, -1))]
        columns = [domain.at_fractions(place) for place in places]
    else:
        low, high = max(float(domain.lower), -mean_bound), min(float(domain.upper), mean_bound)
        columns = [low + place * (high - low) + sigma * ndtri(u) for place in _BELLS]
    return tuple(Sample.from_values(column, domain, seed=SEED) for column in columns)


def _with_gaps(u: Floats, levels: tuple[Fraction, ...], beside: float) -> Floats:
    """Return records in groups with wide gaps between them, which begin or end just beside each level."""
    starts = np.array([0.0, *sorted({float(level) + beside for level in levels})])
    group = np.searchsorted(starts, u, side="right") - 1
    within = (u - starts[group]) / (np.append(starts[1:], 1.0) - starts)[group]
    return np.asarray((group + FILLED * within) / starts.size, dtype=np.float64)


def _normal_distribution(plan: Plan) -> tuple[float | None, float | None]:
    """Return the standard deviation and the bound on the mean that the plan takes for granted, if it does."""
    sigma, mean_bound = plan.options.get("sigma"), plan.options.get("mean_bound")
    known = isinstance(sigma, int | float) and isinstance(mean_bound, int | float)
    return (float(sigma or 0), float(mean_bound or 0)) if known else (None, None)
