"""The output distribution of the exponential mechanism for one quantile: targets, ranges, weights.

`error_of_one_draw` bounds the rank error of one draw.

Whole values (`Target.signed`). A draw that splits records needs their slots, since all records of one index go to the
same side. A draw with nothing below it answers a value, and knows more of it: with a records below a value, b at or
below it, target t,
    s = max(a - t, t - b).
Above 0 that is the rank error. Where t lies among equal records, s is minus the number of records that would have to
join or leave until the value is no longer right, so a value of many records stands out however fine the grid is. A
slot is drawn with the weight exp(-rate * s) of its value, for any low bits: bits that break ties do not
count here.

Claim of these. As for |a - t| (`exponential.sampling`), with the same rates. Both a - t and t - b are linear in the
numbers of records below, at and above the value. A record that joins moves each of them by q or by 1 - q, where t = q
n; one that is replaced, with t fixed, by at most 1. So their maximum moves by at most max(q, 1 - q), or 1. For the
levels 0 and 1 it is a, or n - b, which a record moves one way, by 0 or 1. A draw with nothing below it costs what it
costs in the worst part, which is all that `aq.recursion.claim` counts for it. Of persons whose rows weigh 1 together:
both are linear in their masses below, at and above the value, so their maximum moves no farther either.

Of a value of which a range has only some slots, these and the range's own records are counted; the records of a
range lie in it.

Their sampler. Values with b <= t lie left of all others, with the score t - b; those with a >= t lie right of them,
with the score a - t; one value at most is between them, with a < t < b. So the blocks of `exponential.sampling` lead
outwards from the target, by b on the left and by a on the right, and that one value is a block of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import log
from typing import NewType

import numpy as np

from ...arrays import Cells, Floats, Integers, Segments
from ...domain.measure import EVERY_INDEX, BaseMeasure
from ...people.shares import unit_of

RATE_BITS = 64
"""Bits of a rate: arithmetic with short fractions is quick."""
Rate = NewType("Rate", Fraction)
"""The exponent of a draw per record of distance; only what is calibrated makes one."""
SMALL_DENOMINATOR = 2**31
"""Up to here targets are split by arrays of integers, since the square fits into one."""
LEAST_REST = 2.0**-1022
"""A rest above 0 stays so: the ranks on both sides of a target follow from that."""
WIDEST_BLOCK = 2**40


@dataclass(frozen=True)
class Target:
    """The target of one draw, public: levels of the records in its range, and the exponent per record of distance."""

    levels: tuple[Fraction, ...]
    """One, or several that are drawn together (`freetotal`), at a rate up to `joint.draws.LARGEST_RATE`."""
    rate: Rate
    floored: bool = False
    signed: bool = False
    """Whether whole values are drawn, and the score is below 0 within equal records : nothing lies below it."""

    @property
    def level(self) -> Fraction:
        """Return the only level."""
        (level,) = self.levels
        return level

    def times(self, factor: Fraction) -> Target:
        """Return the same target with another rate: for audits of broken mechanisms."""
        return replace(self, rate=Rate(self.rate * factor))

    @cached_property
    def rate_as_float(self) -> float:
        """Return the rate for the fast sampler."""
        return float(self.rate)

    @cached_property
    def block_width(self) -> int:
        """Return how many intervals are proposed as one: within a block the weight falls by e^(1/2) at most."""
        return min(max(int(Fraction(1, 2) / self.rate), 1), WIDEST_BLOCK)

    def ranks(self, count: int) -> list[Fraction]:
        """Return the target ranks among `count` records."""
        return [Fraction(int(level * count)) if self.floored else level * count for level in self.levels]


@dataclass(frozen=True)
class Ranges:
    """The ranges of draws, arrays (trials, draws): record positions [start, end), slots low..high."""

    start: Integers
    end: Integers
    low: Integers
    high: Integers
    values: BaseMeasure = field(default=EVERY_INDEX, kw_only=True)
    """Which slots belong to which value, for draws of whole values. Without it, each is a value."""

    @classmethod
    def whole(cls, count: int, cells: int, shape: tuple[int, ...], values: BaseMeasure = EVERY_INDEX) -> Ranges:
        """Return ranges of all records and all slots."""
        return cls(*(np.full(shape, value, np.int64) for value in (0, count, 0, cells - 1)), values=values)

    @property
    def counts(self) -> Integers:
        """Return the number of records in each range."""
        return self.end - self.start

    @property
    def standing(self) -> Ranges:
        """Return ranges of shape (rows,) as (rows, 1), beside any number of draws."""
        return self._each(lambda x: x[:, None])

    def column(self, index: int) -> Ranges:
        """Return the ranges of one draw in all trials, shape (trials,)."""
        return self._each(lambda x: x[:, index])

    def flat(self, rows: Integers | slice = slice(None)) -> Ranges:
        """Return all ranges, or some of them, one after the other: shape (rows,)."""
        return self._each(lambda x: x.reshape(-1)[rows])

    def repeated(self, copies: int) -> Ranges:
        """Return the ranges of all trials, each `copies` times, (copies x trials, draws)."""
        return self._each(lambda x: np.tile(x, (copies, 1)))

    def _each(self, changed: Callable[[Integers], Integers]) -> Ranges:
        return Ranges(*(changed(x) for x in (self.start, self.end, self.low, self.high)), values=self.values)


def rounded_rate(rate: Fraction) -> Rate:
    """Return a rate > 0 rounded down to `RATE_BITS` significant bits, for a guarantee that is made with `rate`."""
    bits = RATE_BITS - rate.numerator.bit_length() + rate.denominator.bit_length()
    return Rate(Fraction(int(rate * Fraction(2) ** bits)) / Fraction(2) ** bits)


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


def per_unit(target_levels: tuple[Target, ...], cells: Cells) -> tuple[Target, ...]:
    """Return the targets with rates for one unit of rank among these cells; the same ones unless rows are weighted.

    A person who weighs w units moves a score in units by w times what a record moves it, at most UNIT times as much.
    """
    unit = unit_of(cells)
    return target_levels if unit == 1 else tuple(each.times(Fraction(1, unit)) for each in target_levels)


def split_targets(
    counts: Integers, target_levels: tuple[Target, ...], targets: Integers | None = None
) -> tuple[Integers, Floats]:
    """Return targets among `counts` (trials, draws) as whole ranks, exactly, and rests: 0 only where they are.

    Explicit `targets` are whole; beyond 0..count they are at the nearer end.
    """
    if targets is not None:
        return np.clip(targets, 0, counts), np.zeros(counts.shape)
    levels = [target_level.level for target_level in target_levels]
    if all(level.denominator <= SMALL_DENOMINATOR for level in levels):
        over, under = np.array([level.as_integer_ratio() for level in levels], np.int64).reshape(-1, 2).T
        times, more = np.divmod(counts, under)  # count = times under + more, so that no product is above under^2
        whole, left = np.divmod(more * over, under)
        whole, rest = whole + times * over, left / under
    else:
        split = [divmod(count * level, 1) for row in counts.tolist() for count, level in zip(row, levels, strict=True)]
        whole = np.array([ranks for ranks, _ in split], np.int64).reshape(counts.shape)
        rest = np.array([max(float(rest), LEAST_REST) if rest else 0.0 for _, rest in split]).reshape(counts.shape)
    return whole, np.where([target_level.floored for target_level in target_levels], 0.0, rest)


def left_edges(cells: Cells, partitions: Ranges, intervals: Integers) -> Integers:
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


def edges_at(partitions: Ranges, at: Integers, edges: Integers) -> Integers:
    """Return edges that belong to the records at positions (rows, some), kept within low - 1 .. high.

    One before the first record of its range is low - 1, one behind the last is high.
    """
    low, high = partitions.low[:, None] - 1, partitions.high[:, None]
    inside = np.where(at >= partitions.end[:, None], high, np.clip(edges, low, high))
    return np.asarray(np.where(at < partitions.start[:, None], low, inside), dtype=np.int64)


def count_below(cells: Cells, partitions: Ranges, chosen: Integers) -> Integers:
    """Return how many records of each range lie below its drawn index; same shape."""
    if isinstance(cells, Segments):
        below = cells.searchsorted_within(chosen, partitions.start, partitions.end)
    else:
        below = np.clip(cells.searchsorted(chosen), partitions.start, partitions.end)
    return np.asarray(below - partitions.start, dtype=np.int64)


def error_of_one_draw(cells: int, epsilon: float, beta: float, threshold: int = 1) -> float:
    """Return the rank error that one draw exceeds with probability beta: Lemma A.1 of Kaplan et al., ICML 2022.

    It takes it that no two records share one of the `cells` of the output space. From a sketch, whose `threshold` E
    (`sketches.merge_threshold`) is then the sensitivity: after Theorem 4.11 of Alabi et al. 2022.
    """
    return threshold - 1 + 2 * threshold * (log(cells) + log(1 / beta)) / epsilon


def edges_around(cells: Cells, partitions: Ranges, left: Integers, right: Integers) -> Integers:
    """Return the last index before each block, and of the range, around the values that hold the targets (rows,).

    `left` and `right` (rows, blocks + 1) are the ranks at which blocks begin, rising: of values with at most as many
    records at or below them, and of values with at least as many below them. One edge more than blocks: an open one,
    those on the left, the value around the target, which may be empty, those on the right, an open one.
    """
    low, high = partitions.low[:, None] - 1, partitions.high[:, None]
    beyond = ends_of_records(cells, partitions, right)
    before = np.minimum(ends_with_at_most(cells, partitions, left), beyond[:, :1])
    return np.hstack([low, before, beyond, high])


def ends_of_records(cells: Cells, partitions: Ranges, ranks: Integers) -> Integers:
    """Return the last index of the value of each rank (rows, some), 1 the first record of a range.

    Before the first record it is the one before the range, and after the last one that of the range.
    """
    at = partitions.start[:, None] + ranks - 1
    return edges_at(partitions, at, partitions.values.around(records_at(cells, at))[1] - 1)


def ends_with_at_most(cells: Cells, partitions: Ranges, ranks: Integers) -> Integers:
    """Return the last index with this many records of its range at its value or below it, at most; (rows, some)."""
    at = partitions.start[:, None] + ranks
    return edges_at(partitions, at, partitions.values.around(records_at(cells, at))[0] - 1)


def ranks_around(cells: Cells, partitions: Ranges, middle: Integers) -> tuple[Integers, Integers]:
    """Return how many records lie below the values of these indices (rows,), and how many at them or below."""
    first, behind = partitions.values.around(middle)
    return count_below(cells, partitions, first), count_below(cells, partitions, behind)


def scores(cells: Cells, partitions: Ranges, chosen: Integers, whole: Integers, rest: Floats) -> Floats:
    """Return the scores of the values of indices, for targets whole + rest; all (rows,)."""
    below, at_most = ranks_around(cells, partitions, chosen)
    return np.maximum((below - whole) - rest, (whole - at_most) + rest)
