"""Intervals for a release that asked for none, from the levels that it holds anyway: post-processing, approximate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from ..domain import Domain
from ..plan import Plan
from .drawn import Basis, Calibrate, sentences_of
from .ends import ROUNDING
from .errors import records_to_simulate, simulated_error

USUAL_ERROR = 1000
"""Ranks: shapes are large enough for errors like that."""
NEIGHBOURS = "on straight lines between the levels that were released"


def interpolated(
    plan: Plan, values: Sequence[float], domain: Domain, count: int | None, calibrate: Calibrate
) -> tuple[tuple[tuple[float, float], ...], Basis]:
    """Return intervals for released values of a plan that now asks for them, and what they rest on.

    The values at their ends lie on straight lines between released levels, rounded outwards to the grid. Beyond the
    outermost released levels an end is the bound of the domain. Raises ParameterError.
    """
    assert plan.intervals is not None, "somebody asks for them now"
    assert isinstance(plan.about_n, int), "and says about how many records there are"
    bare, n = replace(plan, intervals=None, about_n=None), plan.about_n
    basis = Basis(False, sentences_of(plan.intervals, False, NEIGHBOURS, n))
    if not values:
        return (), basis
    simulated = records_to_simulate(n, USUAL_ERROR)
    parameters = calibrate(bare, None if count is None else simulated)[1]
    by = Fraction(simulated_error(parameters, plan, domain, simulated) + ROUNDING, n)
    released = dict(sorted(zip(bare.quantiles, values, strict=True)))
    levels, found = np.array(list(map(float, released))), np.array(list(released.values()))
    bounds = float(domain.lower), float(domain.upper)
    lows = np.array([np.interp(float(level - by), levels, found, left=bounds[0]) for level in bare.quantiles])
    highs = np.array([np.interp(float(level + by), levels, found, right=bounds[1]) for level in bare.quantiles])
    down, at_most = domain.encode(lows), domain.encode(highs)
    above = np.minimum(at_most + (domain.decode(at_most) < highs), domain.cells - 1)
    return tuple(zip(domain.decode(down).tolist(), domain.decode(above).tolist(), strict=True)), basis
