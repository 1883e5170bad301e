"""The kernels of JointExp's recursion: what a step from one level to the next weighs, and sums over all steps.

K(d) = 2^(r min(d, 2 t - d)) for d records between two answers where t are wanted. It is two-sided geometric: a sum
over the steps to a gap is a running sum for d <= t, times a rising power, and one for d > t, times a falling one.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import floor

import numpy as np

from ...arrays import Flags, Integers
from .numbers import NOTHING, Ramp, Wide, in_rows, powers, product, running_sums, sums_both_ways


@dataclass(frozen=True, eq=False)
class Steps:
    """The kernel between two levels whose answers should lie t = `wanted` records apart. `ramp` grows and falls."""

    ramp: Ramp
    wanted: Fraction

    @cached_property
    def whole(self) -> int:
        """The whole records of t."""
        return floor(self.wanted)

    def weights(self, counts: Integers) -> Wide:
        """K(d) of counts d >= 0: 2^(rate d) up to t, 2^(rate (2 t - d)) beyond."""
        far = counts > self.whole
        numbers = powers(self.ramp.rate, np.where(far, -counts, counts))
        mantissa, exponent = self.ramp.power(2 * self.wanted)
        return Wide.of(
            np.where(far, numbers.mantissa * mantissa, numbers.mantissa),
            np.where(far, numbers.exponent + exponent, numbers.exponent),
        )

    def sums(self, before: Wide, low: int, gaps: Integers) -> Wide:
        """For each gap k the sum over k' < k of before(k') K(k - k'); `before` starts with gap `low`, gaps follow.

        With places counted from `low`: over k' < k - t, before(k') 2^(rate k'), all from one running sum over k'; and
        over k - t <= k' < k, before(k') 2^(-rate k'), from sums within blocks as long as this window. A window is the
        end of one block and the beginning of the next, so that nothing is ever subtracted.
        """
        size, shift = before.mantissa.size, int(gaps[0]) - low
        start, end, last = _parts_of_sums(self.whole, size, shift, gaps.size)
        rising, falling = _factors(self, shift)
        rows = in_rows(product(before, self.ramp.down[:size]), max(min(self.whole, size), 1))
        beginnings, endings = sums_both_ways(rows)
        near = start.of(endings) + end.of(beginnings)
        beyond = last.of(running_sums(product(before, self.ramp.up[:size])))
        return product(beyond, falling[: gaps.size]) + product(near, rising[: gaps.size])


@lru_cache(maxsize=2)
def kernel(steps: Steps, size: int, least: int) -> Wide:
    """K(d) for d = 0..size-1, and 0 below `least`, which is 0 or 1; equal for most levels of a plan."""
    numbers = steps.weights(np.arange(size))
    numbers.mantissa[:least], numbers.exponent[:least] = 0, NOTHING
    return numbers


@lru_cache(maxsize=2)
def _factors(steps: Steps, shift: int) -> tuple[Wide, Wide]:
    """2^(rate k) and 2^(rate (2 t - k)) for k = shift, shift + 1, ..."""
    ramp = steps.ramp
    return ramp.up.times(*ramp.power(Fraction(shift))), ramp.down.times(*ramp.power(2 * steps.wanted - shift))


@dataclass(frozen=True)
class _Part:
    """Which one of many sums belongs to each gap, and whether any does: 1 or 0."""

    places: Integers
    there: Wide

    @classmethod
    def where(cls, there: Flags, places: Integers) -> _Part:
        return cls(places, Wide.of(there.astype(np.float64), 0))

    def of(self, sums: Wide) -> Wide:
        return product(sums.take(self.places), self.there)


@lru_cache(maxsize=8)
def _parts_of_sums(whole: int, size: int, shift: int, count: int) -> tuple[_Part, _Part, _Part]:
    """What is summed for each of `count` places from `shift` on, out of places 0..size-1; `whole` is that of t.

    The `whole` places before it are the end of a block, summed backwards, and the beginning of a block; all places
    before those are the third part. From public numbers and n; equal for most levels of a plan.
    """
    width, places = max(min(whole, size), 1), np.arange(shift, shift + count)
    first, last, beyond = places - whole, np.minimum(places - 1, size - 1), np.minimum(places - whole, size) - 1
    valid = (last >= 0) & (first <= last)
    (start_row, start), (end_row, end) = (np.divmod(np.clip(x, 0, size - 1), width) for x in (first, last))
    from_start = valid & (start > 0)
    return (
        _Part.where(from_start, start_row * width + (width - 1 - start)),
        _Part.where(valid & ~(from_start & (start_row == end_row)), end_row * width + end),
        _Part.where(beyond >= 0, np.maximum(beyond, 0)),
    )
