"""Scales on which a live picture stands still: they change in few steps, when marks would leave them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count

from .axes import Range, Steps, around, body_of

NARROW_ENOUGH = 3.0
"""The scale runs from bound to bound where that is at most so many times as wide as the body of the data."""
EDGE = 0.03
"""Of a scale, beyond its ends."""
STEPS = (1, 2, 5)
"""Of the ends of a scale of rank errors, in each power of ten."""
SMALLEST_REACH = 5
"""Records to either side that the scale of rank errors shows at least."""
SHRINKS_BELOW = 1 / 20
"""A scale of rank errors becomes smaller where the farthest mark is nearer to 0 than this share of it."""


def reach_of(errors: Sequence[float], before: int | None = None, *, may_shrink: bool = True) -> int:
    """Return where a scale of rank errors ends on either side, in records: 5, 10, 20, 50, 100, ...

    `before`: the end of the scale that is shown now, which stays as long as all errors fit and are not all tiny on it;
    `may_shrink`: whether it may become smaller at all.
    """
    farthest = max(map(abs, errors), default=0.0)
    if before is not None and farthest <= before and not (may_shrink and farthest < SHRINKS_BELOW * before):
        return before
    return next(end for end in _ends() if end >= farthest)


def _ends() -> Iterator[int]:
    return (step * 10**power for power in count() for step in STEPS if step * 10**power >= SMALLEST_REACH)


def value_range(true: Sequence[float], private: Sequence[float], distribution: Steps, bounds: Range) -> Range | None:
    """Return the ends of the value axis of a live picture; None where they cannot be told.

    `distribution`: the true one; `bounds`: the least and the largest value that there can be. The axis runs from bound
    to bound, or around the true quantiles where the bounds are far away; then it doubles until the private quantiles
    are on it. So it is the same for most budgets.
    """
    base, body, (lowest, highest) = around(true, distribution[0]), body_of(distribution), bounds
    if base is None:
        return None
    low, high = max(base[0], lowest), min(base[1], highest)
    if body and highest - lowest <= NARROW_ENOUGH * (max(body) - min(body)):
        low, high = bounds
    while private and (min(private) < low or max(private) > high):
        width = high - low
        low = max(low - width, lowest) if min(private) < low else low
        high = min(high + width, highest) if max(private) > high else high
    edge = EDGE * (high - low)
    return low - edge, high + edge
