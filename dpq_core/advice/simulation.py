"""The rank errors to expect of a mechanism, by a short simulation on public shapes within the bounds.

No private data is read and no noise of a release is drawn, so results may be cached. The probability that slices answer
at random, too rare for a short simulation, is computed from the mechanism's own parameters.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import sqrt

import numpy as np

from ..arrays import Floats
from ..domain import Domain
from ..privacy import Adjacency
from ..release import calibrate
from ..studies import Configuration, Row, Samples, expected_cell_seconds, run_configuration
from ..trials import TRIALS_AT_ONCE
from .facts import PublicFacts
from .shapes import bells_within, shapes_within

MOST_RECORDS = 200_000
"""A shape has so many records at most; with more, rank errors hardly change unless many records share a value."""
ERRORS_OF_THE_MEAN = 2.0
"""How many standard errors of the mean a range reaches beyond what was simulated."""
DEVIATIONS = 3.92
"""The width of a noise interval that holds 95 of 100 runs, in standard deviations."""
LEAST_MARGIN = 0.5
"""Records: ranks are whole numbers, so no range is said to be narrower than half a one on either side."""
AT_RANDOM = 1 / 6
"""How far answers at random are off on average, as a share of n: sorted, between 0.1 and 0.2 for most columns."""


@dataclass(frozen=True)
class Range:
    """A mean over runs, in records: typical over the shapes, and the interval from the easiest to the hardest shape."""

    typical: float
    low: float
    high: float


@dataclass(frozen=True)
class Expected:
    """The mean and the worst rank error of a run over its quantiles, each as the mean over runs."""

    mean: Range
    worst: Range


def expected_errors(facts: PublicFacts, mechanism: str, n: int) -> Expected:
    """Return the expected errors of a mechanism on n records.

    Raises ParameterError, Infeasible, where it is not available.
    """
    parameters = calibrate(facts.plan(mechanism), n if facts.adjacency is Adjacency.SUBSTITUTE else None)
    at_random = parameters.chance_of_answers_at_random(n, facts.domain.cells) * AT_RANDOM * n
    samples = _samples(facts.domain, min(n, MOST_RECORDS), facts.normal_law)
    rows = [run_configuration(configuration, samples=samples) for configuration in _configurations(facts, mechanism)]
    for row in rows:
        if row.refused is not None:
            raise row.refused
    return Expected(_over(rows, "mean_error", at_random, n), _over(rows, "max_error", at_random, n))


def expected_seconds(facts: PublicFacts, mechanism: str) -> float:
    """Return about how long the simulations of one mechanism take, records apart."""
    return sum(map(expected_cell_seconds, _configurations(facts, mechanism)))


def _over(rows: list[Row], name: str, at_random: float, n: int) -> Range:
    found = np.array([_mean_and_error(row, name, known=at_random > 0) for row in rows])
    means, margins = found[:, 0], np.maximum(ERRORS_OF_THE_MEAN * found[:, 1], LEAST_MARGIN)
    typical = float(np.expm1(np.log1p(means).mean()))  # geometric, a record aside: one easy shape decides nothing
    low, high = float((means - margins).min()), float((means + margins).max())
    return Range(min(typical + at_random, n), max(low, 0.0), min(high + at_random, n))


def _mean_and_error(row: Row, name: str, *, known: bool) -> tuple[float, float]:
    """Return the mean over runs and its standard error; where failures are `known`, as if none had been met.

    A single failure among 64 runs would say that one in 64 fails. Median and noise interval do not notice it.
    """
    if not (known and row.failed):
        return getattr(row, name), getattr(row, f"{name}_se")
    deviation = (getattr(row, f"{name}_high") - getattr(row, f"{name}_low")) / DEVIATIONS
    return getattr(row, f"{name}_median"), deviation / sqrt(row.trials)


def _configurations(facts: PublicFacts, mechanism: str) -> list[Configuration]:
    """Return one configuration for each shape."""
    return [
        Configuration(
            method=facts.method(mechanism), privacy=facts.privacy, quantiles=facts.quantiles, data=shape, n=None,
            domain=facts.domain, adjacency=facts.adjacency, trials=TRIALS_AT_ONCE, data_sets=1, seed=0,
        )
        for shape in _shapes(facts.domain, 0, facts.normal_law)
    ]  # fmt: skip


@lru_cache(maxsize=4)
def _samples(domain: Domain, n: int, normal_law: tuple[float, float] | None) -> Samples:
    """Return the shapes' records, which are encoded once for all mechanisms and budgets."""
    return Samples(_shapes(domain, n, normal_law))


def _shapes(domain: Domain, n: int, normal_law: tuple[float, float] | None) -> dict[str, Floats]:
    """Return the shapes to simulate: for a column known to be normal, bells only."""
    return shapes_within(domain, n) if normal_law is None else bells_within(domain, n, *normal_law)
