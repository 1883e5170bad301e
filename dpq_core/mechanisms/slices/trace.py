"""One run of SliceQuantiles as steps: private, as noisy ranks and slices must never leave in a release."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ...arrays import Integers
from ...column import Column
from ..base import DrawStep
from ..exponential.density import Pieces, distribution_pieces
from ..exponential.distribution import Target
from .draws import bisection, slice_parts
from .layout import SliceLayout


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
    column: Column,
    layout: SliceLayout,
    rows: tuple[Integers, Integers, Integers],
    target_level: Target,
    *,
    good: bool,
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
