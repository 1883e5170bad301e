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

Distances are guessed, and longer where a check fails. An end fails where its answer crosses empty range, which draws it
with a chance of about cells exp(-rate g) at a distance of g ranks. So g = (log(cells) - log(limit)) / rate, but that
levels are drawn together: `INNER`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import count, pairwise
from math import ceil, lcm, sqrt
from typing import NamedTuple

import numpy as np

from ..arrays import Floats
from ..domain.domain import Domain
from ..errors import Infeasible, ParameterError
from ..mechanisms.base import Parameters

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


MORE, INNER, OUTER, JOINT, SINGLY, MOST, ONE_DRAW, BY_RHO = 5.0, 0.55, 0.7, 0.9, 1.05, 1.15, 0.9, 1.15
"""Of guesses: further orders of e; for each order the standard errors of inner levels and of the outermost ones, and
the most ranks at rate 1, where all levels are one draw (which errs more than this part of `JointParameters`), each is
one from all records, or they are split; and by how much errors count more with rho: docs/intervals-measured.md."""
KNOWN, TOGETHER, MANY_LEVELS = 1.1, 1.1, 12
"""The same where n is known, so that AQ draws more at once, and where more levels than that have neighbours near."""
OUTERMOST = 2
"""Levels on either side, which need longer distances."""
LONGER, FAR, MOSTLY = 1.06, 1.2, 0.6
"""By so much distances grow after a failed check, and where intervals fail in more than `MOSTLY` of the runs."""
FEW, ALONE = 24, 2
"""Above this many levels, or after this many failed checks, all distances grow: few runs do not tell levels apart."""
FIRST = 8
"""Ranks: the shortest distance that is tried first, and where no rate tells how far answers err."""
HALVINGS = 5
"""How often the last step is halved where a theorem proves distances, down to one rank."""
NO_ROOM = (
    "must be left out here: with about this number of records the mechanism has no room for its levels. Choose a "
    "mechanism such as aq, or a larger budget."
)


def guessed(levels: Sequence[Fraction], orders: float, drawn: Parameters, times: float = 1.0) -> Floats:
    """Return about how far each level's ends have to be where all levels are `drawn` so, in whole ranks.

    `orders`: of e, by which failures have to be less likely; `times`: of errors, inf where levels are drawn singly.
    """
    rate = drawn.slowest_rate
    if not rate:
        return np.full(len(levels), float(FIRST))
    error, distinct = times * (drawn.standard_error or np.inf), sorted(set(levels))
    outer = {*distinct[:OUTERMOST], *distinct[-OUTERMOST:]}
    joint = error * rate > ONE_DRAW * times * sqrt((len(drawn.levels) + 2) / 3)
    most = (SINGLY if times == np.inf else JOINT if joint else MOST) / rate
    ranks = [min(error * (OUTER if level in outer else INNER), most) for level in levels]
    return np.asarray(np.floor((orders + MORE) * np.array(ranks)), dtype=np.float64)


def at_levels(levels: Sequence[Fraction], n: int, needed: float) -> Floats:
    """Return the shortest distance, at least `needed` ranks, at which even levels are one another's ends."""
    known = sorted({Fraction(0), Fraction(1), *levels})
    apart = min(after - before for before, after in pairwise(known)) * n
    return np.full(len(levels), float(apart * max(ceil(needed / apart), 1) // 1 - ROUNDING))


def checked(first: Floats, n: int, look: Callable[[Floats], Floats], limit: float) -> Floats:
    """Return distances at which no interval fails in more than `limit` of the runs: the first ones, or longer ones.

    `look` returns the share of runs in which each fails. From n on every end is a bound. Slices may have no room for
    their levels at some distance: then it is longer. Raises ParameterError (also Infeasible).
    """
    distances = np.clip(first, 1.0, n + 1.0)
    for before in count():
        try:
            shares = look(distances)
        except Infeasible as refused:
            refuse_without_room(refused, bool(distances.min() > n))
            shares = np.ones(distances.size)
        if (shares <= limit).all():
            break
        times = FAR if shares[shares > limit].mean() > MOSTLY else LONGER
        grows = (shares > limit) | (shares.size > FEW) | (before >= ALONE)
        longer = np.maximum(distances * times, distances + 1)
        distances = np.minimum(np.where(grows, longer, distances), n + 1.0)
    return distances


def shortest(is_enough: Callable[[float], bool], n: int, guess: float) -> float:
    """Return about the shortest distance that a theorem proves, in ranks: doubled until it is enough, then halved back.

    From n on every end is a bound. Slices may have no room for the levels at some distance: then it is not enough.
    Raises ParameterError (also Infeasible).
    """

    def is_long(distance: float) -> bool:
        try:
            return is_enough(distance)
        except Infeasible as refused:
            refuse_without_room(refused, distance > n)
            return False

    low, high = 0.0, max(guess, FIRST)
    while not is_long(high) and high <= n:
        low, high = high, 2 * high
    while high > FIRST and not low:
        low, high = (high / 2, high) if not is_long(high / 2) else (0.0, high / 2)
    finest = max((high - low) / 2**HALVINGS, 1.0)
    while high - low > finest:
        middle = (low + high) / 2
        low, high = (low, middle) if is_long(middle) else (middle, high)
    return high


def refuse_without_room(refused: Infeasible, everything: bool) -> None:
    """Raise what refused a distance, unless longer ones may have room: `everything` says that none has."""
    if refused.count is None:
        raise refused
    if everything:  # nothing was drawn from data, so nothing was charged
        raise ParameterError("intervals", NO_ROOM) from None
