"""The block sampler, fast: all trials and draws in one numpy pass. `exponential.sampling` has the proof."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from ...arrays import Flags, Floats, Integers, Segments
from ...noise.fast import FastEntropy
from ...sample import Cells
from .distribution import (
    Partitions,
    TargetLevel,
    count_below,
    distance_beyond_nearest,
    first_blocks,
    left_edges,
    log_weight,
    split_targets,
)
from .ties import depths, edges_around
from .weights import WEIGHT_FLOOR

_MATRIX_ELEMENTS = 1 << 18
WIDER = 6
"""Times as wide are the blocks where each draw reads a column of its own: fewer to weigh, and more attempts."""


def draw_fast(
    cells: Cells,
    partitions: Partitions,
    target_levels: tuple[TargetLevel, ...],
    entropy: FastEntropy,
    targets: Integers | None = None,
    copies: int = 1,
) -> Integers:
    """Return drawn indices, distributed as the exact sampler's up to the rounding of floats: (copies x trials, draws).

    Each range is weighed once, for any number of copies.
    """
    draws = Draws.of(partitions, target_levels, *split_targets(partitions.counts, target_levels, targets))
    if isinstance(cells, Segments):
        draws = replace(draws, width=WIDER * draws.width)
    chosen = np.empty((draws.rate.size, copies), np.int64)
    blocks_of = _BlocksOfValues if any(each.signed for each in target_levels) else _Blocks
    if chosen.size:
        fill(
            chosen, np.arange(draws.rate.size), draws.first_blocks, entropy,
            weigh=lambda rows, blocks: blocks_of(cells, draws.take(rows), blocks),
            elements=lambda blocks: 2 * blocks + 4,
        )  # fmt: skip
    return chosen.T.reshape(copies * partitions.start.shape[0], *partitions.start.shape[1:])


class Rated(Protocol):
    """The rate and the block width of a draw of one level or of two."""

    @property
    def rate_as_float(self) -> float:
        """Return the exponent per record."""

    @property
    def block_width(self) -> int:
        """Return the number of intervals in a block."""


class Weighed(Protocol):
    """Blocks of some draws with their masses; `unfinished` marks the draws that need more blocks."""

    unfinished: Flags

    def draw(self, rows: Integers, entropy: FastEntropy, /) -> Integers:
        """Return what is drawn for each of the rows."""


def fill(
    chosen: Integers,
    rows: Integers,
    blocks: int,
    entropy: FastEntropy,
    *,
    weigh: Callable[[Integers, int], Weighed],
    elements: Callable[[int], int],
) -> None:
    """Draw the given rows into `chosen` (rows, copies), as many at once as fit the memory; some need more blocks.

    `elements` gives how many numbers a row takes with this many blocks on each side.
    """
    rows_at_once = max(_MATRIX_ELEMENTS // elements(blocks), 1)
    for first in range(0, rows.size, rows_at_once):
        some = rows[first : first + rows_at_once]
        matrix = weigh(some, blocks)
        finished = np.repeat(np.flatnonzero(~matrix.unfinished), chosen.shape[1])
        chosen[some[~matrix.unfinished]] = matrix.draw(finished, entropy).reshape(-1, chosen.shape[1])
        if matrix.unfinished.any():
            fill(chosen, some[matrix.unfinished], 2 * blocks, entropy, weigh=weigh, elements=elements)


@dataclass(frozen=True)
class Draws:
    """Many draws as rows: range, target = whole + part (of a pair: both, as columns), rate, intervals in a block."""

    partitions: Partitions
    whole: Integers
    rest: Floats
    rate: Floats
    width: Integers

    @classmethod
    def of(cls, partitions: Partitions, target_levels: Sequence[Rated], whole: Integers, rest: Floats) -> Draws:
        """Return a row for each trial and draw; targets are (trials, draws), of pairs (trials, draws, 2)."""
        shape, rows = partitions.start.shape, partitions.start.size
        return cls(
            partitions.flat(),
            whole.reshape(rows, *whole.shape[2:]),
            rest.reshape(rows, *rest.shape[2:]),
            np.broadcast_to(np.array([target_level.rate_as_float for target_level in target_levels]), shape).reshape(
                -1
            ),
            np.broadcast_to(np.array([target_level.block_width for target_level in target_levels]), shape).reshape(-1),
        )

    @property
    def first_blocks(self) -> int:
        """Return how many blocks on each side to begin with; there is one draw at least."""
        return int(first_blocks(self.rate, self.width, self.partitions.counts).max())

    def take(self, rows: Integers) -> Draws:
        """Return some of the draws."""
        return Draws(self.partitions.flat(rows), self.whole[rows], self.rest[rows], self.rate[rows], self.width[rows])


class _Blocks:
    """`exact.Blocks` for many draws: one row a draw, one column a block."""

    def __init__(self, cells: Cells, draws: Draws, blocks: int) -> None:
        self.cells, self.draws, self.blocks = cells, draws, blocks
        self._weigh()
        self.unfinished = self._unfinished()

    def _weigh(self) -> None:
        """Find the edges of the blocks, the weight of the nearest interval of each, and sums of their masses."""
        draws, blocks = self.draws, self.blocks
        count = draws.partitions.counts
        first_above = draws.whole + (draws.rest > 0)
        bounds = first_above[:, None] + draws.width[:, None] * np.arange(-blocks - 1, blocks + 2)
        bounds = np.clip(bounds, 0, count[:, None] + 1)
        bounds[:, 0], bounds[:, -1] = 0, count + 1
        self.bounds, self.edges = bounds, left_edges(self.cells, draws.partitions, bounds)
        below = draws.rest + (draws.rest == 0)
        above = 1 - below
        nearest = np.minimum(draws.rest, 1 - draws.rest)
        steps = draws.width[:, None] * np.arange(blocks + 1)
        distances = np.hstack([(below - nearest)[:, None] + steps[:, ::-1], (above - nearest)[:, None] + steps])
        self.envelopes = np.exp(log_weight(distances, draws.rate[:, None]))
        self.sums = np.cumsum(np.diff(self.edges, axis=1) * self.envelopes, axis=1)

    def _unfinished(self) -> Flags:
        """Return flags of the rows with so much beyond their blocks that more blocks pay."""
        total = self.sums[:, -1]
        beyond = self.sums[:, 0] + (total - self.sums[:, -2])
        at_the_floor = np.maximum(self.envelopes[:, 0], self.envelopes[:, -1]) <= WEIGHT_FLOOR
        within = self.blocks * self.draws.width <= self.draws.partitions.counts
        return np.asarray((5 * beyond > total) & ~at_the_floor & within, dtype=bool)

    def draw(self, rows: Integers, entropy: FastEntropy) -> Integers:
        """Return one index for each of the rows."""
        return entropy.accepted_rows(self._attempt, rows, ())

    def _attempt(self, entropy: FastEntropy, rows: Integers) -> tuple[Integers, Flags]:
        block = entropy.choice(self.sums[rows])
        before = self.edges[rows, block]
        cell = before + 1 + entropy.below(self.edges[rows, block + 1] - before)
        return cell, entropy.bernoulli(self._weight(rows, block, cell), self.envelopes[rows, block])

    def _weight(self, rows: Integers, block: Integers, cell: Integers) -> Floats:
        draws = self.draws.take(rows)
        if isinstance(self.cells, Segments):
            start = draws.partitions.start
            first, last = start + self.bounds[rows, block], start + self.bounds[rows, block + 1] - 1
            intervals = self.cells.searchsorted_within(cell, first, last) - start
        else:
            intervals = count_below(self.cells, draws.partitions, cell)
        distance = distance_beyond_nearest(intervals, draws.whole, draws.rest)
        return np.asarray(np.exp(log_weight(distance, draws.rate)), dtype=np.float64)


class _BlocksOfValues(_Blocks):
    """The same for draws of whole values: the blocks left of the target, its own value, and those right of it."""

    def _weigh(self) -> None:
        draws = self.draws
        self.above = draws.whole + (draws.rest > 0)
        steps = draws.width[:, None] * np.arange(self.blocks + 1)
        self.edges = edges_around(self.cells, draws.partitions, draws.whole, self.above, steps)
        middle = self.edges[:, self.blocks + 2]
        self.depth = depths(self.cells, draws.partitions, draws.whole, draws.rest, middle)
        left, right = draws.rest + self.depth, (self.above - draws.whole) - draws.rest + self.depth
        nothing = np.zeros_like(self.depth)[:, None]
        distances = np.hstack([left[:, None] + steps[:, ::-1], nothing, right[:, None] + steps])
        self.envelopes = np.exp(log_weight(distances, draws.rate[:, None]))
        self.sums = np.cumsum(np.diff(self.edges, axis=1) * self.envelopes, axis=1)

    def _weight(self, rows: Integers, block: Integers, cell: Integers) -> Floats:
        draws, at_target = self.draws.take(rows), block == self.blocks + 1
        left, (first_place, behind) = block <= self.blocks, draws.partitions.values.around(cell)
        wanted = np.where(left, behind, first_place)
        if isinstance(self.cells, Segments):
            start = draws.partitions.start
            first, last = self._ranks_in(rows, block)
            ranks = self.cells.searchsorted_within(wanted, start + first, start + last) - start
        else:
            ranks = count_below(self.cells, draws.partitions, wanted)
        beyond = (ranks - draws.whole) - draws.rest
        distance = np.where(at_target, 0.0, np.where(left, -beyond, beyond) + self.depth[rows])
        return np.asarray(np.exp(log_weight(distance, draws.rate)), dtype=np.float64)

    def _ranks_in(self, rows: Integers, block: Integers) -> tuple[Integers, Integers]:
        """Return the least and the largest rank of the values in a block, as far as they follow from its width."""
        draws, count = self.draws, self.draws.partitions.counts[rows]
        whole, above, width = draws.whole[rows], self.above[rows], draws.width[rows]
        left, outwards = block <= self.blocks, np.abs(block - (self.blocks + 1)) - 1
        near, far = width * outwards, width * (outwards + 1)
        far = np.where(outwards == self.blocks, count, far - 1)
        first = np.clip(np.where(left, whole - far, above + near), 0, count)
        last = np.clip(np.where(left, whole - near, above + far), 0, count)
        at_target = outwards < 0
        return np.where(at_target, 0, first), np.where(at_target, 0, last)
