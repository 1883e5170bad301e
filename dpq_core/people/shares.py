"""Shares: all rows of a person together weigh 1, in whole units of 1 / UNIT, and ranks are sums of weights.

A person's r rows weigh UNIT // r units each, or one more: together exactly UNIT. Which have one more is spread evenly
over the rows in their order, a function of the person's own rows, as every take; docs/people-proof.md proves the cost.

A column of weighted rows is read as the sorted column in which every row occurs as often as it has units. Mechanisms
that read ranks of indices and indices at ranks, and nothing else, read it as they read records; only their rates are
for a unit, not for a person: `unit_of`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from ..arrays import AT_ONCE, Flags, Floats, Integers, chunks, held_bytes
from .ids import Codes, People, RowsByPerson
from .takes import rows_by_person

WEIGHT_BITS = 20
UNIT = 1 << WEIGHT_BITS
"""How many units a person weighs: public. A row of a person with more rows than that weighs one unit or none."""

Numbers: TypeAlias = NDArray[np.unsignedinteger[Any]]
"""For each row which of the distinct weights it has."""

MOST_BITS = 63
"""Of a group and a slot together: they stay non-negative integers of 64 bits."""
_ABOVE_ROUNDING = 2.0**-22
"""Sums of up to UNIT are off by less, and those of up to UNIT rows that are not whole are farther from the next one."""

_PERSONS_AT_ONCE = 1 << 14


@dataclass(frozen=True, eq=False, repr=False)
class WeightedCells:
    """Sorted slots of rows, each as often as it has units, without storing them so often.

    Row i holds the positions `through[i]` to `through[i + 1]` - 1, of which those in [start, end) are read.
    """

    rows: Integers
    through: Integers
    start: int
    end: int
    unit: int = UNIT
    """How many units a person weighs."""

    @classmethod
    def of(cls, rows: Integers, weights: Integers | NDArray[np.int32], unit: int = UNIT) -> WeightedCells:
        """Return the cells of sorted rows with these weights, integers >= 0 in units."""
        through = np.zeros(rows.size + 1, np.int64)
        np.cumsum(weights, out=through[1:])
        return cls(rows, through, 0, int(through[-1]), unit)

    def __sizeof__(self) -> int:
        return held_bytes(self.rows, self.through)

    def __repr__(self) -> str:
        return "WeightedCells()"  # no counts: private

    @property
    def size(self) -> int:
        """Return the weight of all rows in units."""
        return self.end - self.start

    @overload
    def __getitem__(self, at: Integers, /) -> Integers: ...
    @overload
    def __getitem__(self, at: slice, /) -> WeightedCells: ...
    def __getitem__(self, at: Integers | slice, /) -> Integers | WeightedCells:
        """Return the slots at some positions, or a range of positions."""
        if isinstance(at, slice):
            start, end, _ = at.indices(self.size)
            return WeightedCells(self.rows, self.through, self.start + start, self.start + max(end, start), self.unit)
        return np.asarray(self.rows[self.through.searchsorted(at + self.start, side="right") - 1], dtype=np.int64)

    def searchsorted(self, cells: Integers, /) -> Integers:
        """Return for each slot the weight of the rows at lower ones, in units; same shape."""
        return np.asarray(
            np.clip(self.through[self.rows.searchsorted(cells)], self.start, self.end) - self.start, dtype=np.int64
        )

    @property
    def masses(self) -> tuple[Integers, Integers]:
        """Return the rows in the range, and the weight below the first, the second, ..., and of all; O(rows)."""
        first = int(self.through.searchsorted(self.start, side="right")) - 1
        end = max(int(self.through.searchsorted(self.end, side="left")), first)
        return self.rows[first:end], np.clip(self.through[first : end + 1], self.start, self.end) - self.start


def rows_that_count(column: Floats, people: People, stand_in: bool) -> Flags | None:
    """Return which rows are valid and have a person, None for all; with a stand-in also one row of a person without
    any.
    """
    used = np.isfinite(column) & (people.codes >= 0)
    if stand_in:
        without = np.bincount(people.codes[used], minlength=people.count) == 0
        rows = np.flatnonzero((people.codes >= 0) & without[people.codes]) if without.any() else np.empty(0, np.int64)
        used[rows[np.unique(people.codes[rows], return_index=True)[1]]] = True
    return None if used.all() else used


def share_rows(
    codes: Codes, count: int, unit: int = UNIT, ordered: RowsByPerson | None = None
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the rows that weigh anything, person by person, and their weights in units.

    The first j of r rows weigh about j unit / r together, rounded down. What rounding makes of it depends on j and r
    alone, and all weigh `unit`. Codes are from 0 to count - 1. O(n log n).
    """
    rows, starts = rows_by_person(codes, count, ordered)
    weights = np.empty(rows.size, np.int32)
    for first in range(0, count, _PERSONS_AT_ONCE):
        some = starts[first : first + _PERSONS_AT_ONCE + 1]
        weights[some[0] : some[-1]] = _weights(some - some[0], unit)
    if not weights.all():
        rows, weights = rows[weights > 0], weights[weights > 0]
    return rows, weights


def _weights(starts: Integers, unit: int) -> Integers:
    """Return the weights of the rows of some persons, whose first rows are `starts`, and the end."""
    sizes = np.diff(starts)
    sums = np.arange(starts[-1]) - np.repeat(starts[:-1], sizes)
    through = np.append((sums * np.repeat(unit / np.maximum(sizes, 1), sizes) + _ABOVE_ROUNDING).astype(np.int64), 0)
    weights = np.diff(through)
    last = starts[1:][sizes > 0] - 1
    weights[last] = unit - through[last]
    return weights


