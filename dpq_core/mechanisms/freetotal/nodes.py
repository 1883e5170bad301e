"""The free total among the records of parts of the data: the draws of several levels in AQ's recursion.

A record at the last index of a part, or an answer there, belongs to it as in `exponential.sampling`.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Cells, Floats, Integers
from ...noise.entropy import Entropy
from ...noise.exact import ExactEntropy
from ...noise.fast import SeededSampler
from ...people.shares import unit_of
from ..exponential.distribution import Ranges, Target
from ..joint.distance import plain_proportions
from ..joint.windows import Part
from .chains import Batch
from .draws import OneTotal, Paths, draws_of
from .many import MOST_LEVELS_OF_ONE_TOTAL, draw_many

TRIES = 12
"""This often as many attempts as levels take as long as the other way. Of 2 to 6 levels one in 2, 3, 5, 10, 20 does."""


def draw_parts(cells: Cells, parts: Ranges, target_levels: tuple[Target, ...], entropy: Entropy) -> Integers:
    """Return drawn indices, shape (trials, draws, levels), increasing: column j draws in its range.

    All of `target_levels` are equally many. Indices, parts and their ends are those of `exponential.draw`.
    """
    trials, draws = parts.start.shape
    if not parts.start.size:
        return np.empty((trials, draws, len(target_levels[0].levels)), np.int64)
    flat, which = parts.flat(), np.tile(np.arange(draws), trials)

    if isinstance(entropy, ExactEntropy):
        ranges = [_part(cells, flat, row, target_levels[at]) for row, at in enumerate(which.tolist())]
        chosen = flat.low[:, None] + _draw_exact(ranges, entropy)
    else:
        assert isinstance(entropy, SeededSampler), "there are two samplers"
        chosen = _draw_fast(cells, flat, which, target_levels, entropy)
    return chosen.reshape(trials, draws, len(target_levels[0].levels))


def _draw_fast(
    cells: Cells, parts: Ranges, which: Integers, target_levels: tuple[Target, ...], entropy: SeededSampler
) -> Integers:
    """Return the answers of all draws, (draws, levels); draws of the same range are weighed once."""
    same = np.stack([which, parts.start, parts.end, parts.low, parts.high], axis=1)
    _, first, rows = np.unique(same, axis=0, return_index=True, return_inverse=True)
    proportions = np.array([plain_proportions(each.levels) for each in target_levels])[which[first]]
    rates = np.array([each.rate_as_float / unit_of(cells) for each in target_levels])[which[first]]
    distinct = parts.flat(first)

    def alone(row: int, count: int) -> Integers:
        part = _part(cells, distinct, row, target_levels[which[first[row]]])
        return np.asarray(distinct.low[row] + draws_of(part).draw(entropy, count), dtype=np.int64)

    return draw_many(Batch(cells, distinct, proportions, rates), rows.reshape(-1), entropy, alone)


def _draw_exact(parts: list[Part], entropy: ExactEntropy) -> Integers:
    """Return cells of one draw from each part, (parts, levels): of few levels first all parts together."""
    levels = len(parts[0].levels)
    chosen, done = np.empty((len(parts), levels), np.int64), np.zeros(len(parts), np.bool_)
    if 1 < levels <= MOST_LEVELS_OF_ONE_TOTAL:
        few = np.array([part.few is not None for part in parts])
        for some in (np.flatnonzero(~few), *np.flatnonzero(few)[:, None]):
            if some.size:
                one, rows = OneTotal([parts[row] for row in some]), np.arange(some.size)
                chosen[some], done[some] = entropy.accepted_soon(one.attempts, rows, TRIES * levels, (levels,), levels)
    for row in np.flatnonzero(~done).tolist():
        chosen[row] = draws_of(parts[row]).draw(entropy, 1)[0]
    return chosen


def _part(cells: Cells, parts: Ranges, row: int, target: Target) -> Part:
    """Return the records of a range for a draw at a target."""
    start, end, low, high = (int(each[row]) for each in (parts.start, parts.end, parts.low, parts.high))
    return Part.of(cells[start:end], high - low + 1, target.levels, target.rate, low)


def log_density_of_parts(cells: Cells, parts: Ranges, target_levels: tuple[Target, ...], chosen: Integers) -> Floats:
    """Return the log probability of drawn indices (trials, draws, levels) in their ranges, (trials, draws).

    By enumeration of all paths through the intervals: for audits.
    """
    logs = np.full(chosen.shape[:2], -np.inf)
    for column, target in enumerate(target_levels):
        part, choice = parts.column(column), chosen[:, column]
        same = np.stack([part.start, part.end, part.low, part.high], axis=1)
        _, first, rows = np.unique(same, axis=0, return_index=True, return_inverse=True)
        for number, row in enumerate(first.tolist()):
            at = np.flatnonzero(rows.reshape(-1) == number)
            own = _part(cells, part, row, target)
            places = choice[at] - own.low
            fits = (places[:, 0] >= 0) & (places[:, -1] < own.grid) & (np.diff(places, axis=1) >= 0).all(axis=1)
            logs[at[fits], column] = Paths(own).log_law(places[fits])
    return logs
