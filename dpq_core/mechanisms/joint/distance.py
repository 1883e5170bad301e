"""How far the ranks of answers are from what is wanted, for any total: exactly, and of many tuples in floats."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, pairwise
from math import lcm

import numpy as np

from ...arrays import Floats, Integers

MOST_KEPT = 256
"""Lists of levels, which are public, whose proportions are remembered: all those of a recursion."""


@lru_cache(maxsize=MOST_KEPT)
def proportions_of(levels: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    """Return the proportions of the records wanted before, between and after the answers; they sum to 1."""
    return tuple(after - before for before, after in pairwise([Fraction(0), *levels, Fraction(1)]))


def plain_proportions(levels: tuple[Fraction, ...]) -> Floats:
    """Return `proportions_of` these levels as floats, (levels + 1,)."""
    return np.array([float(proportion) for proportion in proportions_of(levels)])


@lru_cache(maxsize=MOST_KEPT)
def in_common_unit(proportions: tuple[Fraction, ...]) -> tuple[tuple[int, ...], int]:
    """Return proportions as whole multiples of one unit, and how many units make 1: sums of integers are quick."""
    whole = lcm(*(proportion.denominator for proportion in proportions))
    return tuple(proportion.numerator * (whole // proportion.denominator) for proportion in proportions), whole


def counts_of(ranks: list[int], count: int) -> list[int]:
    """Return the records before, between and after answers with these ranks."""
    return [after - before for before, after in pairwise([0, *ranks, count])]


def distance(counts: Sequence[int], proportions: tuple[Fraction, ...], total: Fraction) -> Fraction:
    """Return the sum over all parts of |records there - records wanted of this total|."""
    units, whole = in_common_unit(proportions)
    record = whole * total.denominator
    return Fraction(
        sum(abs(have * record - unit * total.numerator) for have, unit in zip(counts, units, strict=True)), record
    )


def counts_between(ranks: Integers, count: int | Integers) -> Integers:
    """Return `counts_of` of many tuples: of ranks (rows, levels) among `count` records, or (rows, 1) of them."""
    return np.diff(ranks, axis=1, prepend=0, append=count)


def distances(counts: Integers, proportions: Floats, totals: Floats) -> Floats:
    """Return the distance of many tuples (rows, parts) from a total each, or from one, up to the rounding of floats."""
    return np.asarray(np.abs(counts - proportions * totals[:, None]).sum(axis=1), dtype=np.float64)


def best_total(counts: list[int], proportions: tuple[Fraction, ...]) -> Fraction:
    """The best total nearest to n, exactly."""
    units, whole = in_common_unit(proportions)
    common = lcm(*(unit for unit in units if unit))
    ratios = sorted((have * (common // unit), unit) for have, unit in zip(counts, units, strict=True) if unit)
    below = list(accumulate(unit for _, unit in ratios))
    places = bisect_left(below, (whole + 1) // 2), bisect_right(below, whole // 2)
    lowest, highest = (ratios[place][0] * whole for place in places)
    return Fraction(min(max(sum(counts) * common, lowest), highest), common)


def best_totals(counts: Integers, proportions: Floats) -> Floats:
    """The best totals of many tuples (rows, parts), nearest to n, up to the rounding of floats.

    `proportions` are those of all rows, (parts,), or of each.
    """
    proportions = np.broadcast_to(proportions, counts.shape)
    ratios = np.full(counts.shape, np.inf)
    np.divide(counts, proportions, out=ratios, where=proportions > 0)
    order = np.argsort(ratios, axis=1)
    ratios, below = (np.take_along_axis(each, order, axis=1) for each in (ratios, proportions))
    below = np.cumsum(below, axis=1)
    lowest, highest = ((below >= half).argmax(axis=1)[:, None] for half in (0.5 - 1e-12, 0.5 + 1e-12))
    ends = (np.take_along_axis(ratios, place, axis=1)[:, 0] for place in (lowest, highest))
    return np.clip(counts.sum(axis=1), *ends)


def missed(ranks: list[int], count: int, levels: tuple[Fraction, ...], free: bool) -> tuple[Fraction, Fraction]:
    """Return the total that answers with these ranks are compared with, and their distance from it.

    The number of ranks, or where the total is `free`, the best one.
    """
    counts, proportions = counts_of(ranks, count), proportions_of(levels)
    total = best_total(counts, proportions) if free else Fraction(count)
    return total, distance(counts, proportions, total)


def all_missed(ranks: Integers, count: int, levels: tuple[Fraction, ...], free: bool) -> tuple[Floats, Floats]:
    """Return the same of many tuples (rows, levels), (rows,) each, up to the rounding of floats."""
    counts, proportions = counts_between(ranks, count), plain_proportions(levels)
    totals = best_totals(counts, proportions) if free else np.full(len(ranks), float(count))
    return totals, distances(counts, proportions, totals)
