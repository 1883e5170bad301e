"""Records as values with counts: sub-indices of 10^8 records in the memory of their distinct values.

Record j of a value has the j-th low bits of a stream that a secret key and the value's own grid index give, so they are
there again whenever they are read. Claim: for every key, tables that differ by one record go to sub-indices that
differ by one, since the value's stream gets one more at its end, or one less, and no other value's moves. What follows
from neighbouring samples for drawn bits (`sample`) therefore follows for these.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, overload

import numpy as np

from .arrays import ColumnLike, Integers
from .errors import DataError
from .noise import jitter, jitter_keys
from .people import WeightedCells
from .values import numeric_column

MOST_RECORDS = 10**15
MOST_SORTED = 1 << 20
"""Records of one value up to which their bits are sorted; those of more are counted."""
MOST_STORED = 1 << 24
"""Integers, 16 bytes each, that stay in memory of values that were read."""


class _Recent:
    """The low bits of the values that were read, forgotten where they would be too many: they can be made again."""

    def __init__(self) -> None:
        self.bits: dict[int, WeightedCells] = {}
        self.stored = 0

    def keep(self, place: int, found: WeightedCells) -> None:
        if self.stored + found.rows.size > MOST_STORED:
            self.bits, self.stored = {}, 0
        self.bits[place] = found
        self.stored += found.rows.size


@dataclass(frozen=True, eq=False, repr=False)
class CountedCells:
    """`SortedCells` of grid indices with counts; a slice is a view."""

    of: WeightedCells
    """Each grid index, as often as it has records."""
    bits: int
    key: bytes
    recent: _Recent = field(default_factory=_Recent)

    def __repr__(self) -> str:
        return "CountedCells()"  # no counts: private

    def __reduce__(self) -> tuple[Any, ...]:
        return CountedCells, (self.of, self.bits, self.key)

    @property
    def size(self) -> int:
        """Return the number of records."""
        return self.of.size

    @overload
    def __getitem__(self, at: Integers, /) -> Integers: ...
    @overload
    def __getitem__(self, at: slice, /) -> CountedCells: ...
    def __getitem__(self, at: Integers | slice, /) -> Integers | CountedCells:
        """Return the sub-indices at some positions, same shape, or a range of positions."""
        if isinstance(at, slice):
            return CountedCells(self.of[at], self.bits, self.key, self.recent)
        positions = np.asarray(at, np.int64) + self.of.start
        places = self.of.through.searchsorted(positions, side="right") - 1
        within = positions - self.of.through[places]
        low = np.empty(positions.shape, np.int64)
        for place in np.unique(places).tolist():
            low[places == place] = self._low_bits(place)[within[places == place]]
        return (self.of.rows[places] << self.bits) | low

    def searchsorted(self, cells: Integers, /) -> Integers:
        """Return for each sub-index the number of records at lower ones; same shape."""
        wanted = np.asarray(cells, np.int64)
        grid, low = wanted >> self.bits, wanted & ((1 << self.bits) - 1)
        places = self.of.rows.searchsorted(grid)
        ranks = np.array(self.of.through[places])
        inside = (low > 0) & (np.append(self.of.rows, -1)[places] == grid)
        for place in np.unique(places[inside]).tolist():
            here = inside & (places == place)
            ranks[here] += self._low_bits(place).searchsorted(low[here])
        return np.asarray(np.clip(ranks, self.of.start, self.of.end) - self.of.start, dtype=np.int64)

    @cached_property
    def every_cell(self) -> Integers:
        """Return all sub-indices as one read-only array, for what reads every record. O(n log n), 8 bytes each."""
        first, through = self.of.rows, self.of.through
        found = np.repeat(first << self.bits, np.diff(through))
        for place, start in enumerate(through[:-1].tolist()):
            low = _sorted_bits(int(through[place + 1]) - start, self.bits, self._key_of(place))
            found[start : start + low.size] |= low
        found = found[self.of.start : self.of.end]
        found.flags.writeable = False
        return found

    def _low_bits(self, place: int) -> WeightedCells:
        """Return the low bits of the records of the value at a place, each once with the number of records there."""
        found = self.recent.bits.get(place)
        if found is None:
            count = int(self.of.through[place + 1] - self.of.through[place])
            found = _counted(count, self.bits, self._key_of(place))
            self.recent.keep(place, found)
        return found

    def _key_of(self, place: int) -> bytes:
        """Return the key of a value's stream: of nothing but the secret and the value's own grid index."""
        return self.key + int(self.of.rows[place]).to_bytes(8, "little")


def counted_cells(grid: Integers, counts: Integers, bits: int, seed: int | None) -> CountedCells:
    """Return the records of grid indices, in any order and repeated or not, with the number of records of each."""
    order = np.argsort(grid, kind="stable")
    order = order[counts[order] > 0]
    grid, counts = grid[order], counts[order]
    first = np.flatnonzero(np.diff(grid, prepend=-1))
    of = WeightedCells.of(grid[first], np.add.reduceat(counts, first) if first.size else counts, unit=1)
    return CountedCells(of, bits, jitter_keys(1, seed)[0])


def checked_counts(counts: ColumnLike, values: int) -> Integers:
    """Return one whole number >= 0 for each value, as int64. Raises DataError."""
    column = numeric_column(counts)
    numbers = column.astype(np.float64)
    whole = numbers.size == values and np.isfinite(numbers).all() and (numbers >= 0).all()
    if not whole or (numbers != np.floor(numbers)).any() or numbers.sum() > MOST_RECORDS:
        raise DataError("the counts must be one whole number >= 0 for each value, at most 10^15 together.")
    return column.astype(np.int64)


def _sorted_bits(count: int, bits: int, key: bytes) -> Integers:
    """Return the bits of the first records under a key, sorted."""
    found = np.concatenate(list(jitter(count, bits, key=key)))
    found.sort()
    return found


def _counted(count: int, bits: int, key: bytes) -> WeightedCells:
    """Return the bits of the first records under a key, each once with its number: sorted, or where many counted."""
    if count <= MOST_SORTED:
        rows, counts = np.unique(_sorted_bits(count, bits, key), return_counts=True)
        return WeightedCells.of(rows, counts, unit=1)
    counts = np.zeros(1 << bits, np.int64)
    for chunk in jitter(count, bits, key=key):
        counts += np.bincount(chunk, minlength=counts.size)
    return WeightedCells.of(np.arange(counts.size), counts, unit=1)
