"""The kernels of JointExp's recursion: what a step from one level to the next weighs, and sums over all steps.

K(d) = 2^(r min(d, 2 t - d)) for d records between two answers where t are wanted. It is two-sided geometric: a sum
over the steps to an interval is a running sum for d <= t, times a rising power, and one for d > t, times a falling one.
Several t are served at once, each in a row of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import pairwise
from math import floor

import numpy as np

from ...arrays import Flags, Integers
from .numbers import NOTHING, Ramp, Wide, in_rows, powers, product, running_sums, sums_both_ways


@dataclass(frozen=True, eq=False)
class Steps:
    """The kernels between two levels whose answers should lie t records apart, t = each of `wanted`, increasing.

    `ramp` grows and falls.
    """

    ramp: Ramp
    wanted: tuple[Fraction, ...]

    @cached_property
    def whole(self) -> Integers:
        """The whole records of each t."""
        return np.array([floor(each) for each in self.wanted])

    @cached_property
    def twice(self) -> Wide:
        """2^(2 rate t) for each t, as a column."""
        mantissas, exponents = zip(*(self.ramp.power(2 * each) for each in self.wanted), strict=True)
        return Wide(np.array(mantissas)[:, None], np.array(exponents, np.int64)[:, None])

    def weights(self, counts: Integers) -> Wide:
        """K(d) of counts d >= 0, (t, counts): 2^(rate d) up to t, 2^(rate (2 t - d)) beyond."""
        far = counts > self.whole[:, None]
        numbers = powers(self.ramp.rate, np.where(far, -counts, counts))
        return Wide.of(
            np.where(far, numbers.mantissa * self.twice.mantissa, numbers.mantissa),
            np.where(far, numbers.exponent + self.twice.exponent, numbers.exponent),
        )

    def sums(self, before: Wide, low: int, intervals: Integers) -> Wide:
        """For each t and interval k the sum over k' < k of before(k') K(k - k'), (t, intervals).

        `before` (t, intervals before) starts with interval `low`, intervals follow each other. With places counted
        from `low`: over k' < k - t, before(k') 2^(rate k'), all from one running sum over k'; and over
        k - t <= k' < k, before(k') 2^(-rate k'), from sums within blocks. A window is the end of one block, at most one
        whole block, and the beginning of the next, so that nothing is ever subtracted.
        """
        size, shift = before.mantissa.shape[1], int(intervals[0]) - low
        rising, falling = _factors(self, shift, intervals.size)
        last, groups = _parts_of_sums(self, size, shift, intervals.size)
        falls = product(before, self.ramp.down[:size])
        near = Wide.nothing((len(self.wanted), intervals.size))
        for group in groups:
            found = group.sums(falls[group.rows])
            near.mantissa[group.rows], near.exponent[group.rows] = found.mantissa, found.exponent
        beyond = last.of(running_sums(product(before, self.ramp.up[:size])))
        return product(beyond, falling) + product(near, rising)


def kernel(steps: Steps, first: int, size: int, least: int) -> Wide:
    """K(d) for d = first, first + 1, ..., and 0 below `least`, (t, size)."""
    counts = np.arange(first, first + size)
    numbers = steps.weights(np.maximum(counts, 0))
    numbers.mantissa[:, counts < least], numbers.exponent[:, counts < least] = 0, NOTHING
    return numbers


@lru_cache(maxsize=2)
def _factors(steps: Steps, shift: int, count: int) -> tuple[Wide, Wide]:
    """2^(rate k) and, for each t, 2^(rate (2 t - k)), for `count` places k from `shift` on."""
    ramp = steps.ramp
    rising = ramp.up[:count].times(*ramp.power(Fraction(shift)))
    return rising, product(ramp.down[:count].times(*ramp.power(Fraction(-shift))), steps.twice)


@dataclass(frozen=True)
class _Part:
    """Which one of many sums belongs to each t and place, and whether any does: 1 or 0."""

    places: Integers
    there: Wide

    @classmethod
    def where(cls, there: Flags, places: Integers, stride: int) -> _Part:
        """`places` within the sums of one t, of which there are `stride`."""
        rows = np.arange(there.shape[0])[:, None]
        return cls(np.where(there, places, 0) + rows * stride, Wide.of(there.astype(np.float64), 0))

    def of(self, sums: Wide) -> Wide:
        return product(sums.take(self.places), self.there)


@dataclass(frozen=True)
class _Near:
    """For t of one binary order: the blocks, and which end, whole block and beginning of blocks make up a window."""

    rows: slice
    width: int
    end: _Part
    between: _Part | None
    beginning: _Part

    @classmethod
    def of_order(cls, rows: slice, whole: Integers, places: Integers, size: int) -> _Near:
        """For the t whose whole records are `whole`; the least of them is the width of a block."""
        width = max(min(int(whole.min()), size), 1)
        stride = -(-size // width) * width
        first, last = places - whole[:, None], np.minimum(places - 1, size - 1)
        valid = (last >= 0) & (first <= last)
        (start_row, start), (end_row, end) = (np.divmod(np.clip(x, 0, size - 1), width) for x in (first, last))
        from_start = valid & ((start > 0) | (end_row > start_row))
        between = from_start & (end_row == start_row + 2)
        return cls(
            rows,
            width,
            _Part.where(from_start, start_row * width + (width - 1 - start), stride),
            _Part.where(between, start_row * width + 2 * width - 1, stride) if between.any() else None,
            _Part.where(valid & ~(from_start & (start_row == end_row)), end_row * width + end, stride),
        )

    def sums(self, terms: Wide) -> Wide:
        """The sums over the windows, of terms (t, places)."""
        beginnings, endings = sums_both_ways(in_rows(terms, self.width))
        found = self.end.of(endings) + self.beginning.of(beginnings)
        return found if self.between is None else found + self.between.of(beginnings)


@lru_cache(maxsize=8)
def _parts_of_sums(steps: Steps, size: int, shift: int, count: int) -> tuple[_Part, list[_Near]]:
    """What is summed for each t and each of `count` places from `shift` on, out of places 0..size-1.

    The whole records of t before a place are near, all places before those are beyond. From public numbers and n; equal
    for many levels of a plan.
    """
    places = np.arange(shift, shift + count)
    beyond = np.minimum(places - steps.whole[:, None], size) - 1
    orders = [int(each).bit_length() for each in np.minimum(steps.whole, size)]
    cuts = [0, *(np.flatnonzero(np.diff(orders)) + 1).tolist(), len(orders)]
    near = [_Near.of_order(slice(first, end), steps.whole[first:end], places, size) for first, end in pairwise(cuts)]
    return _Part.where(beyond >= 0, beyond, size), near
