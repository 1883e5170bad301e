"""All paths through the intervals between few distinct records, with their weights: the law by enumeration.

Where records are many times tied, the best total of a tuple can be anything in a wide range, and proposals of a total
would rarely fit (`draws`); but then there are few intervals with any cells, and few paths through them.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement, count, takewhile
from math import comb, log, prod

import numpy as np

from ...arrays import Floats, Integers, SortedCells
from ...people.shares import unit_of
from ..joint.distance import Intervals, counts_of, distance, few_intervals, intervals_of, proportions_of
from ..joint.draws import Choices, Draws
from .totals import best_total

MOST_PATHS = 1000


def intervals_of_few_paths(cells: SortedCells, grid: int, levels: tuple[Fraction, ...]) -> Intervals | None:
    """Return the intervals if there are at most MOST_PATHS, else None; as many paths as intervals, at least."""
    few = takewhile(lambda few: comb(few + len(levels) - 1, len(levels)) <= MOST_PATHS, count(1))
    return few_intervals(cells, grid, max(few))


class Paths(Draws):
    """Every path through the intervals that have cells, for any number of records: one choice. Private."""

    choices = 1

    def __init__(self, cells: SortedCells, grid: int, levels: tuple[Fraction, ...], rate: Fraction) -> None:
        """`rate`: for a person."""
        few = intervals_of_few_paths(cells, grid, levels)  # read by a few records, of any number
        self._ranks, self._edges = few or intervals_of(cells, grid)[::-1]
        self.cells, self.levels, self.rate = cells, levels, rate / unit_of(cells)
        self._proportions, self._lengths = proportions_of(levels), np.diff(self._edges)
        self._paths = list(combinations_with_replacement(np.flatnonzero(self._lengths).tolist(), len(levels)))
        weighed = [self._weighed(path) for path in self._paths]
        self._exponents = [exponent for _, exponent in weighed]
        self._plain = np.array([float(each) for each in self._exponents])
        self.logs = np.array([log(ways) for ways, _ in weighed]) - self._plain
        """Of all tuples that pass each path."""
        self.total = float(np.logaddexp.reduce(self.logs))

    def _weighed(self, path: tuple[int, ...]) -> tuple[int, Fraction]:
        """Return how many tuples pass a path, and r d of each."""
        ways = prod(comb(int(self._lengths[at]) + times - 1, times) for at, times in Counter(path).items())
        counts, proportions = counts_of(self._ranks[list(path)].tolist(), int(self.cells.size)), self._proportions
        return ways, self.rate * distance(counts, proportions, best_total(counts, proportions))

    def propose(self, rows: Integers, choices: Choices) -> tuple[Integers, Integers]:
        """Return cells, and paths."""
        options = choices.choose(rows, np.broadcast_to(self.logs, (rows.size, self.logs.size)))
        cells = np.empty((rows.size, len(self.levels)), np.int64)
        for option in sorted(set(options.tolist())):
            some, first = np.flatnonzero(options == option), 0
            for interval, times in Counter(self._paths[option]).items():
                inside = choices.within(rows[some], np.full(some.size, self._lengths[interval]), times)
                cells[some, first : first + times] = self._edges[interval] + 1 + inside
                first += times
        return cells, options

    def weight(self, option: int, cells: Integers, ranks: list[int]) -> tuple[Fraction, Fraction]:
        """Return 1, and r d."""
        return Fraction(1), self._exponents[option]

    def weights(self, options: Integers, cells: Integers, ranks: Integers) -> tuple[Floats, Floats]:
        """Return the same of many tuples."""
        return np.ones(options.size), self._plain[options]

    def attempts_for(self, missing: int) -> int:
        """Return as many: all are accepted."""
        return missing
