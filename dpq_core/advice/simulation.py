"""The rank errors to expect of mechanisms, by short simulations on public shapes within the bounds.

Shapes are made-up records from a fixed seed: no private data is read and no noise of a release is drawn, so results may
be cached. The probability that slices answer at random, too rare for a short simulation, is computed from the
mechanism's own parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from math import floor, isqrt
from typing import Any

import numpy as np

from ..accuracy import signed_rank_errors, true_quantiles
from ..arrays import Floats
from ..calibrations import Calibrated, mechanism_of
from ..column import Column
from ..domain.domain import Domain
from ..domain.finding import FindBounds
from ..errors import ParameterError
from ..group_privacy import CalibratesEach
from ..mechanisms.registry import MECHANISMS
from ..noise.fast import SeededSampler
from ..plan import Plan
from ..sources.examples import toy_generator
from ..steps import steps_of
from ..studies import engine
from ..studies.configuration import seed_of
from ..study import simulate_column
from .choice import Run

_DRAWN: dict[str, Callable[[Any, int], Floats]] = {
    "spread evenly": lambda rng, n: rng.uniform(0, 1, n),
    "a bell": lambda rng, n: rng.normal(0.5, 0.1, n),
    "two humps": lambda rng, n: rng.choice([0.3, 0.7], n) + rng.normal(0, 0.03, n),
    "a heavy tail": lambda rng, n: rng.lognormal(np.log(0.02), 1.0, n),
    "bounds 20 times too wide": lambda rng, n: rng.uniform(0.475, 0.525, n),
    "a heavy tail in far too wide bounds": lambda rng, n: rng.lognormal(np.log(0.0005), 1.0, n),
    "a value that a third share": lambda rng, n: np.where(rng.random(n) < 1 / 3, 0.25, rng.uniform(0, 0.8, n)),
}
"""Where records lie between the lower bound, 0, and the upper one, 1."""
BELLS = (0.25, 0.5, 0.75)
"""Where the mean of a column known to be normal may lie, between the least and the largest that it can have."""


def shapes_within(domain: Domain, n: int) -> dict[str, Floats]:
    """Return n values of each shape, by its name; some lie beyond the bounds, as real ones do."""
    return {name: domain.at_fractions(draw(toy_generator(name), n)) for name, draw in _DRAWN.items()}


def bells_within(domain: Domain, n: int, sigma: float, mean_bound: float) -> dict[str, Floats]:
    """Return n values of normal columns with this standard deviation, their means at several places within bounds.

    A mean lies between minus and plus `mean_bound`, in the column's unit.
    """
    low, high = max(float(domain.lower), -mean_bound), min(float(domain.upper), mean_bound)
    if low >= high:  # the two promises contradict each other: the answers keep to the bounds
        low, high = float(domain.lower), float(domain.upper)
    return {
        f"a bell at {place}": toy_generator(f"a bell at {place}").normal(low + place * (high - low), sigma, n)
        for place in BELLS
    }


MOST_RECORDS = 200_000
"""The most records of a shape. With more, rank errors hardly change unless many records share a value."""
LEAST_SHARE_OF_VALUES = 8
"""No shape is left out that has an eighth of the values of the one with the most: where there are few, all have few."""
AT_RANDOM = 1 / 6
"""How far answers at random are off on average, as a share of n: sorted, between 0.1 and 0.2 for most columns."""


@dataclass(frozen=True)
class Range:
    """A mean over runs: typical over the shapes, and from the easiest to the hardest shape."""

    typical: float
    low: float
    high: float


class Simulation:
    """Simulated runs of one mechanism on n records of every shape. Repeatable.

    Raises ParameterError, Infeasible, where the mechanism is not available: when it is made, or by `run`.
    """

    def __init__(self, run: Run, n: int) -> None:
        simulated, make = min(n, MOST_RECORDS), run.make
        self.plan, self.n = run.drawn, n
        found = Calibrated.of_facts(self.plan, CalibratesEach(run.unit, make), n if run.knows_n else None)
        self._at_random = found.parameters.chance_of_answers_at_random(n, run.domain.cells) * AT_RANDOM * n
        if run.knows_n and simulated < n:
            found = replace(found, levels={None: (found.each_plan, make(found.drawn_plan, simulated), None)})
        self._calibrated = found
        self._samples = columns_that_tell(run, simulated)

    def run(self, runs: int) -> None:
        """Make this many runs on each shape."""
        self._errors = np.array([[ranks.mean(axis=1), off.mean(axis=1)] for ranks, off in self._runs(runs)])

    def chances_beyond(self, most: Floats, runs: int) -> Floats:
        """Return for each level how often its rank error exceeds the largest wanted one, on the hardest shape: (m,)."""
        chances = [np.mean(ranks > most, axis=0) for ranks, _ in self._runs(runs)]
        return np.asarray(np.max(chances, axis=0), dtype=np.float64)

    def _runs(self, runs: int) -> Iterator[tuple[Floats, Floats]]:
        """Yield the errors of runs on each shape, in ranks and in the column's unit, (runs, m) each."""
        for name, column in self._samples.items():
            entropy = SeededSampler(seed_of(0, self.plan.fingerprint, name), runs)
            cells = MECHANISMS[self.plan.mechanism].run(column, self._calibrated.parameters, entropy)
            values = self._calibrated.in_plan_order(column.values_of(cells), column.domain)
            ranks = np.abs(signed_rank_errors(column, self.plan.quantiles, values))
            yield ranks, np.abs(values - true_quantiles(column, self.plan.quantiles))

    @property
    def error(self) -> float:
        """Return the mean rank error to expect: over the quantiles of a run, typical over the shapes."""
        means = [self._mean(each) for each in self._errors[:, 0]]
        typical = float(np.expm1(np.log1p(means).mean()))  # geometric, a record aside: one easy shape decides nothing
        return min(typical + self._at_random, self.n)

    @property
    def in_unit(self) -> Range:
        """Return how far answers are from the exact quantiles, in the column's unit; typical in the middle shape."""
        means = self._errors[:, 1].mean(axis=1)
        return Range(float(np.median(means)), float(means.min()), float(means.max()))

    def _mean(self, errors: Floats) -> float:
        """Return the mean over runs; the median where failures are known, as if none had been met.

        A single failure among 64 runs would say that one in 64 fails.
        """
        return float(np.median(errors) if self._at_random > 0 and engine.failures(errors, self.n) else errors.mean())


