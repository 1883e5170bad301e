"""GKSketch: a column of any length in a few thousand points, with a public bound on the error of every rank.

Source. Greenwald & Khanna, SIGMOD 2001, read in sorted batches; as the ground of DPExpGK in Alabi, Ben-Eliezer &
Chaturvedi, "Bounded Space Differentially Private Quantiles", 2022.

Claim. For every stream, in any order and of any length, rank bounds are off by less than the public number E =
max(1, floor(2 alpha n_max)) (`threshold`; the lemma and its proof are in `rank_bounds`). That number is what noise is
made from, so it may not depend on data. While no more than n_max records have come, the bounds are off by less than
max(1, 2 alpha n), too.

Merging adds: E <= E_a + E_b - 1, and floor(2 alpha a) + floor(2 alpha b) <= floor(2 alpha (a + b)). So every part of
a merge has a public bound n_max of its own, under which it forgets points; the bounds of all parts add up to at most
the n_max of the whole, and a merge beyond that is refused. Whether it is refused depends on these promises, never on
how many records really came.

Batches. Sorting and counting them takes most of the time of reading a stream. A batch that spreads over its range is
sorted in two steps, on any processor: a radix sort by 16 bits that say in which part of the range a record lies, then
runs of what is nearly in order are merged. Both are numpy's stable sorts, of short and of long integers. The parts are
of equal width or, where most records crowd into few of those, ever wider from the lowest record on; where that does not
help, one sort is quicker. All give the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from typing import Any, get_args

import numpy as np

from ..arrays import ColumnLike, Integers
from ..column import Column
from ..domain.domain import Domain, checked_domain
from ..domain.numbers import Number, exact_number
from ..encoding import grid_records
from ..errors import DataError, Name, ParameterError, shown
from ..one_column import GK, Sketch
from ..privacy.budgets import Protects
from ..values import number_batches
from .rank_bounds import UNREADABLE, RankBounds, not_written, pack, unpack

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
            found = np.flatnonzero(counts)
            through = np.cumsum(counts[found])
            return RankBounds(found + lowest, through - counts[found], through, int(through[-1]))
        if int(counts @ counts) <= CROWDED * cells.size:
            nearly = cells[np.argsort(parts.astype(np.uint16), kind="stable")]
            nearly.sort(kind="stable")
            return RankBounds.exact(nearly)
    return RankBounds.exact(np.sort(cells))


def _parts(above: Integers, shift: int) -> Iterator[Integers]:
    """Yield the number of each record's part of the range, never falling in its index: equal parts, then wider ones."""
    yield above >> shift
    yield ((above + 1.0).view(np.int64) - _ONE) >> _FINEST


MOST_ALPHA = 0.5
BATCH = 1 << 18
"""Records that are sorted and merged at once."""
FINER = 16
"""A batch is read this number of times as finely as E grows by it."""
WAITING = 1 << 14
"""This number of records of small updates wait before they are merged."""


@lru_cache(maxsize=4096)
def merge_threshold(alpha: float, count: int) -> int:
    """Return E = max(1, floor(2 alpha count)), exactly: rank bounds are off by less than this many records."""
    return max(1, int(2 * exact_number(alpha, "alpha") * count))