def share_cells(
    cells: Integers, column: Floats, people: People, stand_in: bool, codes: Codes | None = None, groups: int = 1,
    slots: int = 1,
) -> tuple[Integers, NDArray[np.int32], Integers]:  # fmt: skip
    """Return the slots of all rows that weigh anything, in order within each group, their weights in units, and starts.

    `stand_in`: whether there is one for missing rows; `codes`: the place of each row's group, -1 for none, where there
    are `groups` of them; `slots`: how many a group has; starts: see `Column`. Changes `cells`. O(n log n).
    """
    listed = people if codes is None else People(np.where(codes >= 0, people.codes, np.int32(-1)), people.count)
    owners, used = listed.codes, rows_that_count(column, listed, stand_in)
    if used is not None:
        cells, owners, codes = cells[used], owners[used], None if codes is None else codes[used]
    rows, weights = share_rows(owners, people.count, ordered=listed.ordered if used is None else None)
    bits = (slots - 1).bit_length()
    if codes is not None and bits + (groups - 1).bit_length() > MOST_BITS:
        order = np.lexsort((cells[rows], codes[rows]))
        rows = rows[order]
        return cells[rows], weights[order], codes[rows].searchsorted(np.arange(groups + 1))
    if codes is not None:
        cells |= codes.astype(np.int64) << bits
    numbers, distinct = _numbered(weights)
    del weights  # memory: a column at a time
    if rows.size == cells.size:
        numbers[rows] = numbers.copy()
    else:
        cells = cells.take(rows)
    del rows
    cells, weights = _sorted(cells, numbers, distinct)
    if codes is None:
        return cells, weights, np.array([0, cells.size], np.int64)
    starts = np.append(cells.searchsorted(np.arange(groups, dtype=np.int64) << bits), cells.size)
    cells &= (1 << bits) - 1
    return cells, weights, starts


def _numbered(weights: NDArray[np.int32]) -> tuple[Numbers, NDArray[np.int32]]:
    """Return for each weight which of the distinct ones it is, and these, increasing; at most 2^20 + 1 of them."""
    if weights.size < AT_ONCE:  # a table of all weights takes longer than to sort these
        few, places = np.unique(weights, return_inverse=True)
        return places.astype(_narrowest(int(few.size).bit_length())), few
    there = np.zeros(UNIT + 1, np.bool_)
    there[weights] = True
    distinct = np.flatnonzero(there)
    number = np.zeros(UNIT + 1, _narrowest(int(distinct.size - 1).bit_length()))
    number[distinct] = np.arange(distinct.size)
    return number.take(weights), distinct.astype(np.int32)


def _sorted(cells: Integers, numbers: Numbers, distinct: NDArray[np.int32]) -> tuple[Integers, NDArray[np.int32]]:
    """Return slots in order, and their weights, which are `numbers` of the distinct ones; changes the first.

    Where both fit into one integer, these are sorted. Else as many high bits of a slot as fit beside its place;
    its low bits and the number follow together, read once at that place.
    """
    bits, places = int(distinct.size - 1).bit_length(), cells.size.bit_length()
    width = int(cells.max(initial=0)).bit_length()
    if width + bits <= MOST_BITS:
        cells <<= bits
        cells |= numbers
        cells.sort()
        weights = distinct.take(cells & ((1 << bits) - 1))
        cells >>= bits
        return cells, weights
    low_bits = max(width + places - MOST_BITS, 0)
    left = np.empty(cells.size, _narrowest(low_bits + bits))
    for some in chunks(cells.size):
        left[some] = (cells[some] & ((1 << low_bits) - 1)) << bits | numbers[some]
        cells[some] = cells[some] >> low_bits << places | np.arange(some.start, some.stop)
    cells.sort()
    weights, same = np.empty(cells.size, np.int32), np.zeros(cells.size, np.bool_)
    for some in chunks(cells.size):
        own = left.take(cells[some] & ((1 << places) - 1)).astype(np.int64)
        weights[some] = distinct.take(own & ((1 << bits) - 1))
        high = cells[some] >> places
        same[some][1:] = high[1:] == high[:-1]
        cells[some] = high << low_bits | own >> bits
    starts = np.array([some.start for some in chunks(cells.size)][1:], np.int64)
    same[starts] = cells[starts] >> low_bits == cells[starts - 1] >> low_bits
    of_some = same.copy()
    of_some[:-1] |= same[1:]
    alike = np.flatnonzero(of_some)
    moved = alike[np.argsort(cells[alike], kind="stable")]
    cells[alike], weights[alike] = cells[moved], weights[moved]
    return cells, weights


def _narrowest(bits: int) -> np.dtype[np.unsignedinteger[Any]]:
    """Return the narrowest type of whole numbers below 2^bits."""
    return next(np.dtype(kind) for kind in (np.uint8, np.uint16, np.uint32, np.uint64) if bits <= 8 * kind().itemsize)


def unit_of(cells: object) -> int:
    """Return how many units a whole record, or person, weighs among sorted cells: 1 unless rows are weighted."""
    unit = getattr(cells, "unit", 1)  # also where the rows are on a cluster
    assert isinstance(unit, int), "a number of units"
    return unit
