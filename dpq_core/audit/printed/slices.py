"""The printed SliceQuantiles, which breaks its guarantee where a record joins: for tests and the page Inside only.

Printed: ranks floor(q n) of the private number n. When one person joins, many ranks move at once, each by one or not
at all, and noise that is cheap to shift from one place on is expensive to shift in many places. Sound: ranks of a noisy
number of records (`slices.mechanism`). For flat noise the exact probability of an output is a sum along a
chain, slice by slice, so the loss at one output is computed exactly, up to noise that is far too large to matter.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ...arrays import Floats, Integers
from ...mechanisms.exponential import Partitions, TargetLevel, log_density
from ...mechanisms.slices import bisection, ranks_of, slice_parts, slice_target_level

FAR = 60
"""Noise on ranks is summed over -60..60; output and data are such that more hardly happens."""
SPACING = 8
"""Grid indices between neighbouring records of the example."""


def loss_of_private_ranks(
    count: int, rank_epsilon: Fraction, draw_epsilon: Fraction, half_width: int, *, printed: bool = True
) -> float:
    """Return the loss at one output when a record joins `count` evenly spaced quantiles of evenly spaced records.

    `printed` takes floor(q n) and floor(q (n + 1)); otherwise both data sets have the ranks of one public number.
    """
    size = count + 1
    levels = tuple(Fraction(i, size) for i in range(1, size))
    n = size * (4 * half_width + FAR) + worst_remainder(count, rank_epsilon, draw_epsilon)
    ranks, next_ranks = ranks_of(levels, n), ranks_of(levels, n + 1)
    moved = np.array(next_ranks) - np.array(ranks)
    # An output beyond the rank where the rank moves, so that every move makes it likelier.
    wanted = np.array(ranks) + moved * half_width
    outputs = wanted * SPACING - SPACING // 2
    records, grid = np.arange(n + 1) * SPACING, (n + 2) * SPACING
    target_level = slice_target_level(draw_epsilon)
    before, after = (
        log_chance(outputs, data, np.array(own), half_width, float(rank_epsilon), target_level, grid)
        for data, own in ((records[:-1], ranks), (records, next_ranks if printed else ranks))
    )
    return abs(after - before)


def worst_remainder(count: int, rank_epsilon: Fraction, draw_epsilon: Fraction) -> int:
    """Return the remainder of n by count + 1 for which moving the ranks of a joining record costs most.

    A run of ranks that move together costs a shift at both its ends, or one draw less likely for each.
    """
    size = count + 1

    def cost(remainder: int) -> float:
        moved = [i * (remainder + 1) // size - i * remainder // size for i in range(1, size)]
        runs = "".join(map(str, moved)).split("0")
        return sum(min(2 * float(rank_epsilon), len(run) * float(draw_epsilon) / 2) for run in runs)

    return max(range(size), key=cost)


def log_chance(
    outputs: Integers,
    cells: Integers,
    ranks: Integers,
    half_width: int,
    rank_epsilon: float,
    target_level: TargetLevel,
    grid: int,
) -> float:
    """Return the log probability that good slices with flat noise on `ranks` answer `outputs` (m,): a forward sum."""
    noise = np.arange(-FAR, FAR + 1)
    draws = log_draws(outputs, cells, ranks + noise[:, None], half_width, target_level, grid)
    steps = rank_epsilon * np.abs(noise[None, :] - noise[:, None])  # from noise (row) to noise (column)
    total, scale = np.exp(-rank_epsilon * np.abs(noise)), 0.0
    for at in range(outputs.size):
        if at:
            gap = ranks[at] - ranks[at - 1] + noise[None, :] - noise[:, None]
            total = total @ np.where(gap >= 2 * half_width, np.exp(-steps), 0.0)
        top = draws[:, at].max()
        total = total * np.exp(draws[:, at] - top)
        scale += float(top) + float(np.log(total.sum()))
        total /= total.sum()
    return scale


def log_draws(
    outputs: Integers,
    cells: Integers,
    noisy: Integers,
    half_width: Integers | int,
    target_level: TargetLevel,
    grid: int,
) -> Floats:
    """Return the log probability of each output, (m,) or (rows, m), in its slice at good noisy ranks (rows, m)."""
    start, end, targets = slice_parts(noisy, half_width, cells.size)
    bounds = np.pad(np.broadcast_to(outputs, noisy.shape), ((0, 0), (1, 1)), constant_values=((0, 0), (0, grid - 1)))
    logs = np.empty(noisy.shape)
    for slices, low, high in bisection(noisy.shape[1]):
        at = slices - 1
        parts = Partitions(start[:, at], end[:, at], bounds[:, low], bounds[:, high])
        logs[:, at] = log_density(cells, parts, (target_level,) * at.size, bounds[:, slices], targets[:, at])
    return logs


def loss_of_visible_ranks(count: int, draw_epsilon: Fraction, half_width: int) -> float:
    """Return the loss at one output when a record joins below all others and noisy ranks are shown."""
    ranks = np.arange(1, count + 1) * 4 * half_width
    records = np.arange(1, int(ranks[-1]) + 4 * half_width) * SPACING
    outputs, grid = (ranks - half_width // 2) * SPACING, int(records[-1]) + SPACING
    laws = [
        log_draws(outputs, data, ranks[None, :], half_width, slice_target_level(draw_epsilon), grid)
        for data in (records, np.append(0, records))
    ]
    return float(np.abs((laws[0] - laws[1]).sum()))