class GKSketch(Sketch):
    """Store a column, read in batches, as bounds on ranks; all but `alpha`, `domain` and `n_max` is private.

    `alpha` in [0, 0.5] is the fraction of n_max by which ranks may be off; with alpha = 0, or one so small that E = 1,
    every distinct value is stored. `n_max` >= 1 is a public bound on the records of all streams and merged parts
    together; a stream that grows longer stays correct and only needs more space. `own_max`, if given, is the number of
    them that the sketch's own stream may bring, so that the rest remains for merges; without it the first `update`
    takes all that remain. `missing` replaces missing and non-finite values as in `Column.from_values`; without it they
    are dropped and counted in `dropped`. Raises ParameterError.
    """

    held = GK

    def __init__(
        self, alpha: float, domain: Domain, n_max: int, *, own_max: int | None = None, missing: Number | None = None
    ) -> None:
        if isinstance(alpha, bool) or not isinstance(alpha, int | float | np.floating):
            raise ParameterError("alpha", f"must be a number, got {type(alpha).__name__}.")
        if not 0 <= alpha <= MOST_ALPHA:
            raise ParameterError("alpha", f"must be >= 0 and <= {MOST_ALPHA}, got {shown(alpha)}.")
        self.alpha, self.domain, self.n_max = float(alpha), checked_domain(domain), _count("n_max", n_max)
        self.missing = None if missing is None else exact_number(missing, "missing")
        self.dropped = 0
        self._own_max = None if own_max is None else _count("own_max", own_max, self.n_max)
        self._promised = self._own_max or 0
        self._bounds = RankBounds.empty()
        self._waiting: list[Integers] = []

    @classmethod
    def from_column(cls, column: Column, alpha: float, n_max: int) -> GKSketch:
        """Return the sketch of a Column, without its tie-breaking bits, with E = `merge_threshold`. O(n / E * log n).

        A Column is sorted, so the order in which records came is lost; the bounds hold for every order.
        Raises ParameterError for a Column with several rows of one person.
        """
        if column.max_rows_per_person is not None or column.unit > 1:
            raise ParameterError("column", "must hold one record of each person: a sketch does not divide its budget.")
        sketch = cls(alpha, column.domain, n_max, own_max=n_max)
        sketch.dropped, sketch.protects = column.dropped, column.protects
        sketch._bounds = RankBounds.of_column(column, sketch._threshold_now(column.n))
        return sketch

    def update(self, values: ColumnLike) -> None:
        """Add a batch: any one-dimensional column of numbers, of any length.

        Values outside the bounds are clipped. O(batch log batch). Raises DataError, and ParameterError where merged
        parts have taken all of `n_max`.
        """
        if self.protects == "person":
            raise ParameterError("values", "must come as a Column of persons: this sketch holds one record of each.")
        if self._own_max is None:
            if self.room < 1:
                raise ParameterError("n_max", "leaves no room for a stream: merged parts have taken all of it.")
            self._own_max, self._promised = self.room, self.n_max
        for column in list(number_batches(values)):  # all are read, or none
            for start in range(0, column.size, BATCH):
                batch = column[start : start + BATCH]
                cells = grid_records(batch, self.domain, self.missing)
                self.dropped += batch.size - cells.size
                self._waiting.append(cells)
                if sum(cells.size for cells in self._waiting) >= WAITING:
                    self._merge_waiting()

    def merge(self, other: GKSketch) -> None:
        """Add the records of another sketch, on the same domain with the same alpha; it stays as it is. O(points).

        Raises ParameterError where the other's `n_max` is more than the `room` left here.
        """
        if not isinstance(other, GKSketch) or other is self:
            raise ParameterError("other", "must be another GKSketch.")
        if other.domain != self.domain:
            raise ParameterError("domain", "must be the same in both sketches.")
        if other.alpha != self.alpha:
            raise ParameterError("alpha", f"must be the same in both sketches, got {shown(other.alpha)}.")
        if other.n_max > self.room:
            raise ParameterError(
                "n_max",
                (
                    f"of a merged sketch must be at most the {self.room} records that are left here of {self.n_max}, "
                    f"got {other.n_max}: give a sketch that also reads a stream an ",
                    Name("own_max"),
                    ", or merge parts into an empty sketch that promises as many records as all of them.",
                ),
            )
        if self._promised and other.protects != self.protects:
            raise ParameterError("other", "must hold records, or one record of each person, as this sketch does.")
        self.protects = other.protects
        joined = self.bounds.plus(other.bounds)  # what waits is merged under the promises made so far, not this one
        self._promised += other.n_max
        self._bounds = joined.thinned(self._threshold_now(joined.n))
        self.dropped += other.dropped

    @property
    def threshold(self) -> int:
        """Return E, which is public: rank bounds are off by less than this many records."""
        return merge_threshold(self.alpha, self.n_max)

    @property
    def options(self) -> dict[str, float | int]:
        """Return the options of a plan that these data have already decided; public."""
        return {"alpha": self.alpha, "n_max": self.n_max}

    @property
    def room(self) -> int:
        """Return how many of `n_max` records are not yet reserved by a merged part; public."""
        return self.n_max - self._promised

    @property
    def n(self) -> int:
        """Return how many records were read, those dropped not counted; private where a record may join or leave."""
        return self._bounds.n + sum(cells.size for cells in self._waiting)

    @property
    def bounds(self) -> RankBounds:
        """Return all points with their rank bounds, waiting records merged."""
        self._merge_waiting()
        return self._bounds

    @property
    def rank_slack(self) -> int:
        """Return how much larger a rank error can be than the distance from the rank bounds."""
        return self.bounds.width - 1

    @property
    def nbytes(self) -> int:
        """Return the memory in bytes: 24 a point, and the records that wait to be merged."""
        stored = (self._bounds.cells, self._bounds.most_below, self._bounds.least_through, *self._waiting)
        return sum(each.nbytes for each in stored)

    def __len__(self) -> int:
        """Return the number of points, the papers' tuples."""
        return int(self.bounds.cells.size)

    def rank_bounds(self, cells: Integers) -> tuple[Integers, Integers]:
        """Return (lo, hi) with lo <= #{< x} and #{<= x} <= hi, each off by less than `threshold`; shape of `cells`."""
        return self.bounds.interval(cells)

    def to_bytes(self) -> bytes:
        """Return the sketch in a versioned format, for another process or a file. It is as private as the data."""
        header = {
            "alpha": self.alpha,
            "domain": self.domain.as_dict(),
            "n_max": self.n_max,
            "own_max": self._own_max,
            "promised": self._promised,
            "missing": None if self.missing is None else str(self.missing),
            "dropped": self.dropped,
            **({} if self.protects == "record" else {"protects": self.protects}),
        }
        return pack(header, self.bounds)

    @classmethod
    def from_bytes(cls, data: bytes) -> GKSketch:
        """Return the sketch that `to_bytes` wrote. Raises DataError for anything else, altered or cut off."""
        header, bounds = unpack(data)
        try:
            missing = None if header["missing"] is None else Fraction(header["missing"])
            given = float(header["alpha"]), Domain.from_dict(header["domain"]), header["n_max"]
            sketch = cls(*given, own_max=header["own_max"], missing=missing)
            sketch.protects = header.get("protects", "record")
            sketch._promised, sketch.dropped, sketch._bounds = header["promised"], header["dropped"], bounds
            sound = bounds.is_consistent(sketch.domain.cells, merge_threshold(sketch.alpha, sketch._promised))
        except (ParameterError, *UNREADABLE):
            raise not_written() from None
        if not (sketch._own_max or 0) <= sketch._promised <= sketch.n_max or sketch.protects not in get_args(Protects):
            raise not_written()
        if not sound:
            raise DataError("the bytes of the sketch contradict each other.")
        return sketch

    def __reduce__(self) -> tuple[Any, ...]:
        return GKSketch.from_bytes, (self.to_bytes(),)

    def __repr__(self) -> str:
        return f"GKSketch(alpha={self.alpha!r}, domain={self.domain!r}, n_max={self.n_max})"  # no counts: private

    def _merge_waiting(self) -> None:
        """Merge what waits: E grows by less than `step`, so that it stays within the present threshold.

        A batch read exactly has E = 1, and E does not grow.
        """
        if self._waiting:
            batch = exact_bounds(np.concatenate(self._waiting))
            self._waiting = []
            threshold = self._threshold_now(self._bounds.n + batch.n)
            step = 1 + max(threshold - self._bounds.width, 0) // FINER
            self._bounds = self._bounds.plus(batch.every(step)).thinned(threshold)

    def _threshold_now(self, count: int) -> int:
        """Return the E up to which points are removed: `threshold`, or less while few records have come."""
        return min(merge_threshold(self.alpha, self._promised), merge_threshold(self.alpha, count))


def _count(name: str, value: int, most: int | None = None) -> int:
    fits = isinstance(value, int | np.integer) and not isinstance(value, bool) and value >= 1
    if not fits or (most is not None and value > most):
        limit = "" if most is None else f" and <= {most}"
        raise ParameterError(name, f"must be a whole number >= 1{limit}, got {shown(value)}.")
    return int(value)
