"""The levels at the ends of intervals: so far out that an answer's error does not bring them back across the quantile.

Let answers err by at most e ranks, and q' = q - g with g n >= e + 2. The value v at q' has #{x < v} <= floor(q' n) + e
<= q n - 2 < floor(q n), so that v is at most the record of that rank; likewise on the upper side. More records than n
only widen the distance. Where q - g is below 0, or q + g above 1, the end is the bound of the domain, which no
quantile passes.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ..arrays import Floats
from ..domain import Domain

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


class Ends(NamedTuple):
    """The levels at the ends of one interval; None where that end is the bound of the domain."""

    low: Fraction | None
    high: Fraction | None


def ends_of(levels: Sequence[Fraction], distances: Sequence[Fraction]) -> tuple[Ends, ...]:
    """Return the ends of the interval of each level, at its distance or a little farther out; levels that meet merge.

    O(m^2) where nothing merges.
    """
    highs = _outward(levels, [level + by for level, by in zip(levels, distances, strict=True)], distances)
    known = [*levels, *(high for high in highs if high is not None)]
    mirrored = _outward(
        [1 - level for level in known], [1 - level + by for level, by in zip(levels, distances, strict=True)], distances
    )
    lows = [None if low is None else 1 - low for low in mirrored]
    return tuple(map(Ends, lows, highs))


def _outward(known: Sequence[Fraction], wanted: Sequence[Fraction], by: Sequence[Fraction]) -> list[Fraction | None]:
    """Return for each wanted upper end the first level at or shortly above it that is drawn anyway, or itself."""
    drawn = sorted(set(known))
    found: list[Fraction | None] = [None] * len(wanted)
    for place in sorted(range(len(wanted)), key=lambda place: wanted[place], reverse=True):
        end = wanted[place]
        if end >= 1:
            continue
        near = next((level for level in drawn if end <= level <= end + by[place] / NEAR), None)
        found[place] = end if near is None else near
        if near is None:
            drawn.insert(sum(level < end for level in drawn), end)
    return found
