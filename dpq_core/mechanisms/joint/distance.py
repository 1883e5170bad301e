"""How far the ranks of answers are from what is wanted, for any total: exactly, and of many tuples in floats.

And JointExp's law by sums over all pairs of intervals between records: for audits of columns of any domain.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import lcm
from typing import TypeAlias

import numpy as np

from ...arrays import Floats, Integers, SortedCells
from ...people.shares import WeightedCells


def proportions_of(levels: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    """Return the proportions of the records wanted before, between and after the answers; they sum to 1."""
    return tuple(after - before for before, after in pairwise([Fraction(0), *levels, Fraction(1)]))


def plain_proportions(levels: tuple[Fraction, ...]) -> Floats:
    """Return `proportions_of` these levels as floats, (levels + 1,)."""
    return np.array([float(proportion) for proportion in proportions_of(levels)])


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


def intervals_of(cells: SortedCells, grid: int) -> tuple[Integers, Integers]:
    """Return the last cell before each interval, and that of the grid; and the ranks of the intervals, in units."""
    if isinstance(cells, WeightedCells):
        records, ranks = cells.masses
    else:
        records = cells if isinstance(cells, np.ndarray) else cells[np.arange(cells.size)]
        ranks = np.arange(records.size + 1)
    return np.concatenate([[-1], records, [grid - 1]]), ranks


Intervals: TypeAlias = tuple[Integers, Integers]
"""Of intervals that have cells their ranks, increasing; the last cell before each of them, and that of the grid."""


def few_intervals(cells: SortedCells, grid: int, most: int) -> Intervals | None:
    """Return all intervals that have cells where there are at most `most` of them, else None. O(most log n)."""
    count = int(cells.size)
    if np.count_nonzero(np.diff(cells[np.arange(0, count, count // (4 * most + 4) + 1)])) > most:
        return None
    ranks, before = [0], [-1]
    while ranks[-1] < count and len(ranks) <= most:
        before += cells[np.array([ranks[-1]])].tolist()
        ranks += cells.searchsorted(np.array([before[-1] + 1])).tolist()
    if before[-1] == grid - 1:
        ranks.pop()
    else:
        before.append(grid - 1)
    return (np.array(ranks), np.array(before)) if len(ranks) <= most else None


def log_law_of(outputs: Integers, cells: SortedCells, grid: int, proportions: Floats, rate: float) -> Floats:
    """Return log probabilities of non-decreasing outputs (outputs, levels); `rate`: for a rank."""
    edges, ranks = intervals_of(cells, grid)
    there = np.diff(edges) > 0
    lengths, ranks = np.diff(edges)[there].astype(np.float64), ranks[there].astype(np.float64)
    wanted, levels, count = proportions * cells.size, len(proportions) - 1, int(cells.size)
    more = np.arange(levels)[:, None]
    ways = np.cumsum(np.log(lengths + more) - np.log(more + 1.0), axis=0)
    steps, later = ranks[:, None] - ranks, np.tri(ranks.size, k=-1, dtype=bool)
    starts, ends = [-rate * np.abs(ranks - wanted[0])], np.empty(0)
    for column in range(levels):
        if column:
            logs = np.where(later, ends - rate * np.abs(steps - wanted[column]), -np.inf)
            starts.append(np.logaddexp.reduce(logs, axis=1))
        stays = rate * np.cumsum(np.append(0.0, wanted[column:0:-1]))
        runs = [ways[back] - stays[back] + starts[column - back] for back in range(column + 1)]
        ends = np.logaddexp.reduce(np.array(runs), axis=0)
    total = np.logaddexp.reduce(ends - rate * np.abs(count - ranks - wanted[-1]))
    ranks_of_outputs = np.asarray(cells.searchsorted(outputs), dtype=np.int64)
    between = counts_between(ranks_of_outputs, count)
    return np.asarray(-rate * np.abs(between - wanted).sum(axis=1) - total, dtype=np.float64)
