"""The block sampler, exact: one draw at a time, in Python integers. `exponential.sampling` has the proof."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate
from math import ceil
from operator import mul

import numpy as np

from ...arrays import Integers
from ...noise import FLOOR_BITS, CeilTable, ExactEntropy, ceil_exp
from ...sample import Cells, SortedCells
from .distribution import Partitions, TargetLevel, first_blocks, left_edges


def draw_exact(
    cells: Cells,
    partitions: Partitions,
    target_levels: tuple[TargetLevel, ...],
    entropy: ExactEntropy,
    targets: Integers | None = None,
) -> Integers:
    """Return drawn indices, shape (trials, draws), every decision made by integers from the system's entropy."""
    chosen = np.empty(partitions.start.shape, np.int64)
    for at in np.ndindex(chosen.shape):
        records = cells[int(partitions.start[at]) : int(partitions.end[at])]
        target = None if targets is None else int(targets[at])
        blocks = Blocks(records, int(partitions.low[at]), int(partitions.high[at]), target_levels[at[1]], target)
        chosen[at] = entropy.accepted(blocks.attempt)
    return chosen


class Blocks:
    """All intervals in blocks outwards from the target, each weighed as its nearest one; the outer two are open."""

    def __init__(
        self, records: SortedCells, low: int, high: int, target_level: TargetLevel, target: int | None = None
    ) -> None:
        self.records, self.low, self.high, self.rate = records, low, high, target_level.rate
        self.target = (
            target_level.target(records.size) if target is None else Fraction(min(max(target, 0), records.size))
        )
        self.first_above = ceil(self.target)
        self.nearest = min(self.target % 1, -self.target % 1)
        self.width = target_level.block_width
        above, below = self.first_above - self.target, self.target - self.first_above + 1
        self.tables = [self._table(distance - self.nearest) for distance in (above, below)]
        count = np.array([records.size])
        blocks = int(first_blocks(np.array([target_level.rate_as_float]), np.array([self.width]), count)[0])
        while not self._weigh(blocks):
            blocks *= 2

    def weight(self, interval: int) -> int:
        """Return the integer weight of each index w with #{x < w} = interval."""
        return max(ceil_exp(self.rate * (abs(interval - self.target) - self.nearest)), 1 << FLOOR_BITS)

    def _table(self, distance: Fraction) -> CeilTable:
        """Return the weights of the nearest intervals of the blocks on one side; the first one has this distance."""
        return CeilTable(self.rate * self.width, distance / self.width)

    def _weigh(self, blocks: int) -> bool:
        """Weigh so many blocks on each side and all beyond; return False where more blocks would pay."""
        count = self.records.size
        intervals = [0, *(self.first_above + i * self.width for i in range(-blocks, blocks + 1)), count + 1]
        bounds = np.clip(np.array([intervals]), 0, count + 1)
        partition = Partitions(*(np.array([value]) for value in (0, count, self.low, self.high)))
        self.edges: list[int] = left_edges(self.records, partition, bounds)[0].tolist()
        above, below = (table.upto(blocks + 1)[: blocks + 1] for table in self.tables)
        self.envelopes = below[::-1] + above
        masses = list(map(mul, self.envelopes, np.diff(self.edges).tolist()))
        self.sums = list(accumulate(masses))
        beyond = masses[0] + masses[-1]
        at_the_floor = max(self.envelopes[0], self.envelopes[-1]) == 1 << FLOOR_BITS
        return 5 * beyond <= self.sums[-1] or at_the_floor or blocks * self.width > count

    def attempt(self, entropy: ExactEntropy) -> int | None:
        """Return one index drawn from the distribution of all intervals, or None: begin again."""
        block = entropy.choice(self.sums)
        before, last = self.edges[block], self.edges[block + 1]
        cell = before + 1 + entropy.integer_below(last - before)
        interval = int(self.records.searchsorted(np.array(cell)))
        return cell if entropy.bernoulli(self.weight(interval), self.envelopes[block]) else None
