"""Scene: one run as its figures need it, and the part of it in the foreground. No plotly, no data."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor, isfinite
from typing import Generic, TypeAlias, TypeVar

from ...mechanisms.base import TraceStep

MOST_STEPS_IN_FULL = 31  # from this number on, only the neighbourhood of the selected step is drawn in full
NEIGHBOURS = 7  # the number of quantiles shown to either side of the selected one, in a long row of them
MASS_SHOWN = 0.95  # the share of a distribution that its bar on a value axis covers
ROOM = 0.12  # free space at both ends of an axis, as a share of what is shown

LEAST = 8  # the least values of the grid that an axis shows

Law = tuple[Sequence[float], Sequence[float]]  # where the chance of a value changes, and that of each piece from there
Span: TypeAlias = tuple[float, float]  # two ends
S_co = TypeVar("S_co", bound=TraceStep, covariant=True)


@dataclass(frozen=True, kw_only=True)
class Scene(Generic[S_co]):
    """One run at one of its steps. Not private: it holds true values and counts."""

    steps: Sequence[S_co]
    """In the order of the run, all of one kind."""
    at: int
    """The step that is selected; draws that are later than its own have not been run yet."""
    targets: Sequence[float]
    """For every step the value of the record at its target rank."""
    ranks: Sequence[float]
    """For every step the rank of the value that was drawn, in records."""
    truths: Sequence[float]
    """For every step the true quantile of its level in all records; NaN where there is no data."""
    true_ranks: Sequence[float]
    """For every step the rank of that quantile."""
    edges: Sequence[float]
    """Of the histogram of the data: one more than `counts`."""
    counts: Sequence[int]
    n: int
    bounds: Span
    spread: float
    """The distance of two values of the grid."""
    axis: str
    one: str
    many: str
    colour: str
    """Of the mechanism, `#rrggbb`."""
    read: Callable[[float], str]
    """A value as people write it, without its unit."""
    dated: bool
    """Whether values are days since 1970-01-01 and an axis has to be labelled by `read`."""

    @property
    def step(self) -> S_co:
        """The selected step."""
        return self.steps[self.at]

    def is_run(self, number: int) -> bool:
        """Return whether a step has been run: it is no later than the selected one, or of the same draw."""
        return number <= self.at or self.steps[number].draw == self.step.draw

    def done(self, numbers: Iterable[int] | None = None) -> list[int]:
        """Return which of these steps have been run, or which of all."""
        return [number for number in (range(len(self.steps)) if numbers is None else numbers) if self.is_run(number)]

    def window(self, numbers: Iterable[int], *others: float) -> Span:
        """Return the values around targets and answers of these steps, the true quantile and others."""
        marks = [mark for number in numbers for mark in (self.steps[number].value, self.targets[number])]
        return around([*marks, self.truth, *others], self.bounds, LEAST * self.spread)

    @property
    def truth(self) -> float:
        """The true quantile of the selected step."""
        return self.truths[self.at]

    @property
    def is_long(self) -> bool:
        """Whether there are too many steps to draw all of them alike."""
        return len(self.steps) > MOST_STEPS_IN_FULL


def in_row(scene: Scene[TraceStep]) -> list[int]:
    """Return the steps in the order of their levels; of many, only the neighbours of the selected one."""
    order = sorted(range(len(scene.steps)), key=lambda number: scene.steps[number].level)
    if not scene.is_long:
        return order
    first = min(max(order.index(scene.at) - NEIGHBOURS, 0), len(order) - 2 * NEIGHBOURS - 1)
    return order[first : first + 2 * NEIGHBOURS + 1]


def around(marks: Sequence[float], bounds: Span, least: float) -> Span:
    """Return the part of an axis with all marks and some room, within the bounds, and at least `least` wide."""
    numbers = [mark for mark in marks if isfinite(mark)] or list(bounds)
    low, high = min(numbers), max(numbers)
    room = max(ROOM * (high - low), (least - (high - low)) / 2)
    return max(low - room, bounds[0] - least / 4), min(high + room, bounds[1] + least / 4)


def heart(distribution: Law, end: float, share: float = MASS_SHOWN) -> Span:
    """Return the ends of the middle `share` of a distribution; `end` is the last value that it can take."""
    starts, weights = distribution
    edges = [*starts, max(end, starts[-1])]
    tail, low, high, total = (1 - share) / 2, edges[0], edges[-1], 0.0
    for at, weight in enumerate(weights):
        if total <= tail < total + weight:
            low = edges[at]
        if total < 1 - tail <= total + weight:
            high = edges[at + 1]
        total += weight
    return low, high


def histogram_in(scene: Scene[TraceStep], window: Span, most: int = 80) -> tuple[list[float], list[int], float]:
    """Return the histogram of the data within a window, about `most` bars at most: left ends, counts and the width."""
    edges = scene.edges
    first = max(bisect_left(edges, window[0]) - 1, 0)
    last = min(bisect_left(edges, window[1]) + 1, len(scene.counts))
    together = max(1, ceil((last - first) / most))
    starts = range(floor(first / together) * together, last, together)
    width = (edges[1] - edges[0]) * together
    return [edges[at] for at in starts], [sum(scene.counts[at : at + together]) for at in starts], width
