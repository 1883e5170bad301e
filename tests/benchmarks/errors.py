"""The table of errors: the best mechanism here over the best as published, 1,200 runs a number.

    python -m tests.benchmarks.errors [words of a row, such as normal or 120]

1,000 records on [-100, 100], one person joins or leaves, 150 runs on each of eight data sets; where one is replaced, AQ
draws several at once only where the number of records is known. Each number with its standard error. About ten minutes.
"""

import sys
from dataclasses import replace
from functools import partial
from math import hypot

from dpq_core.mechanisms.aq import mechanism as aq
from dpq_core.papers.computations.free_total import JOINS, JOINS_RHO, Setting, setting_curve
from dpq_core.papers.computations.kss import drawn_curve
from dpq_core.papers.figures import Point
from dpq_core.papers.tasks import Drawn, mean_error
from dpq_core.studies.configuration import Configuration
from dpq_core.studies.engine import Columns
from tests.harness import AT_ONCE

RUNS, DATA_SETS = 1200, 8
SEVERAL = "aq-several"
MOST_AT_ONCE = partial(aq.calibrate, at_once=AT_ONCE["several"])
OURS = ("aq-default", SEVERAL, "freetotal", "aggtree")
ONE = "aq"
"""One quantile at every split, to compare with."""
PUBLISHED = ("aq-published", "jointexp", "aggtree-printed")
"""As published and sound; IndExp is the least of them for one quantile only."""
MOST_FREE = 60
PURE, CONCENTRATED = (5, 10, 20, 35, 60, 99, 120), (5, 20, 60)
ROWS = tuple(
    (data, setting, m)
    for setting, counts in ((JOINS, PURE), (JOINS_RHO, CONCENTRATED))
    for data in ("uniform", "normal")
    for m in counts
)


def main(words: list[str]) -> None:
    """Print every mean rank error and, of each number of quantiles, the ratio of the best ones."""
    columns = Columns()
    for data, setting, m in ROWS:
        row = f"{data}, {setting.privacy}, m = {m}"
        if not words or set(words) & set(row.replace(",", "").split()):
            print(f"{row}: {_said(data, setting, m, columns)}", flush=True)


def _said(data: str, setting: Setting, m: int, columns: Columns) -> str:
    """Return a row of the table."""
    found: dict[str, Point] = {}
    for curve in (*OURS, ONE, *PUBLISHED):
        if curve != "freetotal" or m <= MOST_FREE:
            drawn = _drawn(curve, setting, data)
            many = drawn._replace(configuration=partial(_configuration, drawn))
            found |= {point.curve: point for point in mean_error(many, data, m, columns)}
    here, printed = (
        min((found[each] for each in curves if each in found), key=lambda point: point.y)
        for curves in (OURS, PUBLISHED)
    )
    ratio = here.y / printed.y
    error = ratio * hypot(*(_error(point) / point.y for point in (here, printed)))
    errors = ", ".join(f"{curve} {point.y:.2f} ± {_error(point):.2f}" for curve, point in found.items())
    return f"{ratio:.2f} ± {error:.2f} ({errors})"


def _drawn(curve: str, setting: Setting, data: str) -> Drawn:
    """Return the configurations of a curve."""
    if curve == SEVERAL:
        return drawn_curve(curve, setting.privacy, data, False, MOST_AT_ONCE, setting.adjacency)
    return setting_curve(curve, setting, data, quick=False)


def _error(point: Point) -> float:
    """Return the standard error: the bar is twice as long to either side."""
    return (point.high - point.low) / 4


def _configuration(drawn: Drawn, m: int) -> Configuration:
    return replace(drawn.configuration(m), trials=RUNS, data_sets=DATA_SETS)


if __name__ == "__main__":
    main(sys.argv[1:])
