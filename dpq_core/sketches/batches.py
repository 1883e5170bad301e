"""Sort a batch of grid indices and count it: the part of reading a stream that takes most of its time.

A batch that spreads over its range is sorted in two steps, on any processor: a radix sort by 16 bits that say in which
part of the range a record lies, then runs of what is nearly in order are merged. Both are numpy's stable sorts, of
short and of long integers. The parts are of equal width or, where most records crowd into few of those, ever wider from
the lowest record on; where that does not help, one sort is quicker. All give the same.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..arrays import Integers
from .rank_bounds import RankBounds

MOST_BITS = 16
"""numpy sorts integers of at most this number of bits by radix."""
CROWDED = 64
"""Records in the part of an average one from which on one sort is quicker."""
_ONE = np.float64(1).view(np.int64)
_FINEST = 52 - 10
"""Bits of a float that are left out: 2^10 parts between a number and twice that, in up to 62 doublings."""


def exact_bounds(cells: Integers) -> RankBounds:
    """Return the exact rank bounds of grid indices in any order, E = 1: O(n) where they spread or are few values."""
    if cells.size == 0:
        return RankBounds.empty()
    lowest = cells.min()
    above = cells - lowest
    shift = max(int(above.max()).bit_length() - min(MOST_BITS, cells.size.bit_length()), 0)
    for parts in _parts(above, shift):
        counts = np.bincount(parts)
        if shift == 0:
            return _of_counts(lowest, counts)
        if int(counts @ counts) <= CROWDED * cells.size:
            nearly = cells[np.argsort(parts.astype(np.uint16), kind="stable")]
            nearly.sort(kind="stable")
            return RankBounds.exact(nearly)
    return RankBounds.exact(np.sort(cells))


def _parts(above: Integers, shift: int) -> Iterator[Integers]:
    """Yield the number of each record's part of the range, never falling in its index: equal parts, then wider ones."""
    yield above >> shift
    yield ((above + 1.0).view(np.int64) - _ONE) >> _FINEST


def _of_counts(lowest: np.int64, counts: Integers) -> RankBounds:
    """Return the bounds of a batch of which each value was counted, from the lowest one on."""
    found = np.flatnonzero(counts)
    through = np.cumsum(counts[found])
    return RankBounds(found + lowest, through - counts[found], through, int(through[-1]))
