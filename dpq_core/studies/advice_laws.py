"""How large the noise of a mechanism is, in records, from its calibrated parameters: the law behind the advice.

What is measured is divided by this size. What is left depends on the number of quantiles and on the size of the noise
beside n, and hardly on the kind of budget, the adjacency or n itself: so few simulations stand for all settings.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt
from typing import Any

import numpy as np

from ..errors import ParameterError
from ..mechanisms import Parameters
from ..mechanisms.aq_recursion import expected_error
from ..mechanisms.joint_numbers import RATE_BITS
from ..mechanisms.normal_sample import inner_bins
from ..mechanisms.slice_layout import MIXTURE_BITS, layout_delta, mixture
from ..mechanisms.slice_setup import public_layout
from ..plan import Plan
from ..privacy import Adjacency
from ..release import calibrate
from .advice_surface import Floats, Surface

AT_RANDOM = 1 / 3
"""How far an answer at random is off, as a share of n: between 1/4 and 1/2 for most columns and levels."""
SPREADS = 3.0
"""Room for slices has to be there also where the noisy number of records is so many deviations too low."""


@dataclass(frozen=True)
class Expected:
    """Rank errors in records, one for each public shape, and the part of the surface that they come from."""

    part: str
    mean: Floats
    max: Floats


def expected_errors(surface: Surface, plan: Plan, n: int, cells: int, only: str = "") -> Expected:
    """What a plan with one level at least comes to, on each shape or on the one named `only`.

    Raises ParameterError, Infeasible, where the mechanism cannot serve it.
    """
    parameters = calibrate(plan, n if plan.adjacency is Adjacency.SUBSTITUTE else None)
    part = surface_of(plan, parameters)
    if part not in surface.ratios:
        raise ParameterError("mechanism", "Nothing was measured for this mechanism yet, so no error can be expected.")
    at_random = _answers_at_random(parameters, n, cells) * AT_RANDOM * n if plan.mechanism == "slice" else 0.0
    size, m = noise_size(plan, parameters, n, cells), len(parameters.levels)
    mean = surface.errors(part, "mean", size, m, n, cells, only)
    largest = surface.errors(part, "max", size, m, n, cells, only)
    return Expected(part, np.minimum(mean + at_random, n), np.minimum(largest + at_random, n))


def noise_size(plan: Plan, parameters: Parameters, n: int, cells: int) -> float:
    """The size of the noise of one answer in records, up to a factor near 1; > 0. O(m).

    `parameters` are those that the plan's mechanism calibrated, for one level at least.
    """
    known: Any = parameters
    match plan.mechanism:
        case "aq":
            squared = expected_error(known.root, [float(level) for level in known.levels])
            return sqrt(squared / (2 * len(known.levels)))
        case "jointexp":
            return float(2**RATE_BITS / (known.rate * log(2)))
        case "aggtree":  # a sum from the left has up to branching - 1 counts of each level
            return sqrt(known.noise.variance * (known.shape.branching - 1) * known.shape.height)
        case "binhist":
            return sqrt(known.noise.variance * min(known.bins, cells))
        case "normal":
            return sqrt(known.noise.variance * inner_bins(known.noise, n))
        case "slice":
            return _slice_size(known.rules)
    return float(np.mean([1 / float(aim.rate) for aim in known.aims]))  # draws one by one: indexp, gkexp


def _slice_size(rules: Any) -> float:
    """A draw of rate eps2 / 2 around a rank whose noise is a sum of nodes of scale 1 / eps1."""
    levels = np.array([float(level) for level in rules.levels])
    # Flat noise that returns to zero at both ends (a bridge) has the variance of a share q (1 - q) of its nodes.
    nodes = rules.places * levels * (1 - levels) if rules.bridged else np.arange(1, levels.size + 1)
    return sqrt(2 * (2 / float(rules.draw_epsilon)) ** 2 + 2 * float(nodes.mean()) / float(rules.node_epsilon) ** 2)


def _answers_at_random(parameters: Any, n: int, cells: int) -> float:
    """The chance that slices under a pure budget answer at random. Raises Infeasible where they have no room."""
    rules = parameters.rules
    spread = 0.0 if rules.count_is_public else sqrt(2 * rules.places) / float(rules.node_epsilon)
    rules, layout, _ = public_layout(rules, max(int(n - SPREADS * spread), 0), cells)
    return float(mixture(rules, layout_delta(rules, layout), cells) / 2**MIXTURE_BITS)


def surface_of(plan: Plan, parameters: Parameters) -> str:
    """Which part of the stored surface speaks for a calibrated plan."""
    known: Any = parameters
    if plan.mechanism == "gkexp" or (plan.mechanism == "aq" and len(known.levels) == 1):
        return "indexp"  # the same draws; what a sketch costs is in their rates
    if plan.mechanism == "aggtree" and known.noise.kind == "gaussian":
        return "aggtree gaussian"  # deep and narrow, while Laplace noise has a flat and wide tree
    if plan.mechanism == "binhist" and plan.adjacency is Adjacency.SUBSTITUTE:
        return "binhist substitute"  # the number of records is public, which tames noise as large as n
    return plan.mechanism
