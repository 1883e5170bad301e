"""Figure: the specification of one figure or table of a paper."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from ..judgements.verdicts import FigureVerdict, Judge
from ..store import Result
from ..tasks import Task

HERE, KSS, SLICE, BSPACE = "This project", "Kaplan et al. 2022", "Imola et al. 2025", "Alabi et al. 2022"
MEAN_ERROR = "mean rank error (records)"
SHARE = "rank error (share of n)"
ERROR_BAND = "Bars: twice the standard error."
SPREAD_BAND = "Bars: 90 of 100 runs."


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A printed number, and what it is of."""

    number: float
    of: str


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One figure or table of a paper. Small multiples share both axes."""

    key: str
    paper: str
    place: str
    """Where in the paper."""
    title: str
    setting: str
    """How it is recomputed here, in one or two sentences."""
    tasks: Callable[[bool], Iterator[Task]]
    """The work, at full or at reduced size."""
    judge: Judge
    x: str
    y: str
    claim: Claim | None = None
    log_x: bool = False
    log_y: bool = True
    shape: Literal["lines", "marks", "steps", "table"] = "lines"
    """How points are shown; a table is no picture."""
    printed: Mapping[tuple[str, str], float] = field(default_factory=dict)
    """Numbers printed for a panel and curve, where the paper has a table of them."""
    band: str = ""
    """What the bars around a point mean; empty where there are none."""
    packages: tuple[str, ...] = ()
    """Other projects' packages that draw some of the curves, where they are installed."""
    expected_seconds: float = 5.0
    """At reduced size."""

    def verdict(self, result: Result) -> FigureVerdict:
        """Return our number beside the claim, from the points of a result at full size."""
        return self.judge(result.points)
