"""The output distribution of the exponential mechanism for one quantile: targets, ranges, weights.

`error_of_one_draw` bounds the rank error of one draw.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import log
from typing import NewType

import numpy as np

from ...arrays import Floats, Integers, Segments
from ...domain.measure import EVERY_INDEX, Measure
from ...errors import LARGEST, ParameterError, shown
from ...people.shares import unit_of
from ...sample import Cells
from .weights import SMALLEST_RATE, WEIGHT_FLOOR

GUARD = 1 - Fraction(1, 2**40)
"""Rates are lowered by this factor: the loss then stays within the guarantee in spite of `CeilTable`'s rounding."""
_RATE_BITS = 100
Rate = NewType("Rate", Fraction)
"""The exponent of a draw per record of distance; only what is calibrated makes one."""
SMALL_DENOMINATOR = 10**6
SMALL_COUNT = 2**43
"""Up to here the fast sampler splits targets in integers; beyond either they are floats."""


@dataclass(frozen=True)
class TargetLevel:
    """The target of one draw, public: a level of the records in its range, and the exponent per record of distance."""

    level: Fraction
    rate: Rate
    floored: bool = False
    signed: bool = False
    """Whether whole values are drawn, and the score is below 0 within equal records (`ties`): nothing lies below it."""

    def times(self, factor: Fraction) -> TargetLevel:
        """Return the same target with another rate: for audits of broken mechanisms."""
        return replace(self, rate=Rate(self.rate * factor))

    @cached_property
    def rate_as_float(self) -> float:
        """Return the rate for the fast sampler."""
        return float(self.rate)

    @cached_property
    def block_width(self) -> int:
        """Return how many intervals share one envelope weight: within a block the weight falls by e^(1/2) at most."""
        return max(int(Fraction(1, 2) / self.rate), 1)

    def target(self, count: int) -> Fraction:
        """Return the target rank among `count` records."""
        return Fraction(int(self.level * count)) if self.floored else self.level * count


@dataclass(frozen=True)
class Partitions:
    """The ranges of draws, arrays (trials, draws): record positions [start, end), sub-indices low..high."""

    start: Integers
    end: Integers
    low: Integers
    high: Integers
    values: Measure = field(default=EVERY_INDEX, kw_only=True)
    """Which sub-indices belong to which value, for draws of whole values. Without it, each is a value."""

    @classmethod
    def whole(cls, count: int, cells: int, shape: tuple[int, ...], values: Measure = EVERY_INDEX) -> Partitions:
        """Return ranges of all records and all sub-indices."""
        return cls(*(np.full(shape, value, np.int64) for value in (0, count, 0, cells - 1)), values=values)

    @property
    def counts(self) -> Integers:
        """Return the number of records in each range."""
        return self.end - self.start

    @property
    def standing(self) -> Partitions:
        """Return ranges of shape (rows,) as (rows, 1), beside any number of draws."""
        return self._each(lambda x: x[:, None])

    def column(self, index: int) -> Partitions:
        """Return the ranges of one draw in all trials, shape (trials,)."""
        return self._each(lambda x: x[:, index])

    def flat(self, rows: Integers | slice = slice(None)) -> Partitions:
        """Return all ranges, or some of them, one after the other: shape (rows,)."""
        return self._each(lambda x: x.reshape(-1)[rows])

    def repeated(self, copies: int) -> Partitions:
        """Return the ranges of all trials, each `copies` times, (copies x trials, draws)."""
        return self._each(lambda x: np.tile(x, (copies, 1)))

    def _each(self, changed: Callable[[Integers], Integers]) -> Partitions:
        return Partitions(*(changed(x) for x in (self.start, self.end, self.low, self.high)), values=self.values)


def guarded(rate: Fraction) -> Rate:
    """Return a rate for `TargetLevel` that is safe for a guarantee made with `rate`: lowered a little, with few digits.

    Raises ParameterError where the budget is too small to be divided exactly.
    """
    lowered = Fraction(int(rate * GUARD * 2**_RATE_BITS), 2**_RATE_BITS)
    if lowered < SMALLEST_RATE:
        raise ParameterError("privacy", "leaves too little for each draw: choose a larger budget or fewer quantiles.")
    return Rate(lowered)


def sensitivity(level: Fraction, floored: bool) -> Fraction:
    """Return how far one record that joins or leaves moves a score.

    |#{x < w} - q n| moves by 1 - q or by q, as the record lies below w or not; with floor(q n) by up to 1.
    """
    return Fraction(1) if floored else max(level, 1 - level)


def range_of_draw(level: Fraction, floored: bool) -> Fraction:
    """Return the length of the interval of all log ratios of a draw at rate 1 between neighbours; see `sampling`.

    Scores of the levels 0 and 1 move one way for all answers, by 1 at most.
    """
    return Fraction(1) if level in (0, 1) else 2 * sensitivity(level, floored)


