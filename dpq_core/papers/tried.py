"""Changes that were tried and do not help: the error with each divided by the error without, at equal privacy.

Splits in halves with equal budgets are what is changed, on the setting of `better`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np

from ..arrays import Floats
from ..mechanisms.aq import AQParameters, Node, claim, halves, map_rates, with_root
from ..mechanisms.exponential import guarded
from ..plan import Plan
from ..privacy import PureDP
from ..release import calibrate
from ..studies import Samples
from .better import DATA_SETS, RUNS
from .computations import RECORDS, pure_curves
from .store import Point
from .tasks import Task, draws

COUNTS = (5, 20, 60)
LEANING = {
    "Budgets that grow by a fifth from level to level": Fraction(6, 5),
    "Budgets that shrink by a sixth from level to level": Fraction(5, 6),
}
FLIPPED = {
    "Permute-and-flip, one value between two records": 1,
    "Permute-and-flip, a thousand values between two records": 1000,
}
TIMES = 4000
"""Points at which the distribution of permute-and-flip is integrated."""


def tasks(quick: bool) -> Iterator[Task]:
    """Yield tasks for every change at a few numbers of quantiles."""
    samples = Samples()
    for panel, factor in LEANING.items():
        for m in COUNTS:
            run = partial(_leaning_ratio, panel, factor, m, samples, quick)
            yield Task(panel, "tried", m, run, cost=10)
    for panel, values in FLIPPED.items():
        for m in COUNTS:
            yield Task(panel, "tried", m, partial(_flipped_ratio, panel, values, m))


def leaning(plan: Plan, factor: Fraction) -> AQParameters:
    """Return AQ with budgets `factor` times those of the depth above, every path within epsilon."""
    sound = calibrate(plan)
    assert isinstance(sound, AQParameters), "the plan is one of AQ"
    assert isinstance(plan.privacy, PureDP), "tried with a pure budget"

    def grown(node: Node | None, budget: Fraction) -> Node | None:
        if node is None:
            return None
        children = tuple(grown(child, budget * factor) for child in node.children)
        return replace(node, rate=budget / (2 * node.sensitivity(False)), children=children)

    root = grown(halves(sound.levels), Fraction(1))
    assert root is not None, "there are levels"
    times = Fraction(plan.privacy.epsilon) / claim(root, plan.adjacency, False, squared=False)
    return with_root(sound, map_rates(root, lambda node: guarded(node.rate * times)))


def _leaning_ratio(panel: str, factor: Fraction, m: int, samples: Samples, quick: bool) -> Iterable[Point]:
    """Yield the ratio of mean rank errors over all data sets, with twice its standard error."""
    configuration = pure_curves("uniform", quick)[0].configuration(m)
    sets, runs = (2, 20) if quick else (DATA_SETS, RUNS)

    def means(leans: Fraction) -> Floats:
        drawn = (
            draws(
                samples.of(configuration, number),
                configuration.plan,
                runs,
                configuration.noise_seed(number),
                partial(leaning, factor=leans),
            )
            for number in range(sets)
        )
        return np.array([errors.mean() for errors in drawn])

    changed, plain = means(factor), means(Fraction(1))
    ratio = changed.mean() / plain.mean()
    error = 2 * (changed - ratio * plain).std(ddof=1) / np.sqrt(sets) / plain.mean()
    yield Point(panel, "tried", m, ratio, ratio - error, ratio + error, sets * runs)


def _flipped_ratio(panel: str, values: int, m: int) -> Iterable[Point]:
    """Yield the ratio at the root, a median of the records, with an equal part of epsilon = 1 at each depth."""
    distances = np.abs(np.arange(RECORDS + 1) - RECORDS / 2)
    weights = np.exp(-distances / m.bit_length())
    usual = float(np.average(distances, weights=weights))
    yield Point(panel, "tried", m, flipped_error(distances, weights, values) / usual)


def flipped_error(distances: Floats, weights: Floats, values: int) -> float:
    """Return the mean distance that permute-and-flip draws (McKenna & Sheldon 2020); each weight has `values` values.

    Every value comes at a time t uniform in 0..1 and is taken with probability its weight, the first that is. So one of
    weight w is drawn with probability w times the integral over t of the product of 1 - t w' over all others. The
    largest weight is 1. O(weights) at each of TIMES places.
    """
    start = 1e-4 / (values * weights.sum())
    times = np.concatenate([[0.0], np.geomspace(start, 1 - 1e-12, TIMES)])
    untaken = np.array([np.exp(values * np.log1p(-t * weights).sum()) for t in times])
    shares = weights * np.trapezoid(untaken[:, None] / (1 - times[:, None] * weights), times, axis=0)
    return float(np.average(distances, weights=shares))
