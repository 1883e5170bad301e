"""The mechanisms that ship here beside the published ones, on one setting with fresh data sets.

1,000 records, uniform between -5 and 5, domain [-100, 100], epsilon = 1, one person joins or leaves; 150 runs on each
of eight data sets. Two lines of other projects are drawn with them (`computations.references`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from ..studies.configuration import Configuration
from ..studies.engine import Samples
from .computations import references
from .computations.free_total import FEW_COUNTS, PUBLISHED
from .computations.kss import PURE, drawn_curve, pure_curves
from .store import Point
from .tasks import Drawn, Task, mean_error, published_aq

COUNTS = (1, 5, 10, 20, 35, 60, 120)
PANEL = "Uniform, n = 1,000, ε = 1"
RUNS, DATA_SETS = 150, 8
SHIPPED = ("aq-default", "freetotal", "jointexp", "indexp", "aggtree")
MOST = 60
"""FreeTotal refuses more quantiles."""
COST = {"jointexp": 10.0, "freetotal": 10.0, "aq-default": 5.0}
"""Of one quantile more, beside a hundred for the others."""


def tasks(quick: bool) -> Iterator[Task]:
    """Yield tasks for the mean rank error of each mechanism, on the same fresh data sets."""
    samples, counts = Samples(), FEW_COUNTS if quick else COUNTS
    for drawn in _curves(quick):
        for m in references.BISECTED if drawn.curve == "dpsynth" else counts:
            if drawn.curve != "freetotal" or m <= MOST:
                run = partial(mean_error, drawn, PANEL, m, samples)
                yield Task(PANEL, drawn.curve, m, run, cost=100 + m * COST.get(drawn.curve, 0))
    same = _with_runs(drawn_curve("indexp", PURE, "uniform", quick), quick)  # its data sets and its budget
    for m in counts:
        run = partial(references.quantile_tree_error, PANEL, same.configuration(m), samples)
        yield Task(PANEL, "pydp", m, run, cost=100 + 10 * m)


def _curves(quick: bool) -> Iterator[Drawn]:
    """Yield the curves that our own samplers draw."""
    own = partial(drawn_curve, privacy=PURE, data="uniform", quick=quick)
    for drawn in (own("aq-default"), own("freetotal"), *pure_curves("uniform", quick)):
        if drawn.curve in (*SHIPPED, *PUBLISHED):
            yield _with_runs(drawn, quick)
    yield _with_runs(own("aq", make=published_aq), quick)._replace(curve="dpsynth")


def _with_runs(drawn: Drawn, quick: bool) -> Drawn:
    """Return the curve with the runs of this figure."""
    data_sets, runs = (2, 20) if quick else (DATA_SETS, RUNS)

    def configuration(m: int) -> Configuration:
        return replace(drawn.configuration(m), trials=data_sets * runs, data_sets=data_sets)

    return drawn._replace(configuration=configuration)


def best(points: tuple[Point, ...], m: float, curves: tuple[str, ...]) -> Point:
    """Return the point with the least error at m among these curves."""
    return min((point for point in points if point.x == m and point.curve in curves), key=lambda point: point.y)
