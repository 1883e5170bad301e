"""Draw one value out of each slice: the positions of slices, the order of draws, and the output distribution."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from ...arrays import Flags, Integers, SortedCells
from ...noise.entropy import Entropy
from ..exponential.distribution import Ranges, Target, rounded_rate
from ..exponential.sampling import draw
from .ranks import RankNoise


def slice_target_level(epsilon: Fraction) -> Target:
    """Return the target of a slice: its middle."""
    # One record replaced moves the score by 1: a draw at rate epsilon / 2 is epsilon-private.
    return Target((Fraction(1, 2),), rounded_rate(epsilon / 2), floored=True)


@dataclass(frozen=True)
class Drawn:
    """All that a run draws besides the mixture: the noise of ranks, and one value in every slice."""

    ranks: RankNoise
    target_level: Target

    @property
    def loss(self) -> Fraction:
        """Return what one record costs that joins: a shift of ranks, and a record replaced in one slice."""
        return self.ranks.loss + 2 * self.target_level.rate


def is_good(noisy: Integers, half_width: Integers | int) -> Flags:
    """Return whether every gap of noisy ranks (trials, m) holds two half-widths; (trials,)."""
    return np.asarray((np.diff(noisy, axis=1) >= 2 * half_width).all(axis=1), dtype=np.bool_)


def slice_parts(noisy: Integers, half_width: Integers | int, count: int) -> tuple[Integers, Integers, Integers]:
    """Return record positions [start, end) of half-open slices, and the middle of each among its real records.

    Ranks r - h + 1 .. r + h. Ranks below 1 or above n are at the ends of the domain; the lower ones
    count as below every value and so move the target among real records down, below 0 where they are the most.
    """
    start, end = np.clip(noisy - half_width, 0, count), np.clip(noisy + half_width, 0, count)
    padded_below = np.clip(half_width - noisy, 0, 2 * half_width)
    return start, end, half_width - padded_below


@lru_cache(maxsize=64)
def bisection(count: int) -> tuple[tuple[Integers, Integers, Integers], ...]:
    """Return, depth by depth, the slices drawn, and the answered ones next to each, below and above.

    Slices are 1..count; 0 means the lower end of the domain and count + 1 the upper.
    """
    depths, row = [], [(0, count + 1)]
    while row := [(low, high) for low, high in row if high - low > 1]:
        low, high = np.array(row).T
        depths.append(((low + high) // 2, low, high))
        row = [half for a, b in row for half in ((a, (a + b) // 2), ((a + b) // 2, b))]
    return tuple(depths)


def draw_slices(
    cells: SortedCells,
    noisy: Integers,
    half_width: Integers | int,
    target_level: Target,
    grid: int,
    entropy: Entropy,
) -> Integers:
    """Return one index for each slice, (trials, m), between the values drawn before it, both included."""
    trials, count = noisy.shape
    start, end, targets = slice_parts(noisy, half_width, cells.size)
    chosen = np.zeros((trials, count + 2), np.int64)
    chosen[:, -1] = grid - 1
    for slices, low, high in bisection(count) if trials else ():
        at = slices - 1
        parts = Ranges(start[:, at], end[:, at], chosen[:, low], chosen[:, high])
        chosen[:, slices] = draw(cells, parts, (target_level,) * len(at), entropy, targets[:, at])
    return chosen[:, 1:-1]


def uniform_cells(grid: int, count: int, trials: int, entropy: Entropy) -> Integers:
    """Return sorted independent uniform indices, (trials, count): answers that do not depend on data."""
    return np.sort(entropy.below(np.full((trials, count), grid)), axis=1)
