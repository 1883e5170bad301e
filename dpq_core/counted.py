"""Records as values with counts: sub-indices of 10^8 records in the memory of their distinct values.

The low bits of a value's records are computed when they are read, from a secret key and the value's own grid index. So
a second reading gives the same bits. Take c records with b low bits each. The number of records whose first bit is 0
has the distribution of heads among c fair coins. Given that number, the remaining b - 1 bits of each record are
independent and uniform again, in either half. So coins count the halves, until few records are left; the bits of those
are made one by one (`_LowBits`).

Claim: with a stream of ideal coins, the sub-indices have exactly the joint distribution that independent uniform bits
of each record give. It does not matter how many of them are read, or in which order. What `sample` proves about drawn
bits of neighbouring samples is a statement about this distribution, so it holds for these bits too. No value's bits
depend on another value.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, overload

import numpy as np

from .arrays import ColumnLike, Integers
from .domain import Measure, low_bits_below
from .errors import DataError
from .noise import heads, jitter, jitter_keys
from .people import WeightedCells
from .values import numeric_column

MOST_RECORDS = 10**15
MOST_SORTED = 1 << 10
"""Up to this number of records, bits are made one by one and sorted; larger numbers are halved."""
MOST_STORED = 1 << 24
"""The most integers that are kept in memory for values that were read."""
_AT_ONCE = 1 << 20


class _Recent:
    """Keep the bits of values that were read, and drop them when they take too much memory: they can be made again."""

    def __init__(self) -> None:
        self.sorted: dict[bytes, Integers] = {}
        self.heads: dict[bytes, int] = {}
        self.stored = 0

    def make_room(self, size: int) -> None:
        """Make room for this number of integers."""
        if self.stored + size > MOST_STORED:
            self.sorted, self.heads, self.stored = {}, {}, 0
        self.stored += size


@dataclass(slots=True, eq=False, repr=False)
class _LowBits:
    """The sorted low bits of equal records: of all of one value, or of those that begin with the same bits."""

    count: int
    bits: int
    """How many of them are still open."""
    key: bytes
    """Of the value."""
    recent: _Recent
    node: int = 1
    """A one, and then the bits that all of them begin with."""

    @property
    def halves(self) -> tuple[_LowBits, _LowBits] | None:
        """Return the records whose next bit is 0, and the others; None for those that are made one by one."""
        if self.count <= MOST_SORTED or not self.bits:
            return None
        key = self._key
        if key not in self.recent.heads:
            self.recent.make_room(1)
            self.recent.heads[key] = heads(self.count, key)
        first = self.recent.heads[key]
        of, open_bits, node = (self.key, self.recent), self.bits - 1, 2 * self.node
        return _LowBits(first, open_bits, *of, node), _LowBits(self.count - first, open_bits, *of, node + 1)

    @property
    def one_by_one(self) -> Integers:
        """Return the open bits of all of them, sorted."""
        key = self._key
        if key not in self.recent.sorted:
            self.recent.make_room(self.count)
            found = np.concatenate([np.empty(0, np.int64), *jitter(self.count, self.bits, key=key)])
            found.sort()
            self.recent.sorted[key] = found
        return self.recent.sorted[key]

    def below(self, low: Integers) -> Integers:
        """Return how many records have lower bits, for each of an array of bits."""
        if not low.any():
            return low
        if (halves := self.halves) is None:
            return np.asarray(self.one_by_one.searchsorted(low) if self.bits else low * 0, dtype=np.int64)
        first, second = halves
        half = 1 << first.bits
        found, beyond = np.empty(low.shape, np.int64), low >= half
        found[~beyond] = first.below(low[~beyond])
        found[beyond] = first.count + second.below(low[beyond] - half)
        return found

    def at(self, ranks: Integers) -> Integers:
        """Return the bits of the records at ranks, 0 for the first of them."""
        if ranks.size == 0 or not self.bits:
            return ranks * 0
        if (halves := self.halves) is None:
            return self.one_by_one[ranks]
        first, second = halves
        found, beyond = np.empty(ranks.shape, np.int64), ranks >= first.count
        found[~beyond] = first.at(ranks[~beyond])
        found[beyond] = (1 << first.bits) + second.at(ranks[beyond] - first.count)
        return found

    @property
    def _key(self) -> bytes:
        return self.key + self.node.to_bytes(8, "little")


@dataclass(frozen=True, eq=False, repr=False)
class CountedCells:
    """`SortedCells` of grid indices with counts; a slice is a view."""

    of: WeightedCells
    """Each grid index, as often as it has records."""
    places: Measure
    key: bytes
    recent: _Recent = field(default_factory=_Recent)

    def __repr__(self) -> str:
        return "CountedCells()"  # no counts: private

    def __reduce__(self) -> tuple[Any, ...]:
        return CountedCells, (self.of, self.places, self.key)

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
            return CountedCells(self.of[at], self.places, self.key, self.recent)
        positions = np.asarray(at, np.int64) + self.of.start
        values = self.of.through.searchsorted(positions, side="right") - 1
        within = positions - self.of.through[values]
        low = np.empty(positions.shape, np.int64)
        for value in np.unique(values).tolist():
            low[values == value] = self._low_bits(value).at(within[values == value])
        return self.places.place_of(self.of.rows[values], low)

    def searchsorted(self, cells: Integers, /) -> Integers:
        """Return for each sub-index the number of records at lower ones; same shape."""
        wanted = np.asarray(cells, np.int64)
        grid = self.places.cells_of(np.minimum(wanted, self.places.count - 1))
        low = low_bits_below(self.places, grid, wanted)
        values = self.of.rows.searchsorted(grid)
        found = np.append(self.of.rows, -1)[values] == grid
        values += found & (low >> self.places.bits > 0)  # all records of the value lie below
        ranks = np.array(self.of.through[values])
        inside = found & (low > 0) & (low >> self.places.bits == 0)
        for value in np.unique(values[inside]).tolist():
            here = inside & (values == value)
            ranks[here] += self._low_bits(value).below(low[here])
        return np.asarray(np.clip(ranks, self.of.start, self.of.end) - self.of.start, dtype=np.int64)

    @cached_property
    def every_cell(self) -> Integers:
        """Return all sub-indices as one read-only array, for code that reads every record. O(n log n), 8 bytes each."""
        first, through = self.of.rows, self.of.through
        found = np.empty(int(through[-1]), np.int64)
        for value, (start, end) in enumerate(pairwise(through.tolist())):
            for some in range(start, end, _AT_ONCE):
                ranks = np.arange(some, min(some + _AT_ONCE, end))
                found[ranks] = self.places.place_of(first[value], self._low_bits(value).at(ranks - start))
        found = found[self.of.start : self.of.end]
        found.flags.writeable = False
        return found

    def _low_bits(self, value: int) -> _LowBits:
        """Return the low bits of one of the values; their key is made of the secret and its own grid index alone."""
        count = int(self.of.through[value + 1] - self.of.through[value])
        key = self.key + int(self.of.rows[value]).to_bytes(8, "little")
        return _LowBits(count, self.places.bits, key, self.recent)


def counted_cells(grid: Integers, counts: Integers, places: Measure, seed: int | None) -> CountedCells:
    """Return the records of these grid indices, with the number of records of each; in any order, also repeated."""
    order = np.argsort(grid, kind="stable")
    order = order[counts[order] > 0]
    grid, counts = grid[order], counts[order]
    first = np.flatnonzero(np.diff(grid, prepend=-1))
    of = WeightedCells.of(grid[first], np.add.reduceat(counts, first) if first.size else counts, unit=1)
    return CountedCells(of, places, jitter_keys(1, seed)[0])


def checked_counts(counts: ColumnLike, values: int) -> Integers:
    """Return one whole number >= 0 for each value, as int64. Raises DataError."""
    column = numeric_column(counts)
    numbers = column.astype(np.float64)
    whole = numbers.size == values and np.isfinite(numbers).all() and (numbers >= 0).all()
    if not whole or (numbers != np.floor(numbers)).any() or numbers.sum() > MOST_RECORDS:
        raise DataError("the counts must be one whole number >= 0 for each value, at most 10^15 together.")
    return column.astype(np.int64)
