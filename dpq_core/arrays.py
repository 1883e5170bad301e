"""Array types of the package, and a function that makes an array longer. Docstrings of functions give the shapes.

`Segments` are many sorted columns in one array: a sampler reads them where it draws for all of them at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

Integers: TypeAlias = NDArray[np.int64]
"""Grid indices, ranks and counts."""
Floats: TypeAlias = NDArray[np.float64]
"""Values in the column's unit, rank errors, log probabilities."""
Flags: TypeAlias = NDArray[np.bool_]
"""One truth value for each element."""
AT_ONCE = 1 << 13
"""Elements that many steps read at once: more leave the processor's cache."""
Whole = TypeVar("Whole", bound=NDArray[np.number[Any]])


class ArrowStream(Protocol):
    """Any object that offers its values as a stream of Arrow: polars, duckdb, pandas, pyarrow."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return a capsule that holds the stream."""


class ArrowArray(Protocol):
    """Any object that offers its values as one array of Arrow."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> object:
        """Return capsules that hold type and values."""


ArrowLike: TypeAlias = ArrowStream | ArrowArray
ColumnLike: TypeAlias = ArrayLike | Sequence[float | None] | ArrowLike | Iterator[ArrayLike | ArrowLike]
"""Any one-dimensional column of numbers, or its batches one after the other; a missing number may be None."""


SPARE = 1 << 20
"""Entries that a long array gets beyond those that it needs: 8 MB of numbers."""


def with_room(cells: Whole, n: int) -> Whole:
    """Return the same array, or a longer one that starts with the same entries and holds at least n.

    It doubles, and once it is long it grows by SPARE entries, for which the system need not move it.
    """
    if n <= cells.size:
        return cells
    if cells.base is not None:  # the memory of another array cannot grow in place
        cells = cells.copy()
    cells.resize(max(n, cells.size + min(cells.size, SPARE)), refcheck=False)
    return cells


def chunks(size: int, at_once: int = AT_ONCE) -> Iterator[slice]:
    """Yield the places of elements that are changed together, so that what lies between stays in the cache."""
    for start in range(0, size, at_once):
        yield slice(start, min(start + at_once, size))


def held_bytes(*held: object) -> int:
    """Return the bytes of arrays and other objects, by which a worker of a cluster decides what to move to its disk."""
    return sum(each.nbytes if isinstance(each, np.ndarray) else each.__sizeof__() for each in held)


SHORT = 32
"""Ranges below this are searched apart from much longer ones, in fewer passes."""


@dataclass(frozen=True, eq=False)
class Segments:
    """Slots that are sorted within each column; searched only between two places of one column."""

    cells: Integers

    def __sizeof__(self) -> int:
        return held_bytes(self.cells)

    @property
    def size(self) -> int:
        """Return the number of records in all columns."""
        return int(self.cells.size)

    def __getitem__(self, at: Integers | slice) -> Integers:
        return self.cells[at]

    def nearest(self, places: Integers) -> Integers:
        """Return the records at places, or the first or last of all where they are outside."""
        return self.cells.take(places, mode="clip")

    def searchsorted_within(self, cells: Integers, start: Integers, end: Integers) -> Integers:
        """Return for each index the first place in [start, end) with no lower record, or else `end`.

        By halving, many at once: O(log of the longest range) passes.
        """
        wanted = np.reshape(cells, -1)
        low, left = (np.array(np.broadcast_to(each, cells.shape)).reshape(-1) for each in (start, end - start))
        if self.size:
            for some in chunks(low.size):
                self._move_up(wanted[some], low[some], left[some])
        return low.reshape(cells.shape)

    def _move_up(self, wanted: Integers, low: Integers, left: Integers) -> None:
        """Move each `low` to the place of what is wanted among the next `left` records; `left` is changed, too."""
        longest = int(left.max())
        short = left < SHORT
        if longest >= SHORT**2 and SHORT < np.count_nonzero(short) < left.size:
            for part in (short, ~short):
                places = low[part]
                self._move_up(wanted[part], places, left[part])
                low[part] = places
            return
        nonempty = left > 0
        for _ in range((longest - 1).bit_length() if longest else 0):
            half = left >> 1  # the place is among the first half of what is left, or half of it further
            left -= half
            half *= self.cells.take(low + half - 1, mode="clip") < wanted
            low += half
        low += nonempty & (self.cells.take(low, mode="clip") < wanted)


class SortedCells(Protocol):
    """All records as slots in increasing order, wherever they are stored; a numpy array is one."""

    @property
    def size(self) -> int:
        """Return the number of records."""

    @overload
    def __getitem__(self, at: Integers, /) -> Integers: ...
    @overload
    def __getitem__(self, at: slice, /) -> SortedCells: ...

    def searchsorted(self, cells: Integers, /) -> NDArray[np.intp]:
        """Return for each index the number of records at lower ones; same shape."""


Cells: TypeAlias = SortedCells | Segments
"""What draws read: one column, or many one after the other."""
