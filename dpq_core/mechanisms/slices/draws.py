"""Draw one value out of each slice, and see a run as steps: private, as noisy ranks and slices must never leave."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from ...arrays import Flags, Integers, SortedCells
from ...column import Column
from ...noise.entropy import Entropy
from ..base import DrawStep
from ..exponential.density import Pieces, distribution_pieces
from ..exponential.distribution import Ranges, Target, rounded_rate
from ..exponential.sampling import draw
from .layout import SliceLayout
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
    cells: SortedCells, noisy: Integers, half_width: Integers | int, target_level: Target, grid: int, entropy: Entropy
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


@dataclass(frozen=True, kw_only=True)
class SliceStep(DrawStep):
    """One level of a run; `records`, `bounds`, `target` and `distribution` are those of the draw in its slice."""

    rank: int
    """The rank of the level, floor(q n), of the noisy number of records where one is used."""
    noisy_rank: int
    half_width: int
    """The slice holds the ranks noisy_rank - half_width + 1 .. noisy_rank + half_width."""
    slack: int | None
    """How much wider than two half-widths the noisy gap to the next slice is; None for the last slice."""
    padded: int
    """How many ranks of the slice lie outside 1..n."""
    good: bool
    """Whether all slices of the run fitted; if not, its answers are uniform."""
    shared: bool
    """Whether another level has the same slice."""


def steps_of(
    column: Column, layout: SliceLayout, rows: tuple[Integers, Integers, Integers], target_level: Target, *, good: bool
) -> list[SliceStep]:
    """Return the steps of one run, a level each: `rows` are its ranks, noisy ranks and the answers of all levels."""
    ranks, noisy, answers = rows
    width, together = layout.half_width, Counter(layout.answered_by)
    start, end, target = slice_parts(noisy, width, column.n)
    chosen = answers[[layout.answered_by.index(place) for place in range(len(layout.remaining))]]
    drawn = _drawn_between(chosen, column.slots)
    steps = []
    for place in layout.answered_by:
        depth, low, high = drawn[place]
        records = (int(start[place]), int(end[place]))
        low_value, high_value, value = column.values_of(np.array([low, high, chosen[place]])).tolist()
        size = records[1] - records[0]
        inside = Target((Fraction(min(max(int(target[place]), 0), size), max(size, 1)),), target_level.rate)
        uniform: Pieces = ((low_value,), (1.0,))
        steps.append(
            SliceStep(
                level=Fraction(0),
                depth=depth,
                records=records,
                bounds=(low_value, high_value),
                target=float(noisy[place]),
                value=value,
                epsilon=float(2 * target_level.rate),
                distribution=distribution_pieces(column, records, low, high, inside) if good else uniform,
                rank=int(ranks[place]),
                noisy_rank=int(noisy[place]),
                half_width=width,
                slack=int(noisy[place + 1] - noisy[place]) - 2 * width if place + 1 < len(noisy) else None,
                padded=2 * width - size,
                good=good,
                shared=together[place] > 1,
            )
        )
    return steps


def _drawn_between(chosen: Integers, grid: int) -> dict[int, tuple[int, int, int]]:
    """Return for every slice its depth in the order of draws, and the indices between which it was drawn."""
    ends = np.concatenate([[0], chosen, [grid - 1]])
    return {
        int(own) - 1: (depth, int(ends[low]), int(ends[high]))
        for depth, (slices, lows, highs) in enumerate(bisection(len(chosen)))
        for own, low, high in zip(slices, lows, highs, strict=True)
    }
