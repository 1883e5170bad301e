"""The output distribution of one draw in a few hundred pieces, for the page Inside: as fast for any size of data.

Intervals are taken in runs within which weights hardly differ, so that a run is as good as one interval; and neighbours
that hold little together become one piece. Within a piece the probability is spread evenly.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from ...arrays import Floats, Integers
from ...sample import Sample
from .distribution import Partitions, TargetLevel, distance_beyond_nearest, left_edges, log_weight, split_targets
from .ties import depths, edges_around, first_of_value, last_of_value

Pieces: TypeAlias = tuple[tuple[float, ...], tuple[float, ...]]

REACH = 130
"""Intervals whose weight is exp(-130) of the largest have less than 2^-100 of the probability, however wide."""
ALIKE = 0.02
"""Weights within a run of intervals differ by a factor of exp(0.02) at most."""
SHARE = 1 / 200
"""A piece of more than one run holds no more than about this probability."""


def distribution_pieces(
    sample: Sample, records: tuple[int, int], low: int, high: int, target_level: TargetLevel
) -> Pieces:
    """Return the output distribution of one draw from these records, between two sub-indices."""
    partition = Partitions(*(np.array([place]) for place in (*records, low, high)), values=sample.places)
    whole, rest = split_targets(partition.counts[:, None], (target_level,))
    rate = target_level.rate_as_float
    if target_level.signed:
        return _pieces_of_values(sample, partition, whole[0], rest[0], rate)
    runs = runs_of_intervals(int(whole[0, 0]), records[1] - records[0], rate, REACH, ALIKE)
    edges = left_edges(sample.records, partition, runs[None, :])[0]
    distance = distance_beyond_nearest((runs[:-1] + runs[1:] - 1) // 2, whole[0], rest[0])
    return condensed(sample, edges, np.diff(edges) * np.exp(log_weight(distance, rate)))


def _pieces_of_values(sample: Sample, part: Partitions, whole: Integers, rest: Floats, rate: float) -> Pieces:
    """Return the same of a draw of whole values, in runs of as many ranks outwards from the target."""
    count, above = int(part.counts[0]), whole + (rest > 0)
    length = max(int(min(ALIKE / rate, count + 1)), 1)
    steps = np.arange(0, int(min(REACH / rate, count)) + length, length)
    edges = edges_around(sample.records, part, whole, above, steps[None, :])
    depth = depths(sample.records, part, whole, rest, edges[:, steps.size + 1])
    inside = steps + (length - 1) / 2
    left, right = rest + depth + inside[::-1], (above - whole) - rest + depth + inside
    distance = np.concatenate([left, [0.0], right])
    return condensed(sample, edges[0], np.diff(edges[0]) * np.exp(log_weight(distance, rate)))


def runs_of_intervals(target: int, count: int, rate: float, reach: float, alike: float) -> Integers:
    """Return the first intervals of runs of equal length around a target, and the end of the last one.

    Intervals are numbered 0 .. count; runs begin at multiples of their length, so that those of two targets match.
    """
    length = max(int(min(alike / rate, count + 1)), 1)
    far = int(min(reach / rate, count)) + length
    first, end = max(target - far, 0) // length * length, min(target + far, count) + 1
    return np.append(np.arange(first, end, length), end)


def condensed(sample: Sample, edges: Integers, weights: Floats) -> Pieces:
    """Return a distribution, given by weights of ranges (edge, next edge] of sub-indices, in fewer pieces."""
    ends, through = edges + 1, np.append(0.0, np.cumsum(weights / weights.sum()))
    below = first_of_value(ends, sample.places)
    above = last_of_value(ends - 1, sample.places) + 1
    starts = np.unique(np.clip(np.concatenate([below, above]), ends[0], ends[-1]))
    through = np.interp((starts - ends[0]).astype(np.float64), (ends - ends[0]).astype(np.float64), through)
    chances = np.diff(through)
    heavy = np.flatnonzero(chances > SHARE)
    cuts = np.searchsorted(through[1:], np.arange(SHARE, 1, SHARE))
    first = np.unique(np.concatenate([[0], cuts, heavy, heavy + 1]))
    first = first[first < chances.size]
    return tuple(sample.values_of(starts[first]).tolist()), tuple(np.add.reduceat(chances, first).tolist())
