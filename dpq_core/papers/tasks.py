"""Tasks: the work of a figure in small pieces. The points of each do not depend on the others.

Runs with published or broken constants use the mechanisms' own samplers with changed parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import sqrt
from typing import NamedTuple

from ..accuracy import rank_errors
from ..arrays import Floats
from ..calibrations import calibrate, public_count
from ..column import Column
from ..errors import ParameterError
from ..mechanisms.aq.mechanism import AQParameters
from ..mechanisms.aq.recursion import halves, map_rates
from ..mechanisms.base import Make
from ..mechanisms.exponential.distribution import rounded_rate, sensitivity
from ..mechanisms.registry import MECHANISMS
from ..noise.fast import SeededSampler
from ..plan import Plan
from ..privacy.budgets import ZCDP, PureDP
from ..privacy.conversions import printed_epsilon
from ..studies.configuration import Configuration
from ..studies.engine import Columns, run_configuration
from .figures import Point

Errors = Floats


@dataclass(frozen=True)
class Task:
    """A piece of work. `run` yields points; the first is that of this panel and curve at x.

    If x is None, they are the whole curve.
    """

    panel: str
    curve: str
    x: float | None
    run: Callable[[], Iterable[Point]]
    cost: float = 1.0
    """How long it takes, relative to the figure's other tasks."""


class Drawn(NamedTuple):
    """A curve: its configuration for m quantiles, and what makes its parameters."""

    curve: str
    configuration: Callable[[int], Configuration]
    make: Make = calibrate


def published_aq(plan: Plan, n_public: int | None = None) -> AQParameters:
    """Return the parameters of AQ in its authors' code, at the true depth L = floor(log2 m) + 1: equal budgets.

    The score moves by max(q, 1 - q) where one person joins or leaves, so every path costs the budget at most. Sound
    under ADD_REMOVE, for pure and concentrated budgets. (With a natural logarithm, as first published, it is not.)
    """
    sound = calibrate(plan)
    assert isinstance(sound, AQParameters), "the plan is one of AQ"
    depth = len(set(plan.quantiles)).bit_length()
    match plan.privacy:
        case PureDP(epsilon):
            each = Fraction(epsilon) / depth
        case ZCDP(rho):
            each = printed_epsilon(Fraction(rho) / depth)
        case _:
            raise ParameterError("privacy", "must be pure or concentrated for AQ as published.")
    root = map_rates(halves(sound.levels), lambda node: rounded_rate(each / (2 * sensitivity(node.level, False))))
    return replace(sound, root=root)


def draws(data: Column, plan: Plan, trials: int, seed: int, make: Make = calibrate) -> Errors:
    """Return rank errors (trials, levels) of simulated runs, with the parameters of `make`."""
    parameters = make(plan, public_count(data, plan))
    cells = MECHANISMS[plan.mechanism].run(data, parameters, SeededSampler(seed, trials))
    return rank_errors(data, plan.quantiles, data.values_of(cells))


def mean_error(drawn: Drawn, panel: str, m: int, columns: Columns) -> Iterable[Point]:
    """Yield the mean rank error of a configuration with twice its standard error to either side.

    Nothing where the mechanism is not available.
    """
    configuration = drawn.configuration(m)
    row = run_configuration(configuration, columns=columns, make=drawn.make)
    if row.supported:
        mean, error = row.mean_error, 2 * row.mean_error_se
        yield Point(panel, drawn.curve, m, mean, mean - error, mean + error, configuration.trials)


def with_error(panel: str, curve: str, x: float, alike: Errors, trials: int) -> Point:
    """Return the mean of independent numbers with twice its standard error to either side."""
    mean, error = float(alike.mean()), 2 * float(alike.std(ddof=1)) / sqrt(alike.size)
    return Point(panel, curve, x, mean, mean - error, mean + error, trials)