def expected_seconds(run: Run, runs: int) -> float:
    """Return about how long `runs` of a mechanism on each shape take, by the stated costs."""
    cost, m = mechanism_of(run.plan).PROFILE.seconds_of(run.drawn), len(run.plan.quantiles)
    once = cost.once + cost.level * m + runs * (cost.trial + cost.trial_and_level * m)
    return once * len(_DRAWN if run.bell is None else BELLS)


def columns_that_tell(run: Run, n: int) -> dict[str, Column]:
    """Return n records of every shape that has more values than there are quantiles.

    On fewer values all quantiles are found, or all are missed, however large the noise: that tells nothing of columns
    that are worth a question, and a grid of a hundred values leaves two or three of them to the narrowest shapes.
    """
    found = columns_within(run.domain, n, run.bell)
    least = min(run.m + 1, max(values for _, values in found.values()) // LEAST_SHARE_OF_VALUES)
    return {name: column for name, (column, values) in found.items() if values >= least}


@lru_cache(maxsize=4)
def columns_within(
    domain: Domain, n: int, normal_distribution: tuple[float, float] | None
) -> dict[str, tuple[Column, int]]:
    """Return n records of each shape and how many values they have, encoded once for all mechanisms and budgets.

    Of a column known to be normal the shapes are bells only.
    """
    found, bell = {}, normal_distribution
    for name, values in (shapes_within(domain, n) if bell is None else bells_within(domain, n, *bell)).items():
        column = Column.from_values(values, domain, seed=seed_of(0, name))
        found[name] = column, np.unique(column.values_of(column.cells)).size
    return found


MOST_SECONDS = 0.45
"""A mechanism of which FEWEST_RUNS would take longer, by the stated costs, does not run."""
TOO_SLOW = "Simulating it in advance takes too long for this many quantiles. Compare measures it."
FEWEST_RUNS, RUNS = 8, 32
"""Runs on each shape, for one quantile. With many quantiles fewer runs are enough: an error is the mean over them."""
LEAST_RUNS = 2
"""The number of runs that gives a standard error."""
QUICK_SECONDS = 0.05
"""Half of RUNS are made where they take no longer, even if fewer would do: errors of quantiles that are read from the
same noisy counts are large or small together, and so tell less than as many of their own."""


def too_slow(run: Run) -> bool:
    """Return whether even a few runs of a mechanism would take too long."""
    return expected_seconds(run, enough_runs(run.m, FEWEST_RUNS)) > MOST_SECONDS


def runs_for(run: Run) -> int:
    """Return how many runs of a mechanism are made on each shape."""
    none, one = (expected_seconds(run, runs) for runs in (0, 1))
    return max(enough_runs(run.m, RUNS), min(RUNS // 2, int(QUICK_SECONDS / (one - none))))


def enough_runs(m: int, of_one: int) -> int:
    """Return how many runs with m quantiles are as precise as `of_one` runs with one."""
    return max(of_one // isqrt(m), LEAST_RUNS)


MOST_RECORDS_TO_BOUND = 20_000
RUNS_TO_BOUND, WALKS = 128, 4
"""On each shape: answers, and how often bounds are found."""
BOUNDS_WHILE_UNKNOWN = Domain(0, 1_000_000)
"""Where nobody said bounds: one decade more or less hardly changes an error."""


@lru_cache(maxsize=16)
def error_of_way(plan: Plan, bounds: Domain | FindBounds, around: Domain, n: int) -> float | None:
    """Return the mean rank error to expect of a plan among n records; None where it is not available.

    `around`: the bounds between which the public shapes lie. The typical error over the shapes, as in `Simulation`.
    """
    count = min(n, MOST_RECORDS_TO_BOUND)
    try:
        errors = [_on_shape(plan, bounds, values) for values in shapes_within(around, count).values()]
    except ParameterError:
        return None
    return float(np.expm1(np.log1p(errors).mean()))


def _on_shape(plan: Plan, bounds: Domain | FindBounds, values: Floats) -> float:
    """Return the mean distance from the target ranks to the ranks of answers, among the values as they are."""
    column = Column.from_values(values, bounds, seed=0)
    firsts = WALKS if isinstance(bounds, FindBounds) else None
    study = simulate_column(column, steps_of(column, plan), RUNS_TO_BOUND, 0, firsts=firsts)
    ordered, answers = np.sort(values), study.values[:, 0]
    wanted = np.array([floor(level * ordered.size) for level in plan.quantiles])
    below, at_most = np.searchsorted(ordered, answers), np.searchsorted(ordered, answers, side="right")
    return float((np.maximum(below - wanted, 0) + np.maximum(wanted - at_most, 0)).mean())
