"""Intervals for a release that asked for none, from the levels that it holds anyway: post-processing, approximate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

import numpy as np

from ..accuracy import signed_rank_errors
from ..domain.domain import Domain
from ..errors import ParameterError
from ..mechanisms.registry import MECHANISMS
from ..noise.fast import FastEntropy
from ..plan import Intervals, Plan
from .drawn import Basis, Calibrate, sentences_of
from .ends import ROUNDING, as_pairs, of_values
from .errors import SEED, records_to_simulate, simulated_error, smooth_shapes

USUAL_ERROR = 1000
"""Ranks: shapes are large enough for errors like that."""
MOST_RECORDS = 20_000
"""Of a smooth shape: with more, the shape of lines between levels decides, not their number."""
RUNS = 64
FEWEST_HELD = 0.75
"""Of runs on a smooth shape: an interval that holds more rarely would claim what it does not keep, so it is widened."""
WIDENINGS = 6
"""Each doubles the distance: among many records noise is less than what lines between levels miss of the values."""
TOO_RARELY = (
    "must be asked for with the release here: on straight lines between its levels they held in only {held} of 100 "
    "simulated runs on smooth data, where {asked} were meant."
)
UNEVEN = (
    "Where values are spread unevenly between two levels they hold less often: of those meant for 95 %, 84 of 100 held "
    "among skewed values, and fewer than 20 beside a wide gap between values."
)
"""What was measured: docs/intervals.md."""


def interpolated(
    plan: Plan, values: Sequence[float], domain: Domain, count: int | None, calibrate: Calibrate
) -> tuple[tuple[tuple[float, float], ...], Basis]:
    """Return intervals for released values of a plan that now asks for them, and what they rest on.

    The values at their ends lie on straight lines between released levels, rounded outwards. Beyond the
    outermost released levels an end is the bound of the domain. Raises ParameterError.
    """
    assert plan.intervals is not None, "intervals are requested now"
    assert isinstance(plan.about_n, int), "and says about how many records there are"
    bare, n = replace(plan, intervals=None, about_n=None), plan.about_n
    basis = Basis(False, sentences_of_neighbours(plan.intervals, n))
    if not values:
        return (), basis
    error = _error(plan, domain, n, count is not None, calibrate)
    for _ in range(WIDENINGS):
        held = _held(plan, domain, n, error, count is not None, calibrate)
        if held >= FEWEST_HELD:
            break
        error *= 2
    else:
        raise ParameterError("intervals", TOO_RARELY.format(held=int(100 * held), asked=plan.intervals.percent))
    return around(bare.quantiles, values, domain, error, n), basis


def sentences_of_neighbours(asked: Intervals, n: int) -> tuple[str, ...]:
    """Return of what such intervals are, how sure they are meant to be and how often they hold, and the assumption."""
    of, _, assumption = sentences_of(asked, False, n=n)
    what = "ranges, all at once" if asked.together else "ranges"
    rough = f"Approximate {asked.percent} {what}, interpolated between the released quantiles."
    return of, f"{rough} {UNEVEN}", assumption


@lru_cache(maxsize=64)
def _error(plan: Plan, domain: Domain, n: int, counted: bool, calibrate: Calibrate) -> int:
    """Return how many ranks answers err at most, as often as the plan asks. Public facts alone, so it is kept."""
    simulated = records_to_simulate(n, USUAL_ERROR)
    bare = replace(plan, intervals=None, about_n=None)
    parameters = calibrate(bare, simulated if counted else None)[1]
    return simulated_error(parameters, plan, domain, simulated)


@lru_cache(maxsize=64)
def _held(plan: Plan, domain: Domain, n: int, error: int, counted: bool, calibrate: Calibrate) -> float:
    """Return how often the interval that holds most rarely does so, in simulated runs on smooth public shapes."""
    simulated, rarest = min(n, MOST_RECORDS), 1.0
    bare = replace(plan, intervals=None, about_n=None)
    parameters = calibrate(bare, simulated if counted else None)[1]
    order = [sorted(set(plan.quantiles)).index(level) for level in plan.quantiles]
    for part, sample in enumerate(smooth_shapes(domain, simulated)):
        cells = MECHANISMS[plan.mechanism].run(sample, parameters, FastEntropy(SEED, RUNS, part))
        rows = sample.values_of(cells)[:, order].tolist()
        found = np.array([around(plan.quantiles, row, domain, error, simulated) for row in rows])
        low, high = (signed_rank_errors(sample, plan.quantiles, found[..., end]) for end in range(2))
        held = (low <= 0) & (high >= 0)  # of two values that share a quantile either is true
        rarest = min(rarest, float(held.mean(axis=0).min()))
    return rarest


def around(
    levels: Sequence[Fraction], values: Sequence[float], domain: Domain, error: int, n: int
) -> tuple[tuple[float, float], ...]:
    """Return the interval of each answer where answers err by at most `error` of n ranks, on lines between levels.

    The intervals are for values before they are rounded down to the grid. Beyond the outermost levels an end is the
    bound of the domain. Answers that may err as far as level 1 may be beyond all records, at any number. So the lines
    of lower ends do not use them, and the lines of upper ends do not use answers that may err as far as level 0.
    """
    by = Fraction(error + ROUNDING, n)
    released = dict(sorted(zip(levels, values, strict=True)))
    below = {level: value for level, value in released.items() if level + by < 1}
    above = {level: value for level, value in released.items() if level - by > 0}
    low, high = float(domain.lower), float(domain.upper)
    lows = np.array([_at(level - by, below, low, left=low) for level in levels])
    highs = np.array([_at(level + by, above, high, right=high) for level in levels])
    ends = of_values(np.stack([domain.decode(domain.encode(lows)), highs], axis=-1), domain)
    return as_pairs(ends.tolist())


def _at(level: Fraction, points: Mapping[Fraction, float], nothing: float, **beyond: float) -> float:
    """Return the value at a level on straight lines between points; `nothing` where there are none."""
    if not points:
        return nothing
    return float(np.interp(float(level), list(map(float, points)), list(points.values()), **beyond))
