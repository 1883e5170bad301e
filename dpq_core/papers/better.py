"""The mechanisms that ship here beside the published ones, on one setting with fresh data sets.

1,000 records, uniform between -5 and 5, domain [-100, 100], epsilon = 1, one person joins or leaves; 150 runs on each
of eight data sets.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from ..studies import Configuration, Samples
from .computations import pure_curves
from .store import Point
from .tasks import Drawn, Task, mean_error

COUNTS = (1, 5, 20, 60, 120)
PANEL = "Uniform, n = 1,000, ε = 1"
RUNS, DATA_SETS = 150, 8
CURVES = ("aq", "aq-published", "jointexp", "indexp", "aggtree", "aggtree-printed")
PUBLISHED = ("aq-published", "jointexp", "indexp", "aggtree-printed")
"""As published and sound: the baselines."""


def tasks(quick: bool) -> Iterator[Task]:
    """Yield tasks for the mean rank error of each mechanism, on the same fresh data sets."""
    samples = Samples()
    data_sets = 2 if quick else DATA_SETS
    for drawn in pure_curves("uniform", quick):
        if drawn.curve in CURVES:
            many = Drawn(drawn.curve, partial(_configuration, drawn, data_sets, 20 if quick else RUNS), drawn.make)
            for m in COUNTS:
                run = partial(mean_error, many, PANEL, m, samples)
                yield Task(PANEL, drawn.curve, m, run, cost=10 * m if drawn.curve == "jointexp" else 100)


def _configuration(drawn: Drawn, data_sets: int, runs: int, m: int) -> Configuration:
    return replace(drawn.configuration(m), trials=data_sets * runs, data_sets=data_sets)


def best(points: tuple[Point, ...], m: float, curves: tuple[str, ...]) -> Point:
    """Return the point with the least error at m among these curves."""
    return min((point for point in points if point.x == m and point.curve in curves), key=lambda point: point.y)
