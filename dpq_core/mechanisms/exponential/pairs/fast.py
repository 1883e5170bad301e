"""The block sampler for pairs, fast: all trials and draws in one numpy pass. `pairs.sampling` has the proof."""

from __future__ import annotations

import numpy as np

from ....arrays import Flags, Floats, Integers
from ....noise import WEIGHT_FLOOR, FastEntropy
from ....sample import SortedCells
from ..distribution import Partitions, count_below, left_edges, log_weight
from ..fast import Draws, fill
from .distribution import PairAim, log_pair_weights, nearest_spans, split_pair_targets


def draw_pairs_fast(
    cells: SortedCells, parts: Partitions, target_levels: tuple[PairAim, ...], entropy: FastEntropy
) -> Integers:
    """Return drawn indices, (trials, draws, 2), distributed as the exact sampler's up to the rounding of floats."""
    draws = Draws.of(parts, target_levels, *split_pair_targets(parts.counts, target_levels))
    chosen = np.empty((draws.rate.size, 2), np.int64)
    if chosen.size:
        fill(
            chosen, np.arange(len(chosen)), draws.first_blocks, entropy,
            weigh=lambda rows, blocks: _PairBlocks(cells, draws.take(rows), blocks),
            elements=lambda blocks: (2 * blocks + 2) ** 2,
        )  # fmt: skip
    return chosen.reshape(*parts.start.shape, 2)


class _PairBlocks:
    """`exact.PairBlocks` for many draws: one table of pairs of blocks for each."""

    def __init__(self, cells: SortedCells, draws: Draws, blocks: int) -> None:
        self.cells, self.draws = cells, draws
        count, size = draws.parts.counts, 2 * blocks + 2
        firsts = draws.whole + (draws.part > 0)
        bounds = firsts[:, :, None] + draws.width[:, None, None] * np.arange(-blocks - 1, blocks + 2)
        bounds = np.clip(bounds, 0, count[:, None, None] + 1)
        bounds[:, :, 0], bounds[:, :, -1] = 0, count[:, None] + 1
        self.edges = left_edges(cells, draws.parts, bounds.reshape(count.size, -1)).reshape(bounds.shape)
        lengths = np.diff(self.edges, axis=2)
        sides, between = self._bounds(blocks)
        places = np.arange(size)
        self.envelopes = np.minimum(sides[:, 0, :, None], sides[:, 1, None, :])
        np.minimum(self.envelopes, between[:, places[:, None] - places + size - 1], out=self.envelopes)
        self.masses = self.envelopes * lengths[:, 0, :, None] * lengths[:, 1, None, :]
        self.sums = np.cumsum(self.masses.sum(axis=2), axis=1)
        total = self.sums[:, -1]
        beyond = total - self.masses[:, 1:-1, 1:-1].sum(axis=(1, 2))
        at_the_floor = sides[:, :, [0, -1]].max(axis=(1, 2)) <= WEIGHT_FLOOR
        self.few = np.asarray((5 * beyond > total) & ~at_the_floor & (blocks * draws.width <= count), dtype=bool)

    def _bounds(self, blocks: int) -> tuple[Floats, Floats]:
        """Return bounds on the weights of pairs of blocks: by either block alone, and by the distance between both."""
        draws, steps = self.draws, self.draws.width[:, None] * np.arange(2 * blocks + 1)
        below = draws.part + (draws.part == 0)
        above, ahead = 1 - below, below[:, 1] - below[:, 0]
        near = steps[:, None, : blocks + 1]
        sides = np.concatenate([below[:, :, None] + near[:, :, ::-1], above[:, :, None] + near], axis=2)
        less, more = (1 - ahead)[:, None] + steps[:, ::-1], (1 + ahead)[:, None] + steps
        between = np.hstack([less, np.zeros((ahead.size, 1)), more])
        nearest = nearest_spans(draws.part)
        return (
            np.exp(log_weight(np.maximum(sides - nearest[:, None, None], 0), draws.rate[:, None, None])),
            np.exp(log_weight(np.maximum(between - nearest[:, None], 0), draws.rate[:, None])),
        )

    def draw(self, rows: Integers, entropy: FastEntropy) -> Integers:
        """Return one pair of indices for each of the rows, (rows, 2)."""
        return entropy.accepted_rows(self._attempt, rows, (2,))

    def _attempt(self, entropy: FastEntropy, rows: Integers) -> tuple[Integers, Flags]:
        lower = entropy.choice(self.sums[rows])
        upper = entropy.choice(np.cumsum(self.masses[rows, lower], axis=1))
        both, blocks = rows[:, None], np.stack([lower, upper], axis=1)
        before = self.edges[both, [0, 1], blocks]
        cell = before + 1 + entropy.below(self.edges[both, [0, 1], blocks + 1] - before)
        accepted = entropy.bernoulli(self._weight(rows, cell), self.envelopes[rows, lower, upper])
        return cell, accepted & (cell[:, 0] <= cell[:, 1])

    def _weight(self, rows: Integers, cell: Integers) -> Floats:
        draws = self.draws.take(rows)
        lower, upper = (count_below(self.cells, draws.parts, cell[:, side]) for side in (0, 1))
        return np.asarray(np.exp(log_pair_weights(lower, upper, draws.whole, draws.part, draws.rate)))
