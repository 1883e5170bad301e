"""Bounds on ranks: at some values of a column, how many records lie below and up to them.

Greenwald & Khanna (SIGMOD 2001) keep tuples (v, g, d): some record of value v has a rank between C and C + d, where C
is the sum of g so far. Here a point keeps what follows from that, and nothing else is ever used:

    most_below = C + d - 1 >= #{x < v},        least_through = C <= #{x <= v}.

Lemma. Let a width E >= 1 be such that most_below[i + 1] - least_through[i] <= E - 1 for all i (this is g + d <= E),
most_below[0] = 0 and least_through[-1] = n. Then for every grid point x, with lo = the last least_through among
points < x (0 if there is none) and hi = the first most_below among points > x (n if there is none),

    #{< x} - (E - 1) <= lo <= #{< x}   and   #{<= x} <= hi <= #{<= x} + (E - 1).

Proof. Let p be the last point < x and p' the next one, p' >= x. Then lo = least_through(p) <= #{<= p} <= #{< x} <=
#{< p'} <= most_below(p') <= lo + E - 1. Without p, x <= the smallest record, so #{< x} = 0; without p', lo = n. The
other half is the mirror image.

Adding two sketches adds their bounds at the union of their points (`plus`). Between neighbouring points of the union
each sketch contributes its own pair of neighbouring points at most, so E - 1 adds up: E <= E_a + E_b - 1. A batch of
exact counts has E = 1 and changes nothing; one of which only every e-th record has a point (`every`) has E = e and adds
e - 1. Forgetting a point (`thinned`) is always sound, and E follows from what is
left. Records of one value share a point, however many they are: heavily tied columns need few points and stay exact.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np

from ..arrays import Integers
from ..column import Column
from ..errors import DataError


@dataclass(frozen=True, eq=False)
class RankBounds:
    """Points of a column with bounds on their ranks, int64 arrays of one length; `cells` increase. Private."""

    cells: Integers
    most_below: Integers
    """The most records that lie at lower indices; increasing, 0 at the first point."""
    least_through: Integers
    """The fewest records that lie at this index or lower ones; increasing, n at the last point."""
    n: int

    @classmethod
    def empty(cls) -> RankBounds:
        """Return the bounds of no records."""
        return cls.exact(np.empty(0, np.int64))

    @classmethod
    def exact(cls, ordered: Integers) -> RankBounds:
        """Return the bounds of sorted grid indices: every distinct one a point with its exact counts, E = 1. O(n)."""
        first = np.flatnonzero(np.diff(ordered, prepend=-1))
        return cls(ordered[first], first, np.append(first[1:], ordered.size)[: first.size], ordered.size)

    @classmethod
    def of_column(cls, column: Column, threshold: int) -> RankBounds:
        """Return the bounds of a Column's grid indices: every `threshold`-th record and the last.

        E = `threshold`, since record number k has at most k records below it and at least k + 1 up to it. Cost O(n /
        threshold * log n).
        """
        n = column.n
        chosen = np.append(np.arange(0, n, threshold), np.arange(max(n - 1, 0), n))
        cells = np.unique(column.places.cells_of(column.records[chosen]))
        return cls(cells, column.count_below(cells), column.count_below(cells + 1), n)

    def every(self, step: int) -> RankBounds:
        """Return, of exact bounds, the points with each `step`-th record and the last: E <= `step`. O(n / step).

        Record number k of a batch has a point with at most k records below it and at least k + 1 up to it.
        """
        if step == 1:
            return self
        ranks, last = np.arange(0, self.n, step), self.cells.size - 1
        at = ranks if self.cells.size == self.n else np.searchsorted(self.most_below, ranks, side="right") - 1
        at = np.append(at, last)
        at = at[np.diff(at, prepend=-1) > 0]
        return RankBounds(self.cells[at], self.most_below[at], self.least_through[at], self.n)

    @property
    def width(self) -> int:
        """Return the smallest E for which the lemma holds."""
        return 1 + int(np.max(self.most_below[1:] - self.least_through[:-1], initial=0))

    def plus(self, other: RankBounds) -> RankBounds:
        """Return the bounds for the records of both. O(points)."""
        larger, smaller = (self, other) if self.cells.size >= other.cells.size else (other, self)
        if smaller.n == 0:
            return larger
        at = np.searchsorted(larger.cells, smaller.cells)
        new = larger.cells[np.minimum(at, larger.cells.size - 1)] != smaller.cells
        cells = np.insert(larger.cells, at[new], smaller.cells[new])
        of_many, of_smaller = np.ones(cells.size, np.int64), np.zeros(cells.size, np.int64)
        of_many[at[new] + np.arange(np.count_nonzero(new))] = 0
        of_smaller[np.searchsorted(cells, smaller.cells)] = 1
        below, through = larger._at(of_many)
        more_below, more_through = smaller._at(of_smaller)
        return RankBounds(cells, below + more_below, through + more_through, larger.n + smaller.n)

    def _at(self, own: Integers) -> tuple[Integers, Integers]:
        """Return its summand of the bounds at all points of a union; `own` is 1 at its own points and 0 elsewhere."""
        upto = np.cumsum(own)
        through = np.concatenate([[0], self.least_through])[upto]
        return np.append(self.most_below, self.n)[upto - own], through

    def thinned(self, threshold: int) -> RankBounds:
        """Return the fewest of the points, both ends among them, for which E <= max(`threshold`, the present E).

        From the right: each kept point is followed by the farthest one that may be its neighbour. O(points).
        """
        if self.cells.size < 3:
            return self
        farthest = np.searchsorted(self.least_through, self.most_below - (threshold - 1), side="left")
        farthest = np.minimum(farthest, np.arange(-1, farthest.size - 1))  # the next point is always allowed
        farthest[0] = 0
        steps, places_stored = farthest.data, [self.cells.size - 1]
        while places_stored[-1] > 0:
            places_stored.append(steps[places_stored[-1]])
        keep = np.array(places_stored[::-1])
        return RankBounds(self.cells[keep], self.most_below[keep], self.least_through[keep], self.n)

    def interval(self, cells: Integers) -> tuple[Integers, Integers]:
        """Return (lo, hi) of the lemma for any grid indices, same shape. O(log points) each."""
        through, below = np.concatenate([[0], self.least_through]), np.append(self.most_below, self.n)
        before = np.searchsorted(self.cells, cells, side="left")
        after = np.searchsorted(self.cells, cells, side="right")
        return through[before], below[after]

    def is_consistent(self, grid: int, width: int) -> bool:
        """Return whether some column on a grid of `grid` values could have led to these points, with E <= `width`."""
        if self.cells.size == 0:
            return self.n == 0
        rising = all(bool((np.diff(each) > 0).all()) for each in (self.cells, self.most_below, self.least_through))
        ends = self.most_below[0] == 0 and self.least_through[-1] == self.n and self.most_below[-1] < self.n
        inside = self.cells[0] >= 0 and self.cells[-1] < grid and self.least_through[0] >= 1
        squeezed = bool((self.most_below[1:] >= self.least_through[:-1]).all())
        return bool(rising and ends and inside and squeezed and self.width <= width)


MARK = b"DPQ-GK-1"
"""The format and its version."""
UNREADABLE = ValueError, TypeError, KeyError, ArithmeticError, RecursionError
"""What reading a header that is not from a sketch may raise."""
_SIZE_BYTES = 4
_CHECK_BYTES = 32
_COUNTS = ("n_max", "promised", "dropped", "n", "points")


def not_written() -> DataError:
    """Return the refusal of bytes that are whole, and still not from a sketch."""
    return DataError("the bytes of the sketch are not what a sketch writes.")


def pack(header: Mapping[str, Any], bounds: RankBounds) -> bytes:
    """Return the bytes of a sketch: mark, size of the header, header, cells, most_below, least_through, checksum."""
    text = json.dumps({**header, "n": bounds.n, "points": int(bounds.cells.size)}, sort_keys=True).encode()
    arrays = np.concatenate([bounds.cells, bounds.most_below, bounds.least_through]).astype("<i8").tobytes()
    body = MARK + len(text).to_bytes(_SIZE_BYTES, "little") + text + arrays
    return body + sha256(body).digest()


def unpack(data: bytes) -> tuple[dict[str, Any], RankBounds]:
    """Return what `pack` wrote, with counts that are whole numbers; nothing else is checked. Raises DataError."""
    start = len(MARK) + _SIZE_BYTES
    if not isinstance(data, bytes | bytearray | memoryview) or bytes(data[: len(MARK)]) != MARK:
        raise DataError("these bytes are no sketch of this version.")
    body, check = bytes(data[:-_CHECK_BYTES]), bytes(data[-_CHECK_BYTES:])
    if sha256(body).digest() != check:
        raise DataError("the bytes of the sketch are cut off or altered.")
    end = start + int.from_bytes(body[len(MARK) : start], "little")
    try:
        header = json.loads(body[start:end])
        counts = [header[name] for name in _COUNTS]
        cells, below, through = np.frombuffer(body[end:], "<i8").astype(np.int64).reshape(3, header["points"])
    except UNREADABLE:
        raise not_written() from None
    if not all(type(count) is int and count >= 0 for count in counts):
        raise not_written()
    return header, RankBounds(cells, below, through, header["n"])
