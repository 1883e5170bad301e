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

from ...arrays import Integers
from ..joint.distance import Intervals, every_interval, few_intervals, missed
from ..joint.draws import Choices, Draws
from ..joint.windows import Part

MOST_PATHS = 1000


def intervals_of_few_paths(part: Part) -> Intervals | None:
    """Return the intervals if there are at most MOST_PATHS, else None; as many paths as intervals, at least."""
    levels = len(part.levels)
    few = takewhile(lambda few: comb(few + levels - 1, levels) <= MOST_PATHS, count(1))
    return few_intervals(part.cells, part.grid, max(few))


class Paths(Draws):
    """Every path through the intervals that have cells, for any number of records: one choice. Private."""

    choices, free = 1, True

    def __init__(self, part: Part) -> None:
        # few paths are read by a few records, of any number
        self._ranks, self._edges = intervals_of_few_paths(part) or every_interval(part.cells, part.grid)
        self.part, self.parts, levels = part, [part], len(part.levels)
        self._lengths = np.diff(self._edges)
        self._paths = list(combinations_with_replacement(np.flatnonzero(self._lengths).tolist(), levels))
        self.logs = np.array([log(ways) - float(apart) for ways, apart in map(self._weighed, self._paths)])
        """Of all tuples that pass each path."""
        self.total = np.logaddexp.reduce(self.logs, keepdims=True)

    def _weighed(self, path: tuple[int, ...]) -> tuple[int, Fraction]:
        """Return how many tuples pass a path, and r d of each."""
        ways = prod(comb(int(self._lengths[at]) + times - 1, times) for at, times in Counter(path).items())
        _, apart = missed(self._ranks[list(path)].tolist(), self.part.count, self.part.levels, free=True)
        return ways, self.part.rate * apart

    def propose(self, which: Integers, rows: Integers, choices: Choices) -> tuple[Integers, Integers]:
        """Return cells, and that all are near."""
        options = choices.choose(rows, np.broadcast_to(self.logs, (rows.size, self.logs.size)))
        cells = np.empty((rows.size, len(self.part.levels)), np.int64)
        for option in sorted(set(options.tolist())):
            some, first = np.flatnonzero(options == option), 0
            for interval, times in Counter(self._paths[option]).items():
                inside = choices.within(rows[some], np.full(some.size, self._lengths[interval]), times)
                cells[some, first : first + times] = self._edges[interval] + 1 + inside
                first += times
        return cells, np.zeros_like(options)
