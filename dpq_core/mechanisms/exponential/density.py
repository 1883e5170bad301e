"""The exact output distribution of draws, for audits: O(n) each."""

from __future__ import annotations

import numpy as np

from ...arrays import Floats, Integers
from ...people import WeightedCells
from ...sample import Cells
from .distribution import (
    Partitions,
    TargetLevel,
    count_below,
    distance_beyond_nearest,
    left_edges,
    log_weight,
    per_unit,
    split_targets,
)
from .ties import depths, ends_of_records, ends_with_at_most, scores


def log_density(
    cells: Cells,
    partitions: Partitions,
    target_levels: tuple[TargetLevel, ...],
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
    cells: Cells, part: Partitions, whole: Integers, rest: Floats, rate: float, choice: Integers
) -> tuple[Integers, Floats, Floats]:
    """Return how many indices each interval has and their log weight (rows, intervals), and that of the chosen."""
    intervals = _intervals(cells, part)
    lengths = np.diff(left_edges(cells, part, intervals), axis=1)
    distances = distance_beyond_nearest(intervals[:, :-1], whole[:, None], rest[:, None])
    own = distance_beyond_nearest(count_below(cells, part, choice), whole, rest)
    return lengths, log_weight(distances, rate), log_weight(own, rate)


def _of_whole_values(
    cells: Cells, part: Partitions, whole: Integers, rest: Floats, rate: float, choice: Integers
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
    depth = depths(cells, part, whole, rest, middle[:, 0])
    least = -depth[:, None]
    distances = np.hstack(
        [(whole[:, None] - at_most) + rest[:, None], least, (below - whole[:, None])[:, :-1] - rest[:, None]]
    )
    own = scores(cells, part, choice, whole, rest) + depth
    return lengths, log_weight(distances - least, rate), log_weight(own, rate)


def _intervals(cells: Cells, partitions: Partitions) -> Integers:
    """Return all intervals of each range (rows,) that may hold an index, and the one after the last, (rows, some)."""
    counts = partitions.counts[:, None]
    if isinstance(cells, WeightedCells):
        inside = np.clip(cells.masses[1] - partitions.start[:, None], 0, counts)
        return np.hstack([inside, counts + 1])
    return np.minimum(np.arange(int(partitions.counts.max(initial=0)) + 2), counts + 1)
