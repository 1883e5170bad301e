"""The output distribution of two quantiles drawn at once: targets and weights of pairs."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

import numpy as np

from ....arrays import Flags, Floats, Integers
from ....sample import SortedCells
from ..distribution import Partitions, Rate, TargetLevel, count_below, left_edges, log_weight, split_targets

Levels: TypeAlias = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class PairAim:
    """The targets of one draw of two quantiles, public: increasing levels, and the exponent per record of span."""

    levels: Levels
    rate: Rate

    @cached_property
    def rate_as_float(self) -> float:
        """Return the rate for the fast sampler."""
        return float(self.rate)

    def targets(self, count: int) -> list[Fraction]:
        """Return the target ranks among `count` records."""
        return [level * count for level in self.levels]

    @cached_property
    def block_width(self) -> int:
        """Return how many intervals of either quantile form a block: within it a pair's weight falls by e^4 at most."""
        return max(int(2 / self.rate), 1)


def split_pair_targets(counts: Integers, target_levels: tuple[PairAim, ...]) -> tuple[Integers, Floats]:
    """Return targets among `counts` (trials, draws) as whole ranks and rests in [0, 1), both (trials, draws, 2)."""
    sides = [
        split_targets(
            counts, tuple(TargetLevel(target_level.levels[side], target_level.rate) for target_level in target_levels)
        )
        for side in (0, 1)
    ]
    return np.stack([whole for whole, _ in sides], axis=-1), np.stack([part for _, part in sides], axis=-1)


def spans(lower: Floats, upper: Floats) -> Floats:
    """Return the span of two signed rank errors: from the least of 0 and both to the greatest."""
    return np.maximum(np.maximum(lower, upper), 0) - np.minimum(np.minimum(lower, upper), 0)


def nearest_spans(part: Floats) -> Floats:
    """Return the least span of all pairs of whole ranks, for targets with the rests `part` (..., 2); shape (...)."""
    found = [spans(lower - part[..., 0], upper - part[..., 1]) for lower in (0, 1) for upper in (0, 1)]
    return np.asarray(np.min(found, axis=0), dtype=np.float64)


def log_pair_weights(lower: Integers, upper: Integers, whole: Integers, part: Floats, rate: Floats | float) -> Floats:
    """Return the log weight of a pair of intervals beside that of the nearest one; `whole`, `part` end with a pair."""
    span = spans((lower - whole[..., 0]) - part[..., 0], (upper - whole[..., 1]) - part[..., 1])
    return log_weight(span - nearest_spans(part), rate)


def ways(lower: Integers, lower_lengths: Integers, upper: Integers, upper_lengths: Integers) -> Floats:
    """Return in how many ways a pair of intervals can hold increasing indices, one in each, or both in one."""
    apart = lower_lengths * upper_lengths.astype(np.float64)
    together = lower_lengths * (lower_lengths + 1.0) / 2
    return np.where(lower < upper, apart, np.where(lower == upper, together, 0.0))


def log_pair_density(
    cells: SortedCells, parts: Partitions, target_levels: tuple[PairAim, ...], chosen: Integers
) -> Floats:
    """Return the log probability of each drawn pair (trials, draws, 2) in its range, (trials, draws); -inf outside.

    O(n^2) each: for audits.
    """
    wholes, rests = split_pair_targets(parts.counts, target_levels)
    logs = np.empty(chosen.shape[:2])
    for column, target_level in enumerate(target_levels):
        part, choice = parts.column(column), chosen[:, column]
        whole, rest = wholes[:, column], rests[:, column]
        gaps = np.arange(int(part.counts.max(initial=0)) + 2)
        lengths = np.diff(left_edges(cells, part, np.minimum(gaps, part.counts[:, None] + 1)), axis=1)
        lower, upper = gaps[:-1, None], gaps[None, :-1]
        weights = log_pair_weights(lower, upper, whole[:, None, None], rest[:, None, None], target_level.rate_as_float)
        counted = ways(lower, lengths[:, :, None], upper, lengths[:, None, :])
        top = np.where(counted > 0, weights, -np.inf).max(axis=(1, 2))
        total = top + np.log((counted * np.exp(weights - top[:, None, None])).sum(axis=(1, 2)))
        below_lower, below_upper = (count_below(cells, part, choice[:, side]) for side in (0, 1))
        own = log_pair_weights(below_lower, below_upper, whole, rest, target_level.rate_as_float)
        logs[:, column] = np.where(_fits(part, choice), own - total, -np.inf)
    return logs


def _fits(part: Partitions, choice: Integers) -> Flags:
    """Return whether a pair of indices (trials, 2) increases and lies in its range."""
    low, high = choice[:, 0], choice[:, 1]
    return np.asarray((low >= part.low) & (low <= high) & (high <= part.high), dtype=bool)
