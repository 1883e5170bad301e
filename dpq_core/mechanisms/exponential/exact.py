"""The block sampler, exact: one draw at a time, in Python integers. `exponential.sampling` has the proof."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate
from math import ceil, floor
from operator import mul, sub

import numpy as np

from ...arrays import Integers
from ...domain.measure import EVERY_INDEX, Measure
from ...noise.exact import ExactEntropy
from ...sample import Cells, SortedCells
from .distribution import Partitions, TargetLevel, first_blocks, left_edges
from .ties import edges_around, first_of_value, last_of_value, ranks_around
from .weights import FLOOR_BITS, CeilTable, ceil_exp


def draw_exact(
    cells: Cells,
    partitions: Partitions,
    target_levels: tuple[TargetLevel, ...],
    entropy: ExactEntropy,
    targets: Integers | None = None,
) -> Integers:
    """Return drawn indices, shape (trials, draws), every decision made by integers from the system's entropy."""
    chosen = np.empty(partitions.start.shape, np.int64)
    for column, target_level in enumerate(target_levels):
        own = None if targets is None else targets[:, column]
        _draw_column(chosen[:, column], cells, partitions.column(column), target_level, entropy, own)
    return chosen


def _draw_column(
    chosen: Integers,
    cells: Cells,
    ranges: Partitions,
    target_level: TargetLevel,
    entropy: ExactEntropy,
    targets: Integers | None,
) -> None:
    """Draw one level in many ranges; compute what depends on their number of records alone once for each number."""
    weights = Weights(target_level)
    counts = ranges.counts.tolist()
    aims = [weights.aim(count, None if targets is None else int(targets[row])) for row, count in enumerate(counts)]
    blocks = max((aim.first_blocks for aim in aims), default=0)
    for first in range(0, chosen.size, _ROWS_AT_ONCE):
        rows = slice(first, first + _ROWS_AT_ONCE)
        some, here = ranges.flat(rows), aims[rows]
        edges = _edges(cells, some, here, blocks)
        if target_level.signed:  # aims know how deep their targets lie within equal records
            below, at_most = (ranks.tolist() for ranks in ranks_around(cells, some, edges[:, blocks + 2]))
            here = [aim.at_depth(*around) for aim, *around in zip(here, below, at_most, strict=True)]
        for row, own in enumerate(edges.tolist()):
            records = cells[int(some.start[row]) : int(some.end[row])]
            drawn = Blocks(records, int(some.low[row]), int(some.high[row]), here[row], own, ranges.values)
            chosen[first + row] = entropy.accepted(drawn.attempt)


_ROWS_AT_ONCE = 1024


def _edges(cells: Cells, ranges: Partitions, aims: Sequence[Aim], blocks: int) -> Integers:
    """Return the last index before each block, several on each side and two open ones, and that of the whole range.

    Of whole values with one block more, in the middle: `ties.edges_around`.
    """
    weights = aims[0].weights
    if weights.target_level.signed:
        whole, above = (np.array([rank(aim.target) for aim in aims], np.int64) for rank in (floor, ceil))
        return edges_around(cells, ranges, whole, above, weights.width * np.arange(blocks + 1)[None, :])
    steps = weights.width * np.arange(-blocks, blocks + 1)
    last = ranges.counts[:, None] + 1
    inner = np.clip(np.array([aim.first_above for aim in aims])[:, None] + steps, 0, last)
    return left_edges(cells, ranges, np.hstack([np.zeros_like(last), inner, last]))


class Weights:
    """The integer weights of one level; those of a distance are found once."""

    def __init__(self, target_level: TargetLevel) -> None:
        self.target_level, self.rate, self.width = target_level, target_level.rate, target_level.block_width
        self._aims: dict[tuple[int, int | None, Fraction], Aim] = {}
        self._tables: dict[Fraction, CeilTable] = {}
        self._single: dict[Fraction, int] = {}

    def aim(self, count: int, target: int | None = None, depth: Fraction = Fraction(0)) -> Aim:
        """Return the target of a draw among this many records; `depth` of whole values only."""
        found = self._aims.get((count, target, depth))
        if found is None:
            found = self._aims[count, target, depth] = Aim(self, count, target, depth)
        return found

    def table(self, distance: Fraction) -> CeilTable:
        """Return the weights of the nearest intervals of the blocks on one side; the first one has this distance."""
        if distance not in self._tables:
            self._tables[distance] = CeilTable(self.rate * self.width, distance / self.width)
        return self._tables[distance]

    def single(self, distance: Fraction) -> int:
        """Return the integer weight of each index so much farther away than the nearest interval."""
        if distance not in self._single:
            self._single[distance] = max(ceil_exp(self.rate * distance), 1 << FLOOR_BITS)
        return self._single[distance]


