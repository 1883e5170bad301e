"""How far the ranks of answers are from what is wanted, for any total: exactly, and of many tuples in floats."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import lcm

import numpy as np

from ...arrays import Floats, Integers


def proportions_of(levels: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    """Return the proportions of the records wanted before, between and after the answers; they sum to 1."""
    return tuple(after - before for before, after in pairwise([Fraction(0), *levels, Fraction(1)]))


def in_common_unit(proportions: tuple[Fraction, ...]) -> tuple[list[int], int]:
    """Return proportions as whole multiples of one unit, and how many units make 1: sums of integers are quick."""
    whole = lcm(*(proportion.denominator for proportion in proportions))
    return [proportion.numerator * (whole // proportion.denominator) for proportion in proportions], whole


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


def distance_of(ranks: list[int], levels: tuple[Fraction, ...], count: int) -> Fraction:
    """Return minus JointExp's score of answers with these ranks: their distance from the number of records."""
    return distance(counts_of(ranks, count), proportions_of(levels), Fraction(count))


def counts_between(ranks: Integers, count: int | Integers) -> Integers:
    """Return `counts_of` of many tuples: of ranks (rows, levels) among `count` records, or (rows, 1) of them."""
    return np.diff(ranks, axis=1, prepend=0, append=count)


def distances(counts: Integers, proportions: Floats, totals: Floats) -> Floats:
    """Return the distance of many tuples (rows, parts) from a total each, or from one, up to the rounding of floats."""
    return np.asarray(np.abs(counts - proportions * totals[:, None]).sum(axis=1), dtype=np.float64)
