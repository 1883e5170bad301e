"""Collect the rows of all groups as they come in batches, in as little memory as the domain and the list allow.

A row is one number of 64 bits, (group, sub-index), where both fit: sorted in place it is in order. Else both are kept,
12 bytes, and sorted by counting, group by group.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from ..arrays import Integers, with_room
from ..errors import DataError
from .names import GroupCodes, GroupColumn, GroupName, GroupsLike, codes_of

MOST_BITS = 63
"""Of a group and a sub-index together: they stay non-negative integers of 64 bits."""
_ROWS_AT_ONCE = 1 << 18


class CollectedRows:
    """Rows that belong to a group: added batch by batch, then ordered once."""

    def __init__(self, groups: int, fine_cells: int) -> None:
        self._groups, self._cell_bits, self._rows = groups, (fine_cells - 1).bit_length(), 0
        self._in_one = self._cell_bits + (groups - 1).bit_length() <= MOST_BITS
        self._cells: Integers = np.empty(0, np.int64)
        self._codes: GroupCodes = np.empty(0, np.int32)

    def add(self, cells: Integers, codes: GroupCodes) -> None:
        """Add the sub-indices and groups of a batch; both arrays are not used again by others."""
        if self._in_one:
            for start in range(0, cells.size, _ROWS_AT_ONCE):
                part = slice(start, start + _ROWS_AT_ONCE)
                cells[part] |= codes[part].astype(np.int64) << self._cell_bits
        end = self._rows + cells.size
        if self._rows == 0:
            self._cells, self._codes = cells, codes
        elif cells.size:
            self._cells = with_room(self._cells, end)
            self._cells[self._rows : end] = cells
            if not self._in_one:
                self._codes = with_room(self._codes, end)
                self._codes[self._rows : end] = codes
        if self._in_one:
            self._codes = np.empty(0, np.int32)
        self._rows = end

    def ordered(self) -> tuple[Integers, Integers]:
        """Return the sub-indices sorted by (group, sub-index), and where each group begins; call it once."""
        cells, self._cells = self._cells[: self._rows], np.empty(0, np.int64)
        if not self._in_one:
            codes, self._codes = self._codes[: self._rows], np.empty(0, np.int32)
            return by_group(cells, codes, self._groups)
        cells.sort()
        firsts = np.arange(self._groups, dtype=np.int64) << self._cell_bits
        starts = np.append(np.searchsorted(cells, firsts), cells.size).astype(np.int64)
        cells &= (1 << self._cell_bits) - 1
        cells.flags.writeable = False
        return cells, starts


def by_group(cells: Integers, codes: GroupCodes, groups: int) -> tuple[Integers, Integers]:
    """Return the cells sorted by (group, cell), and where each group begins: a counting sort, then group by group."""
    from scipy.sparse import csr_array

    ends = np.array([0, cells.size], codes.dtype if cells.size < 2**31 else np.int64)
    counted = csr_array((cells, codes, ends), shape=(1, groups)).tocsc()
    ordered, starts = counted.data, counted.indptr.astype(np.int64)
    for start, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        ordered[start:end].sort()
    ordered.flags.writeable = False
    return ordered, starts


def with_codes(
    columns: Iterable[NDArray[np.generic]],
    groups: GroupColumn | Iterable[GroupsLike],
    names: tuple[GroupName, ...],
    *,
    pooled: bool,
) -> Iterator[tuple[NDArray[np.generic], GroupCodes]]:
    """Yield each batch of values with the places of its groups, which may come in batches of other lengths.

    Raises DataError where there are more of the ones than of the others.
    """
    refusal = DataError("the groups must be one column, with one group for each value.")
    whole = [groups] if isinstance(groups, GroupColumn) else groups
    coded = (codes_of(each, names, pooled) for each in whole)
    left = np.empty(0, np.int32)
    for column in columns:
        parts, known = [left], left.size
        while known < column.size:
            more = next(coded, None)
            if more is None:
                raise refusal
            parts.append(more)
            known += more.size
        left = parts[-1] if len(parts) == 1 else np.concatenate(parts)
        yield column, left[: column.size]
        left = left[column.size :]
    if any(more.size for more in chain([left], coded)):
        raise refusal