class Aim:
    """The target among this many records, with the weights of the intervals around it."""

    def __init__(self, weights: Weights, count: int, target: int | None, depth: Fraction) -> None:
        self.weights, self.count, self.given, signed = weights, count, target, weights.target_level.signed
        self.target = weights.target_level.target(count) if target is None else Fraction(min(max(target, 0), count))
        self.first_above = ceil(self.target)
        self.least = -depth if signed else min(self.target % 1, -self.target % 1)
        above = self.first_above - self.target
        below = self.target % 1 if signed else 1 - above
        self.tables = [weights.table(distance - self.least) for distance in (above, below)]
        rate, width = np.array([weights.target_level.rate_as_float]), np.array([weights.width])
        self.first_blocks = int(first_blocks(rate, width, np.array([count]))[0])
        self._weights: dict[int, int] = {}
        self._envelopes: tuple[int, list[int]] = 0, []

    def at_depth(self, below: int, at_most: int) -> Aim:
        """Return the aim where this many records are below the value around the target, and at it or below."""
        depth = max(min(self.target - below, at_most - self.target), Fraction(0))
        return self.weights.aim(self.count, self.given, depth)

    def weight(self, interval: int) -> int:
        """Return the integer weight of each index w with #{x < w} = interval.

        Of whole values: of each with this many records below it, right of the target, or at it and below, left of it.
        """
        if interval not in self._weights:
            self._weights[interval] = self.weights.single(abs(interval - self.target) - self.least)
        return self._weights[interval]

    def envelopes(self, blocks: int) -> list[int]:
        """Return the weight of the nearest interval of each block, several on each side and two open ones."""
        if self._envelopes[0] != blocks:
            above, below = (table.upto(blocks + 1)[: blocks + 1] for table in self.tables)
            middle = [self.weights.single(Fraction(0))] if self.weights.target_level.signed else []
            self._envelopes = blocks, below[::-1] + middle + above
        return self._envelopes[1]


class Blocks:
    """All intervals in blocks outwards from the target, each weighed as its nearest one; the outer two are open."""

    def __init__(
        self,
        records: SortedCells,
        low: int,
        high: int,
        aim: Aim,
        edges: list[int] | None = None,
        values: Measure = EVERY_INDEX,
    ) -> None:
        """`edges`: those of as many blocks as the draw begins with, where they are known."""
        self.records, self.low, self.high, self.aim = records, low, high, aim
        self.range = Partitions(*(np.array([value]) for value in (0, records.size, low, high)), values=values)
        if edges is None:
            edges = self._edges(aim.first_blocks)
        while not self._weigh(edges):
            edges = self._edges(2 * self.blocks)

    @classmethod
    def of(cls, records: SortedCells, low: int, high: int, target_level: TargetLevel) -> Blocks:
        """Return the blocks of one draw of indices by itself."""
        return cls(records, low, high, Weights(target_level).aim(records.size))

    def weight(self, interval: int) -> int:
        """Return what `Aim.weight` is."""
        return self.aim.weight(interval)

    def _edges(self, blocks: int) -> list[int]:
        found: list[int] = _edges(self.records, self.range, [self.aim], blocks)[0].tolist()
        return found

    def _weigh(self, edges: list[int]) -> bool:
        """Weigh the blocks between these edges and all beyond; return False where more blocks would pay."""
        self.blocks = (len(edges) - 3) // 2
        self.edges, self.envelopes = edges, self.aim.envelopes(self.blocks)
        masses = list(map(mul, self.envelopes, map(sub, edges[1:], edges)))
        self.sums = list(accumulate(masses))
        beyond = masses[0] + masses[-1]
        at_the_floor = max(self.envelopes[0], self.envelopes[-1]) == 1 << FLOOR_BITS
        enough = 5 * beyond <= self.sums[-1] or at_the_floor
        return enough or self.blocks * self.aim.weights.width > self.records.size

    def attempt(self, entropy: ExactEntropy) -> int | None:
        """Return one index drawn from the distribution of all intervals, or None: begin again."""
        block = entropy.choice(self.sums)
        before, last = self.edges[block], self.edges[block + 1]
        cell = before + 1 + entropy.integer_below(last - before)
        return cell if entropy.bernoulli(self._weight_of(cell, block), self.envelopes[block]) else None

    def _weight_of(self, cell: int, block: int) -> int:
        """Return the weight of an index in a block."""
        wanted = np.array(cell)
        if self.aim.weights.target_level.signed:
            if block == self.blocks + 1:
                return self.envelopes[block]
            left, values = block <= self.blocks, self.range.values
            wanted = last_of_value(wanted, values) + 1 if left else first_of_value(wanted, values)
        return self.weight(int(self.records.searchsorted(wanted)))
