"""DPHistGK as printed: bins counted in a textbook Greenwald-Khanna sketch, for tests and the page Inside only.

The printed algorithm adds Laplace noise of scale 2 / epsilon to these counts, as if one replaced record changed two
of them by one. It changes hundreds: from the place of the change on, other tuples are merged. No plan can reach this.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from math import ceil

import numpy as np

from ...arrays import Integers
from ...sketches import bin_edges


def textbook_sketch(stream: Sequence[int], alpha: float) -> list[tuple[int, int, int]]:
    """Return the tuples (value, g, delta) of Greenwald & Khanna 2001, without bands, for a stream of grid indices.

    A new tuple has g = 1 and delta = floor(2 alpha n) - 1, or 0 at either end; after every 1 / (2 alpha) records,
    neighbours with g_i + g_(i+1) + delta_(i+1) <= 2 alpha n become one. O(n * tuples).
    """
    values: list[int] = []
    gaps: list[tuple[int, int]] = []
    period = ceil(1 / (2 * alpha))
    for count, value in enumerate(stream, start=1):
        at = bisect_left(values, value)
        at_an_end = at in (0, len(values))
        values.insert(at, value)
        gaps.insert(at, (1, 0 if at_an_end else max(int(2 * alpha * count) - 1, 0)))
        if count % period == 0:
            _compress(values, gaps, 2 * alpha * count)
    return [(value, *gap) for value, gap in zip(values, gaps, strict=True)]


def _compress(values: list[int], gaps: list[tuple[int, int]], threshold: float) -> None:
    """Merge tuples into their right neighbours, from the right; the first and the last one stay."""
    for at in range(len(values) - 2, 0, -1):
        (own, _), (next_gap, next_delta) = gaps[at], gaps[at + 1]
        if own + next_gap + next_delta <= threshold:
            gaps[at + 1] = (own + next_gap, next_delta)
            del values[at], gaps[at]


def sketched_counts(stream: Sequence[int], alpha: float, grid: int, bins: int) -> Integers:
    """Return what the printed algorithm counts: the g of all tuples whose value lies in a bin; they sum to n."""
    held = textbook_sketch(stream, alpha)
    values, gaps = (np.array([entry[at] for entry in held], np.int64) for at in (0, 1))
    which = np.searchsorted(bin_edges(grid, bins), values, side="right") - 1
    return np.bincount(which, gaps, bins).astype(np.int64)


def counts_changed(stream: Sequence[int], place: int, other: int, alpha: float, grid: int, bins: int) -> int:
    """Return the L1 change of the printed counts when one record of the stream is replaced by another."""
    changed = [*stream[:place], other, *stream[place + 1 :]]
    before, after = (sketched_counts(each, alpha, grid, bins) for each in (stream, changed))
    return int(np.abs(before - after).sum())
