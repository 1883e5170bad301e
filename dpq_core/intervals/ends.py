"""The levels at the ends of intervals: so far out that an answer's error does not bring them back across the quantile.

Let answers err by at most e ranks, and q' = q - g with g n >= e + 2. The value v at q' has #{x < v} <= floor(q' n) + e
<= q n - 2 < floor(q n), so that v is at most the record of that rank; likewise on the upper side. More records than n
only widen the distance. Where q - g is below 0, or q + g above 1, the end is the bound of the domain, which no
quantile passes.

Shares. Where all rows of a person weigh 1 together, ranks are sums of weights and n is the number of persons; of a
group it is what all weights there add up to. Ranks are fractions then. What is simulated are sums of weights
(`errors`). A theorem's e is that of records of which none share a cell: it takes it that some rank within 1 of the
target has a cell, which holds of rows that weigh at most 1. Targets are rounded down to a unit and not to a whole
record, so that #{x < v} <= q' n + e <= q n - 2 as above.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import lcm
from typing import NamedTuple

import numpy as np

from ..arrays import Floats
from ..domain.domain import Domain

ROUNDING = 2
"""Records: ranks are rounded down to whole ones, and one is for the strict sign."""
NEAR = 4
"""A level that is drawn anyway serves as an end if it is farther out by no more than this part of the distance."""


def of_values(intervals: Floats, domain: Domain) -> Floats:
    """Return intervals (..., 2) for values as they are, of such for values rounded down to the grid.

    Records are rounded down, so a low end holds for both. A high one moves to the end of its grid value; at the last
    one it is the upper bound, beyond which values count as it.
    """
    highs = domain.ends(domain.encode(intervals[..., 1]))
    return np.stack([intervals[..., 0], highs], axis=-1)


def as_pairs(intervals: Iterable[Sequence[float]]) -> tuple[tuple[float, float], ...]:
    """Return intervals as plain pairs of low and high."""
    return tuple((low, high) for low, high in intervals)


class Ends(NamedTuple):
    """The levels at the ends of one interval; None where that end is the bound of the domain."""

    low: Fraction | None
    high: Fraction | None


def ends_of(levels: Sequence[Fraction], distances: Sequence[Fraction]) -> tuple[Ends, ...]:
    """Return the ends of the interval of each level, at its distance or a little farther out; levels that meet merge.

    O(m log m) comparisons, of whole numbers.
    """
    one = NEAR * lcm(*(each.denominator for each in (*levels, *distances)))
    known, by = ([int(each * one) for each in some] for some in (levels, distances))
    highs = _outward(known, [level + apart for level, apart in zip(known, by, strict=True)], by, one)
    drawn = [*known, *(high for high in highs if high is not None)]
    mirrored = _outward(
        [one - level for level in drawn], [one - level + apart for level, apart in zip(known, by, strict=True)], by, one
    )
    return tuple(
        Ends(None if low is None else 1 - Fraction(low, one), None if high is None else Fraction(high, one))
        for low, high in zip(mirrored, highs, strict=True)
    )


def _outward(known: Sequence[int], wanted: Sequence[int], by: Sequence[int], one: int) -> list[int | None]:
    """Return for each wanted upper end the first level at or shortly above it that is drawn anyway, or itself.

    All are multiples of 1 / `one`.
    """
    drawn = sorted(set(known))
    found: list[int | None] = [None] * len(wanted)
    for place in sorted(range(len(wanted)), key=lambda place: wanted[place], reverse=True):
        end = wanted[place]
        if end >= one:
            continue
        first = bisect_left(drawn, end)
        near = first < len(drawn) and drawn[first] <= end + by[place] // NEAR
        found[place] = drawn[first] if near else end
        if not near:
            drawn.insert(first, end)
    return found
