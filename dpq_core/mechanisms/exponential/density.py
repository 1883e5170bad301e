"""The exact output distribution of draws, for audits: O(n) each.

Pieces. The page Inside shows the distribution of one draw in a few hundred pieces, as fast for any size of data.
Blocks (`sampling`) are so short that weights within one hardly differ, and are weighed by their middles; neighbours
that hold little together become one piece. Within a piece the probability is spread evenly.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias

import numpy as np

from ...arrays import Cells, Floats, Integers
from ...column import Column
from ...people.shares import WeightedCells
from .distribution import (
    Ranges,
    Target,
    count_below,
    ends_of_records,
    ends_with_at_most,
    left_edges,
    per_unit,
    scores,
    split_targets,
)
from .sampling import Blocks, Draws


def log_density(
    cells: Cells,
    partitions: Ranges,
    target_levels: tuple[Target, ...],
    chosen: Integers,
    targets: Integers | None = None,
) -> Floats:
    """Return the log probability of each drawn index in its range, (trials, draws); -inf outside."""
    target_levels = per_unit(target_levels, cells)
    wholes, rests = split_targets(partitions.counts, target_levels, targets)
    logs = np.empty(chosen.shape)
    for column, target_level in enumerate(target_levels):
        part, choice = partitions.column(column), chosen[:, column]
        log_weights = _of_whole_values if target_level.signed else _of_indices
        of = cells, part, wholes[:, column], rests[:, column], target_level.rate_as_float
        lengths, weights, own = log_weights(*of, choice)
        top = np.where(lengths > 0, weights, -np.inf).max(axis=1)
        total = top + np.log((lengths * np.exp(weights - top[:, None])).sum(axis=1))
        logs[:, column] = np.where((choice >= part.low) & (choice <= part.high), own - total, -np.inf)
    return logs


def _of_indices(
    cells: Cells, part: Ranges, whole: Integers, rest: Floats, rate: float, choice: Integers
) -> tuple[Integers, Floats, Floats]:
    """Return how many indices each interval has and their log weight (rows, intervals), and that of the chosen."""
    intervals = _intervals(cells, part)
    lengths = np.diff(left_edges(cells, part, intervals), axis=1)
    distances = np.abs((intervals[:, :-1] - whole[:, None]) - rest[:, None])
    return lengths, -rate * distances, -rate * np.abs((count_below(cells, part, choice) - whole) - rest)


def _of_whole_values(
    cells: Cells, part: Ranges, whole: Integers, rest: Floats, rate: float, choice: Integers
) -> tuple[Integers, Floats, Floats]:
    """Return what `_of_indices` does: values left of the target by records at or below, right of it by those below."""
    ranks, above = _intervals(cells, part), whole + (rest > 0)
    middle = ends_of_records(cells, part, above[:, None])
    at_most, below = np.minimum(ranks, whole[:, None]), np.maximum(ranks, above[:, None])
    left = np.minimum(ends_with_at_most(cells, part, at_most), middle)
    right = ends_of_records(cells, part, below)
    lengths = np.hstack(
        [np.diff(left, axis=1, prepend=part.low[:, None] - 1), middle - left[:, -1:], np.diff(right, axis=1)]
    )
    around = scores(cells, part, middle[:, 0], whole, rest)[:, None]
    distances = np.hstack(
        [(whole[:, None] - at_most) + rest[:, None], around, (below - whole[:, None])[:, :-1] - rest[:, None]]
    )
    return lengths, -rate * distances, -rate * scores(cells, part, choice, whole, rest)


def _intervals(cells: Cells, partitions: Ranges) -> Integers:
    """Return all intervals of each range (rows,) that may hold an index, and the one after the last, (rows, some)."""
    counts = partitions.counts[:, None]
    if isinstance(cells, WeightedCells):
        inside = np.clip(cells.masses[1] - partitions.start[:, None], 0, counts)
        return np.hstack([inside, counts + 1])
    return np.minimum(np.arange(int(partitions.counts.max(initial=0)) + 2), counts + 1)


Pieces: TypeAlias = tuple[tuple[float, ...], tuple[float, ...]]

REACH = 130
"""Intervals whose weight is exp(-130) of the largest have less than 2^-100 of the probability, however wide."""
ALIKE = 0.02
"""Weights within a block differ by a factor of exp(0.02) at most."""
SHARE = 1 / 200
"""A piece of more than one block holds no more than about this probability."""


def distribution_pieces(column: Column, records: tuple[int, int], low: int, high: int, target_level: Target) -> Pieces:
    """Return the output distribution of one draw from these records, between two slots."""
    partition = Ranges(*(np.array([[place]]) for place in (*records, low, high)), values=column.places)
    draws, rate = Draws.of(column.records, partition, (target_level,)), target_level.rate_as_float
    width, far = ranks_alike_and_in_reach(rate, records[1] - records[0])
    blocks = Blocks(replace(draws, width=np.array([width])), far // width)
    logs = blocks.logs[0] - rate * (width - 1) / 2
    logs[blocks.middle] = blocks.logs[0, blocks.middle]
    weights, inside = blocks.lengths[0] * np.exp(logs), slice(1, -1)  # of all but the two open ones
    return condensed(column, blocks.edges[0, inside], weights[inside])


def ranks_alike_and_in_reach(rate: float, count: int) -> tuple[int, int]:
    """Return over how many ranks weights hardly differ, at least 1, and within how many all that matter are."""
    width = max(int(min(ALIKE / rate, count + 1)), 1)
    return width, int(min(REACH / rate, count)) + width


def condensed(column: Column, edges: Integers, weights: Floats) -> Pieces:
    """Return a distribution, given by weights of ranges (edge, next edge] of slots, in fewer pieces."""
    ends, through = edges + 1, np.append(0.0, np.cumsum(weights / weights.sum()))
    below, above = column.places.around(ends)[0], column.places.around(ends - 1)[1]
    starts = np.unique(np.clip(np.concatenate([below, above]), ends[0], ends[-1]))
    through = np.interp((starts - ends[0]).astype(np.float64), (ends - ends[0]).astype(np.float64), through)
    chances = np.diff(through)
    heavy = np.flatnonzero(chances > SHARE)
    cuts = np.searchsorted(through[1:], np.arange(SHARE, 1, SHARE))
    first = np.unique(np.concatenate([[0], cuts, heavy, heavy + 1]))
    first = first[first < chances.size]
    return tuple(column.values_of(starts[first]).tolist()), tuple(np.add.reduceat(chances, first).tolist())
