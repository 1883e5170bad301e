"""JointExp's law, by sums over all pairs of intervals between records: for audits of columns of any domain."""

from __future__ import annotations

import numpy as np

from ...arrays import Floats, Integers
from ...people.shares import WeightedCells
from ...sample import SortedCells
from .distance import counts_between


def intervals_of(cells: SortedCells, grid: int) -> tuple[Integers, Integers]:
    """Return the last cell before each interval, and that of the grid; and the ranks of the intervals, in units."""
    if isinstance(cells, WeightedCells):
        records, ranks = cells.masses
    else:
        records = cells if isinstance(cells, np.ndarray) else cells[np.arange(cells.size)]
        ranks = np.arange(records.size + 1)
    return np.concatenate([[-1], records, [grid - 1]]), ranks


def log_law_of(outputs: Integers, cells: SortedCells, grid: int, proportions: Floats, rate: float) -> Floats:
    """Return log probabilities of non-decreasing outputs (outputs, levels); `rate` is natural, for a rank."""
    edges, ranks = intervals_of(cells, grid)
    there = np.diff(edges) > 0
    lengths, ranks = np.diff(edges)[there].astype(np.float64), ranks[there].astype(np.float64)
    wanted, levels, count = proportions * cells.size, len(proportions) - 1, int(cells.size)
    more = np.arange(levels)[:, None]
    ways = np.cumsum(np.log(lengths + more) - np.log(more + 1.0), axis=0)
    steps, later = ranks[:, None] - ranks, np.tri(ranks.size, k=-1, dtype=bool)
    starts, ends = [-rate * np.abs(ranks - wanted[0])], np.empty(0)
    for column in range(levels):
        if column:
            logs = np.where(later, ends - rate * np.abs(steps - wanted[column]), -np.inf)
            starts.append(np.logaddexp.reduce(logs, axis=1))
        stays = rate * np.cumsum(np.append(0.0, wanted[column:0:-1]))
        runs = [ways[back] - stays[back] + starts[column - back] for back in range(column + 1)]
        ends = np.logaddexp.reduce(np.array(runs), axis=0)
    total = np.logaddexp.reduce(ends - rate * np.abs(count - ranks - wanted[-1]))
    ranks_of_outputs = np.asarray(cells.searchsorted(outputs), dtype=np.int64)
    between = counts_between(ranks_of_outputs, count)
    return np.asarray(-rate * np.abs(between - wanted).sum(axis=1) - total, dtype=np.float64)
