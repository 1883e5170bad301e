"""All paths through the intervals between few distinct records, with their weights: the law by enumeration.

Where records are many times tied, the best total of a tuple can be anything in a wide range, and proposals of a total
would rarely fit (`proposals`); but then there are few intervals with any cells, and few paths through them.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement
from math import comb

import numpy as np

from ...arrays import Integers
from ...noise.entropy import Entropy
from ...people.shares import WeightedCells, unit_of
from ...sample import SortedCells
from ..joint.numbers import RATE_BITS, Wide, power
from ..joint.recursion import counts_of, distance, proportions_of
from ..joint.sampling import choose, multisets
from .totals import best_total

MOST_PATHS = 1000
_SOME = 4 * MOST_PATHS
"""The number of records that are compared first: if they differ, the others need no look."""
_LEAST_PART = 256
"""Of very many records a part is looked at before all: to read a record of a counted value makes the bits of all."""


def _edges(cells: Integers, grid: int) -> Integers:
    """The last cell before each interval, and that of the grid."""
    return np.concatenate([[-1], cells, [grid - 1]])


def _records(cells: SortedCells) -> tuple[Integers, Integers]:
    """The records, and their ranks in units, with that of the end: weighted rows represent many units each."""
    if isinstance(cells, WeightedCells):
        return cells.masses
    records = cells if isinstance(cells, np.ndarray) else cells[np.arange(cells.size)]
    return records, np.arange(records.size + 1)


def can_be_enumerated(cells: SortedCells, grid: int, levels: tuple[Fraction, ...]) -> bool:
    """Whether there are at most MOST_PATHS; as many as there are intervals, at least."""
    rows = cells.masses[0] if isinstance(cells, WeightedCells) else cells
    for part in (rows.size // _LEAST_PART, rows.size) if rows.size > _SOME * _LEAST_PART else (rows.size,):
        if np.count_nonzero(np.diff(rows[np.arange(0, part, part // _SOME + 1)])) > MOST_PATHS:
            return False
    records, _ = _records(cells)
    intervals = int(np.count_nonzero(np.diff(_edges(records, grid))))
    return comb(intervals + len(levels) - 1, len(levels)) <= MOST_PATHS


class Paths:
    """Every path through the intervals that have cells, for any number of records. Private."""

    def __init__(self, cells: SortedCells, grid: int, levels: tuple[Fraction, ...], rate: int) -> None:
        records, self.ranks = _records(cells)
        self.edges = _edges(records, grid)
        self.lengths = np.diff(self.edges)
        self.paths = list(combinations_with_replacement(np.flatnonzero(self.lengths).tolist(), len(levels)))
        self.weights = self._weights(int(cells.size), levels, Fraction(rate, unit_of(cells) << RATE_BITS))

    def _weights(self, count: int, levels: tuple[Fraction, ...], rate: Fraction) -> Wide:
        """Of all tuples that pass each path."""
        proportions, mantissas, exponents = proportions_of(levels), [], []
        for path in self.paths:
            counts = counts_of(self.ranks[list(path)].tolist(), count)
            mantissa, exponent = power(-rate * distance(counts, proportions, best_total(counts, proportions)))
            ways = 1
            for interval, times in Counter(path).items():
                ways *= comb(int(self.lengths[interval]) + times - 1, times)
            places = max(ways.bit_length() - 53, 0)
            mantissas.append(mantissa * float(ways >> places))
            exponents.append(exponent + places)
        return Wide.of(np.array(mantissas), np.array(exponents, np.int64))

    def draw(self, entropy: Entropy, trials: int) -> Integers:
        """Return fine cells (trials, levels), non-decreasing along levels."""
        cells = np.empty((trials, len(self.paths[0])), np.int64)
        repeated = Wide(self.weights.mantissa[:, None], self.weights.exponent[:, None])
        for row in range(trials):
            first, path = 0, self.paths[int(choose(repeated, entropy)[0])]
            for interval, times in Counter(path).items():
                inside = multisets(self.lengths[[interval]], times, entropy)[0]
                cells[row, first : first + times] = self.edges[interval] + 1 + inside
                first += times
        return cells
