"""The table that `make bench` ends with: what was measured beside what was promised, one line each."""

from dataclasses import dataclass
from statistics import median

import pytest

WORK = 70
TITLE = f"{'work':{WORK}}{'target':>20}{'measured':>10}{'ms':>9}  verdict"
LEGEND = (
    "A sort is one np.sort of 10^6 float64, timed before every run of every row; a target of 10 ms is one sort.",
    "Time is CPU time of the process; a row shows the median of its ratios and, for orientation, the median of its ms.",
)


@dataclass(frozen=True)
class Row:
    """One promise and what came of it. Without `at_most` the row only stands for comparison."""

    place: int
    """Rows are printed in this order, and as they were run where it is the same."""
    work: str
    at_most: float | None
    of: str
    measured: float
    seconds: float | None

    @property
    def verdict(self) -> str:
        if self.at_most is None:
            return ""
        return "met" if self.measured <= self.at_most else "missed"

    def __str__(self) -> str:
        target = "" if self.at_most is None else f"≤ {self.at_most:g} × {self.of}"
        milliseconds = "" if self.seconds is None else f"{1e3 * self.seconds:,.1f}"
        return f"{self.work:{WORK}}{target:>20}{self.measured:>10.2f}{milliseconds:>9}  {self.verdict}".rstrip()


ROWS = pytest.StashKey[list[Row]]()
SORTS = pytest.StashKey[list[float]]()
"""What the tests of a run have measured, and how long each sort took."""


def power(n: int) -> str:
    """A power of ten as text: 10^7."""
    return f"10^{len(str(n)) - 1}"


def ratio_of(seconds: list[float], beside: list[float]) -> float:
    """The median of the ratios of runs that were made one after the other: what slows one slows its neighbour."""
    return median(own / other for own, other in zip(seconds, beside, strict=True))


def summary(rows: list[Row], sort_seconds: list[float]) -> str:
    promised = [row for row in rows if row.at_most is not None]
    met = sum(row.verdict == "met" for row in promised)
    sort = f" A sort took {1e3 * median(sort_seconds):.1f} ms here." if sort_seconds else ""
    return f"{met} of {len(promised)} targets met.{sort}"
