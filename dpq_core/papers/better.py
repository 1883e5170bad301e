"""The mechanisms that ship here beside the published ones, with fresh data sets and more runs than the papers' figures.

1,000 records, uniform between -5 and 5 or normal, domain [-100, 100], one person joins or leaves; 150 runs on each of
eight data sets. `python -m dpq_core papers --figure better` computes it anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from ..studies import Configuration, Samples
from .computations.free_total import JOINS, JOINS_RHO, Setting, setting_curve
from .store import Point
from .tasks import Drawn, Task, mean_error

RUNS, DATA_SETS = 150, 8
OURS = ("aq-best", "freetotal", "aggtree", "aq")
PUBLISHED = ("aq-published", "jointexp", "indexp", "aggtree-printed")
"""As published and sound: the baselines."""
CURVES = (*OURS, *PUBLISHED)
MOST = {"freetotal": 60}
"""Of more quantiles it refuses."""


class Panel(NamedTuple):
    """One panel: what is promised, on which data, for how many quantiles."""

    name: str
    data: str
    setting: Setting
    counts: tuple[int, ...]


PANELS = (
    Panel("Uniform, n = 1,000, ε = 1", "uniform", JOINS, (1, 5, 10, 20, 35, 60, 120)),
    Panel("Normal, n = 1,000, ε = 1", "normal", JOINS, (1, 5, 10, 20, 35, 60, 120)),
    Panel("Uniform, n = 1,000, ρ = 1/8", "uniform", JOINS_RHO, (1, 5, 20, 60)),
)


def tasks(quick: bool) -> Iterator[Task]:
    """Yield tasks for the mean rank error of each mechanism, on the same fresh data sets."""
    samples = Samples()
    data_sets = 2 if quick else DATA_SETS
    for panel in PANELS:
        for curve in CURVES:
            drawn = setting_curve(curve, panel.setting, panel.data, quick)
            many = Drawn(curve, partial(_configuration, drawn, data_sets, 20 if quick else RUNS), drawn.make)
            for m in panel.counts:
                if m <= MOST.get(curve, m):
                    run = partial(mean_error, many, panel.name, m, samples)
                    yield Task(panel.name, curve, m, run, cost=10 * m if curve == "jointexp" else 100)


def _configuration(drawn: Drawn, data_sets: int, runs: int, m: int) -> Configuration:
    return replace(drawn.configuration(m), trials=data_sets * runs, data_sets=data_sets)


def best(points: tuple[Point, ...], m: float, curves: tuple[str, ...]) -> Point:
    """Return the point with the least error at m among these curves."""
    return min((point for point in points if point.x == m and point.curve in curves), key=lambda point: point.y)