def per_unit(target_levels: tuple[TargetLevel, ...], cells: Cells) -> tuple[TargetLevel, ...]:
    """Return the targets with rates for one unit of rank among these cells; the same ones unless rows are weighted.

    A person who weighs w units moves a score in units by w times what a record moves it, at most UNIT times as much.
    The rest of the claim is unchanged: the target's distance from a whole unit moves by at most min(q, 1 - q) w.
    """
    unit = unit_of(cells)
    return target_levels if unit == 1 else tuple(each.times(Fraction(1, unit)) for each in target_levels)


def split_targets(
    counts: Integers, target_levels: tuple[TargetLevel, ...], targets: Integers | None = None
) -> tuple[Integers, Floats]:
    """Return targets among `counts` (trials, draws) as whole ranks and rests in [0, 1), exact for small denominators.

    Explicit `targets` are whole; beyond 0..count they are at the nearer end.
    """
    if targets is not None:
        return np.clip(targets, 0, counts), np.zeros(counts.shape)
    small = int(counts.max(initial=0)) <= SMALL_COUNT
    if small and all(target_level.level.denominator <= SMALL_DENOMINATOR for target_level in target_levels):
        numerators, denominators = (
            np.array([target_level.level.as_integer_ratio() for target_level in target_levels], np.int64)
            .reshape(-1, 2)
            .T
        )
        whole, left = np.divmod(counts * numerators, denominators)
        part = left / denominators
    else:
        target = counts * np.array([float(target_level.level) for target_level in target_levels])
        whole, part = np.floor(target).astype(np.int64), target % 1.0
    return whole, np.where([target_level.floored for target_level in target_levels], 0.0, part)


def distance_beyond_nearest(intervals: Integers, whole: Integers, part: Floats) -> Floats:
    """Return how much farther an interval with k records below it is from the target than the nearest one."""
    return np.asarray(np.abs((intervals - whole) - part) - np.minimum(part, 1 - part), dtype=np.float64)


def log_weight(distance: Floats, rate: Floats | float) -> Floats:
    """Return the log weight of an index so much farther from its target than the nearest interval, where it is 0."""
    return np.maximum(-rate * distance, log(WEIGHT_FLOOR))


def left_edges(cells: Cells, partitions: Partitions, intervals: Integers) -> Integers:
    """Return the last index before each interval, shape of `intervals` (rows, some), for ranges of shape (rows,).

    Interval k of a range holds the indices (edge k, edge k + 1]. Edges are records, kept within low - 1 .. high; that
    of the interval after the last one is high.
    """
    at = partitions.start[:, None] + intervals - 1
    return edges_at(partitions, at, records_at(cells, at))


def records_at(cells: Cells, at: Integers) -> Integers:
    """Return the records at these positions, same shape; beyond all of them any number."""
    if cells.size == 0:
        return np.zeros(at.shape, np.int64)
    if isinstance(cells, Segments):
        return cells.nearest(at)
    return cells[np.clip(at, 0, cells.size - 1)]


def edges_at(partitions: Partitions, at: Integers, edges: Integers) -> Integers:
    """Return edges that belong to the records at positions (rows, some), kept within low - 1 .. high.

    One before the first record of its range is low - 1, one behind the last is high.
    """
    low, high = partitions.low[:, None] - 1, partitions.high[:, None]
    inside = np.where(at >= partitions.end[:, None], high, np.clip(edges, low, high))
    return np.asarray(np.where(at < partitions.start[:, None], low, inside), dtype=np.int64)


def count_below(cells: Cells, partitions: Partitions, chosen: Integers) -> Integers:
    """Return how many records of each range lie below its drawn index; same shape."""
    if isinstance(cells, Segments):
        below = cells.searchsorted_within(chosen, partitions.start, partitions.end)
    else:
        below = np.clip(cells.searchsorted(chosen), partitions.start, partitions.end)
    return np.asarray(below - partitions.start, dtype=np.int64)


def first_blocks(rate: Floats, width: Integers, count: Integers) -> Integers:
    """Return how many blocks on each side of the target are weighed first; what lies beyond rarely weighs much."""
    enough = np.ceil((np.log(count * rate + 2) + 3) / (rate * width))
    return np.asarray(np.minimum(enough, np.ceil((count + 1) / width)), dtype=np.int64)


def error_of_one_draw(cells: int, epsilon: float, beta: float, sensitivity: float = 1.0) -> float:
    """Return the rank error that one draw exceeds with probability beta: Lemma A.1 of Kaplan et al., ICML 2022.

    It takes it that no two records share one of the `cells` of the output space. Raises ParameterError.
    """
    check_positive(cells=cells, epsilon=epsilon, beta=beta, sensitivity=sensitivity)
    return 2 * sensitivity * (log(cells) + log(1 / beta)) / epsilon


def check_positive(**settings: float) -> None:
    """Raise ParameterError unless all are finite and > 0."""
    for name, value in settings.items():
        if not 0 < value <= LARGEST:
            raise ParameterError(name, f"must be finite and > 0, got {shown(value)}.")
