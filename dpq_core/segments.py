"""Many sorted columns one after the other in one array: what a sampler reads where it draws for all of them at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .arrays import Integers

SHORT = 32
"""Ranges below this are searched apart from longer ones, in fewer passes."""


@dataclass(frozen=True, eq=False)
class Segments:
    """Sub-indices that are sorted within each column; searched only between two places of one column."""

    cells: Integers

    @property
    def size(self) -> int:
        """Return the number of records in all columns."""
        return int(self.cells.size)

    def __getitem__(self, at: Integers | slice) -> Integers:
        return self.cells[at]

    def nearest(self, places: Integers) -> Integers:
        """Return the records at places, or the first or last of all where they are outside."""
        return self.cells.take(places, mode="clip")

    def searchsorted_within(self, cells: Integers, start: Integers, end: Integers) -> NDArray[np.intp]:
        """Return for each index the first place in [start, end) with no lower record, or else `end`.

        By halving, all at once: O(log of the longest range) passes.
        """
        low, left = (np.array(np.broadcast_to(each, cells.shape), dtype=np.int64) for each in (start, end - start))
        if self.size == 0:
            return low
        short = left < SHORT
        if SHORT < np.count_nonzero(short) < left.size:
            for part in (short, ~short):
                low[part] = self.searchsorted_within(cells[part], low[part], low[part] + left[part])
            return low
        for _ in range(int(left.max(initial=0)).bit_length()):
            half = left >> 1
            above = self.cells.take(low + half, mode="clip") < cells
            above &= left > 0
            low += (half + 1) * above
            left -= np.where(above, half + 1, left - half)
        return low
