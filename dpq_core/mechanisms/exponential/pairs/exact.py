"""The block sampler for pairs, exact: one draw at a time, in Python integers. `pairs.sampling` has the proof."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate, pairwise
from math import ceil

import numpy as np

from ....arrays import Integers
from ....noise import FLOOR_BITS, CeilTable, ExactEntropy, ceil_exp
from ....sample import SortedCells
from ..distribution import Partitions, first_blocks, left_edges
from .distribution import PairAim

_TOP = ceil_exp(Fraction(0))


def draw_pairs_exact(
    cells: SortedCells, parts: Partitions, target_levels: tuple[PairAim, ...], entropy: ExactEntropy
) -> Integers:
    """Return drawn indices, shape (trials, draws, 2), every decision made by integers from the system's entropy."""
    chosen = np.empty((*parts.start.shape, 2), np.int64)
    for at in np.ndindex(parts.start.shape):
        records = cells[int(parts.start[at]) : int(parts.end[at])]
        blocks = PairBlocks(records, int(parts.low[at]), int(parts.high[at]), target_levels[at[1]])
        chosen[at] = entropy.accepted(blocks.attempt)
    return chosen


def span(lower: Fraction, upper: Fraction) -> Fraction:
    """Return the distance from the least of 0 and two signed rank errors to the greatest."""
    return max(lower, upper, Fraction(0)) - min(lower, upper, Fraction(0))


class PairBlocks:
    """Intervals of both quantiles in blocks outwards from the targets, the outer ones open, and the table of pairs."""

    def __init__(self, records: SortedCells, low: int, high: int, target_level: PairAim) -> None:
        self.records, self.low, self.high = records, low, high
        self.rate, self.width = target_level.rate, target_level.block_width
        self.targets = target_level.targets(records.size)
        self.firsts = [ceil(target) for target in self.targets]
        self.aboves = [first - target for first, target in zip(self.firsts, self.targets, strict=True)]
        self.nearest = min(span(self.aboves[0] - i, self.aboves[1] - j) for i in (0, 1) for j in (0, 1))
        count = np.array([records.size])
        blocks = int(first_blocks(np.array([target_level.rate_as_float]), np.array([self.width]), count)[0])
        while not self._weigh(blocks):
            blocks *= 2

    def weight(self, lower: int, upper: int) -> int:
        """Return the integer weight of each pair of indices with so many records below them."""
        span_of_pair = span(lower - self.targets[0], upper - self.targets[1])
        return max(ceil_exp(self.rate * (span_of_pair - self.nearest)), 1 << FLOOR_BITS)

    def _bounds(self, first: Fraction, count: int) -> list[int]:
        """Return integers not below the weights at distances first, first + width, ...; at most the top weight."""
        steps = (first - self.nearest) / self.width
        if steps < 0:
            return [_TOP, *self._bounds(first + self.width, count - 1)]
        whole = max(ceil(steps) - 1, 0)
        return CeilTable(self.rate * self.width, steps - whole).upto(whole + count)[whole : whole + count]

    def _weigh(self, blocks: int) -> bool:
        """Fill the table with so many blocks on each side; return False where more blocks would pay."""
        size = 2 * blocks + 2
        self.edges = [self._edges(first, blocks) for first in self.firsts]
        lengths = [[last - before for before, last in pairwise(edges)] for edges in self.edges]
        sides = [self._bounds(1 - above, blocks + 1)[::-1] + self._bounds(above, blocks + 1) for above in self.aboves]
        # Blocks i and j: their rank errors differ by (|i - j| - 1) width + 1 at least, and by the targets' rests.
        ahead = self.aboves[0] - self.aboves[1]
        apart = [self._bounds(1 + sign * ahead, size - 1) for sign in (1, -1)]
        between = apart[1][::-1] + [_TOP] + apart[0]  # i - j = 1 - size .. size - 1
        self.envelopes = [
            [min(lower, upper, between[i - j + size - 1]) for j, upper in enumerate(sides[1])]
            for i, lower in enumerate(sides[0])
        ]
        masses = [
            [length * other * envelope for other, envelope in zip(lengths[1], row, strict=True)]
            for length, row in zip(lengths[0], self.envelopes, strict=True)
        ]
        self.rows = [list(accumulate(row)) for row in masses]
        self.sums = list(accumulate(row[-1] for row in self.rows))
        beyond = self.sums[-1] - sum(row[-2] - row[0] for row in self.rows[1:-1])
        at_the_floor = max(max(side[0], side[-1]) for side in sides) == 1 << FLOOR_BITS
        return 5 * beyond <= self.sums[-1] or at_the_floor or blocks * self.width > self.records.size

    def _edges(self, first: int, blocks: int) -> list[int]:
        """Return the last index before each block of intervals around a target, and the last one of all."""
        count = self.records.size
        gaps = [0, *(first + i * self.width for i in range(-blocks, blocks + 1)), count + 1]
        part = Partitions(*(np.array([value]) for value in (0, count, self.low, self.high)))
        edges: list[int] = left_edges(self.records, part, np.clip(np.array([gaps]), 0, count + 1))[0].tolist()
        return edges

    def attempt(self, entropy: ExactEntropy) -> tuple[int, int] | None:
        """Return one pair drawn from the distribution of all increasing ones, or None: begin again."""
        row = entropy.choice(self.sums)
        column = entropy.choice(self.rows[row])
        lower, upper = (
            edges[block] + 1 + entropy.integer_below(edges[block + 1] - edges[block])
            for edges, block in zip(self.edges, (row, column), strict=True)
        )
        if lower > upper:
            return None
        gaps = self.records.searchsorted(np.array([lower, upper])).tolist()
        accepted = entropy.bernoulli(self.weight(*gaps), self.envelopes[row][column])
        return (lower, upper) if accepted else None
