"""Sample: one column as grid indices, with ties broken, sorted once; all that mechanisms read of the data.

They read ranks of indices and the indices at ranks, many at a time: `SortedCells`. A numpy array gives both in memory;
`cluster.cells` where the records are spread over machines. Output distributions do not depend on which it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Protocol, Self, TypeAlias, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from .arrays import ColumnLike, Floats, Integers, Segments, with_room
from .domain.domain import Domain, checked_domain
from .domain.measure import EVERY_INDEX, UNIFORM, BaseMeasure
from .domain.numbers import Number, exact_number
from .errors import DataError, Name, ParameterError, shown
from .noise.tie_breaking import Key, tie_breaking
from .people.ids import UNSAID, People, Whose
from .people.shares import WeightedCells, share_cells, unit_of
from .people.takes import PerPerson, checked_per_person, refuse_other_rows, taken_records
from .privacy.budgets import Adjacency, Protects
from .privacy.composition import GroupsPerPerson, PrivacyUnit
from .values import number_batches, numeric_column

T = TypeVar("T")
GroupName: TypeAlias = str | int | tuple[str | int, ...]
WHOLE: GroupName = ()
"""The name of the one group of a column in one piece."""
MOST_JITTER_BITS = 20
FINE_CELL_BITS = 62


class SortedCells(Protocol):
    """All records as sub-indices in increasing order, wherever they are stored; a numpy array is one."""

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


class OneColumn:
    """What answers of a column are drawn from: records or a sketch of them, on a grid."""

    @property
    def coarse(self) -> Self:
        """Return the records by which bounds would be found, and on which grid answers lie is known."""
        return self

    on_any_grid = coarse

    def each_part(self, work: Callable[[Any, int], T]) -> list[T]:
        """Return what `work` gives for each part of the groups and its number: one part, unless on a cluster."""
        return [work(self, 0)]


class InOnePiece(OneColumn):
    """A column in one piece, which is one group named `()`."""

    max_rows_per_person: int | None
    protects: Protects
    names: tuple[GroupName, ...] = (WHOLE,)
    by: tuple[str, ...] = ()
    in_groups = False
    finding: float | None = None
    persons: Integers | None = None
    max_groups_per_person: GroupsPerPerson | None = None
    segments: Segments | None = None
    """The records of all groups, where draws read them side by side."""

    @property
    def n(self) -> int:
        """Return the number of records, of persons where rows are shares."""
        raise NotImplementedError

    @property
    def unit(self) -> int:
        """Return in how many units ranks count a record, or a person."""
        return 1

    @property
    def in_ranges(self) -> bool:
        """Return whether records are on a cluster, and each draw asks for those that it reads."""
        return False

    @property
    def mass(self) -> int:
        """Return the weight of all rows in units. Private."""
        return self.n

    @property
    def masses(self) -> Integers:
        """Return the weight of all rows in units, as that of a single group. Private."""
        return np.array([self.mass], np.int64)

    @property
    def starts(self) -> Integers:
        """Return where the records of the one group begin and end."""
        return np.array([0, self.n])

    def unit_between(self, adjacency: Adjacency) -> PrivacyUnit:
        """Return what a neighbour differs by: a record, or a person with one or more records; public.

        A replaced person is removed with all records and another one added: twice as many.
        """
        if self.max_rows_per_person is None:
            return PrivacyUnit(self.protects)
        return PrivacyUnit(self.protects, self.max_rows_per_person * (2 if adjacency is Adjacency.SUBSTITUTE else 1))

    def column(self, group: int) -> Self:
        """Return the records of the one group."""
        return self

    def place_of(self, name: object) -> int:
        """Return the place of the one group, which has no name. Raises ParameterError."""
        if name is not None:
            raise ParameterError("group", "must be None for a column that is not in groups.")
        return 0


class Sketch(InOnePiece):
    """What some mechanisms read in place of records."""

    domain: Domain
    places: BaseMeasure = EVERY_INDEX
    """Answers are grid indices; those of a Sample are sub-indices."""
    protects: Protects = "record"
    """What neighbouring sketches differ by; "person" where each record is one of a person with several rows."""
    max_rows_per_person: int | None = None
    seed: int | None = None
    is_in_memory = True

    @property
    def slots(self) -> int:
        """Return the size of the output space of every draw."""
        return self.domain.cells

    def values_of(self, cells: Integers) -> Floats:
        """Return the values at grid indices; same shape."""
        return self.domain.decode(cells)


class OnGrid:
    """Records as sub-indices of a domain."""

    domain: Domain
    tie_bits: int
    rank_slack = 0
    """How much larger a rank error can be than stated."""

    @property
    def slots(self) -> int:
        """Return the number of sub-indices of the domain: the size of the output space of every draw."""
        return self.places.count

    @property
    def places(self) -> BaseMeasure:
        """Return which sub-indices belong to which grid index."""
        return self.domain.places(self.tie_bits)

    def values_of(self, slots: Integers) -> Floats:
        """Return the grid values of sub-indices; same shape."""
        return self.domain.decode(self.places.cells_of(slots))


@dataclass(frozen=True, eq=False)
class Sample(InOnePiece, OnGrid):
    """Hold a column as sorted sub-indices; `Sample.from_values` or `cluster.columns.sample_column` makes it.

    Every grid index is split into 2^tie_bits sub-indices and every record gets independent uniform low bits once.
    This breaks ties and moves no other record: bits by sorted position would move every later record when one joins.

    `dropped` (the number of records, or persons, that were missing or not finite, and of rows of nobody) is private,
    and so is `n` if a record may join or leave.
    """

    records: SortedCells
    domain: Domain
    tie_bits: int
    seed: int | None
    dropped: int
    protects: Protects = "record"
    """What a neighbouring sample differs by: one record, or all records of one person."""
    max_rows_per_person: int | None = None
    """How many records of one person there are at most, where there may be several; `release` divides its budget."""
    per_person: PerPerson | None = None
    """What makes one record of a person's rows, where something does."""
    missing: Fraction | None = None
    """What a missing value counts as; None where such records are left out."""
    whose: Whose = UNSAID

    @classmethod
    def from_values(
        cls,
        values: ColumnLike,
        domain: Domain,
        *,
        seed: int | None = None,
        missing: Number | None = None,
        tie_bits: int | None = None,
        people: People | None = None,
        per_person: PerPerson | None = None,
        max_rows_per_person: int | None = None,
    ) -> Sample:
        """Return a Sample of any one-dimensional column of numbers; the column itself is neither stored nor changed.

        The column is a list, an array, an iterator of such batches, or any object with an Arrow stream (polars, duckdb,
        pandas, pyarrow), where dates count days since 1970-01-01 and durations seconds. It is read batch by batch.

        Values outside the bounds are clipped, never dropped. Missing and non-finite ones are replaced by `missing`, a
        value chosen from public knowledge, or else dropped (which only ADD_REMOVE allows). With a `seed` the
        tie-breaking bits are repeatable, and `release` refuses the Sample. `tie_bits=0` is for exact audits of
        small data. O(n log n) time, two int64 arrays of n. Raises DataError, ParameterError.

        With `people`, who own one row or several each, a neighbouring table differs by one person with all rows, and
        you must give `per_person` or `max_rows_per_person`. `per_person` makes one record of a person's valid rows:
        their mean (each value moved into the bounds first), lower median, min, max, first, last or a random one; with
        "weight" all of them count, with a weight of 1 together. A person without a valid row counts as `missing`, or is
        dropped. `max_rows_per_person` keeps at most this number of rows of each person, at random, and divides the
        budget; choose it from public knowledge. Rows of nobody are dropped.
        """
        bits, seed = checked_bits(tie_bits, domain), checked_seed(seed)
        if people is not None:
            per_person, max_rows_per_person = checked_per_person(per_person, max_rows_per_person)
            column = numeric_column(values).astype(np.float64, copy=False)
            return cls._of_people(column, people, domain, seed, missing, bits, per_person, max_rows_per_person)
        if per_person is not None or max_rows_per_person is not None:
            raise ParameterError(
                "people", ("must be given with ", Name("per_person"), " or ", Name("max_rows_per_person"), ".")
            )
        return cls._of_batches(number_batches(values), domain, seed, missing, bits)

    @classmethod
    def _of_people(
        cls,
        column: Floats,
        people: People,
        domain: Domain,
        seed: int | None,
        missing: Number | None,
        bits: int,
        per_person: PerPerson | None,
        max_rows_per_person: int | None,
    ) -> Sample:
        """Return a Sample of one record of each person, of some, or of all rows as shares."""
        refuse_other_rows(people, column.size)
        if per_person == "weight":
            stand_in = domain.lower if missing is None else missing
            records, without = share_cells(
                encode_records(column, domain, stand_in, bits, tie_breaking(column.size, bits, seed)),
                column, people, missing is not None,
            )  # fmt: skip
            dropped = without + people.nobodys
            return cls(
                records, domain, bits, seed, dropped, "person",
                per_person=per_person, missing=_exact(missing), whose=people.whose,
            )  # fmt: skip
        rows = taken_records(column, people, domain, per_person, max_rows_per_person, seed, missing is not None)
        sample = cls._of_batches([rows], domain, seed, missing, bits)
        dropped = sample.dropped + people.nobodys
        return replace(
            sample, dropped=dropped, whose=people.whose, per_person=per_person,
            protects="person", max_rows_per_person=max_rows_per_person,
        )  # fmt: skip

    @classmethod
    def _of_batches(
        cls,
        batches: Iterable[NDArray[np.generic]],
        domain: Domain,
        seed: int | None,
        missing: Number | None,
        bits: int,
    ) -> Sample:
        """Return a Sample of a column whose batches are encoded as they come: little more than 8 bytes a record."""
        found, n, rows = np.empty(0, np.int64), 0, 0
        for column in batches:
            cells = encode_records(column, domain, missing, bits, tie_breaking(column.size, bits, seed, first_row=rows))
            rows += column.size
            if n == 0:
                found = cells
            elif cells.size:
                found = with_room(found, n + cells.size)
                found[n : n + cells.size] = cells
            n += cells.size
        found = found[:n]
        found.sort()
        found.flags.writeable = False
        return cls(found, domain, bits, seed, dropped=rows - n, missing=_exact(missing))

    def __repr__(self) -> str:
        settings = f"tie_bits={self.tie_bits}, seed={self.seed}, protects={self.protects!r}"
        return f"Sample(domain={self.domain!r}, {settings})"  # no counts: private

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, tuple(vars(self).values())

    @property
    def n(self) -> int:
        """Return the number of records in the Sample, of persons where rows are shares; private under ADD_REMOVE."""
        return int(self.records.size) // self.unit

    @property
    def unit(self) -> int:
        """Return in how many units ranks count a record, or a person: 1 unless all rows of a person weigh 1."""
        return unit_of(self.records)

    @property
    def mass(self) -> int:
        """Return the weight of all rows in units; of rows of one group that may be parts of persons. Private."""
        return int(self.records.size)

    @property
    def records_each(self) -> int:
        """Return how many records one person may have; public."""
        return self.max_rows_per_person or 1

    def in_one_piece(self) -> Sample:
        """Return the records by which bounds are found."""
        return self

    @property
    def is_in_memory(self) -> bool:
        """Return whether all records are here, and not on a cluster."""
        return isinstance(self.records, np.ndarray | WeightedCells)

    @property
    def in_ranges(self) -> bool:
        """Return whether records are on a cluster, and each draw asks for those that it reads."""
        return not self.is_in_memory

    @property
    def cells(self) -> Integers:
        """Return the sub-indices of all rows as one read-only array. Raises DataError where they are on a cluster."""
        if isinstance(self.records, WeightedCells):
            return self.records.rows
        if not isinstance(self.records, np.ndarray):
            raise DataError("this needs all records in memory, and the sample is spread over a cluster.")
        return self.records

    @property
    def cells_at_places(self) -> SortedCells:
        """Return the sub-indices for what reads some of them, wherever they are; of weighted rows all rows."""
        return self.cells if isinstance(self.records, np.ndarray | WeightedCells) else self.records

    @property
    def coarse_cells(self) -> Integers:
        """Return the grid indices of all rows. Raises DataError where they are on a cluster."""
        return self.places.cells_of(self.cells)

    def count_below(self, cells: Integers) -> Integers:
        """Return for grid indices how many records lie at lower ones, in units of `unit`. O(log n) each."""
        return self.records.searchsorted(self.places.before(cells)).astype(np.int64)


def _exact(missing: Number | None) -> Fraction | None:
    return None if missing is None else exact_number(missing, "missing")


def _restore(records: SortedCells, *others: Any) -> Sample:
    arrays = (records.rows, records.through) if isinstance(records, WeightedCells) else (records,)
    for array in arrays:
        if isinstance(array, np.ndarray):
            array.flags.writeable = False
    return Sample(records, *others)


def checked_bits(tie_bits: int | None, domain: Domain) -> int:
    """Return how many low bits break ties: as many as fit, or fewer if requested. Raises ParameterError."""
    room = FINE_CELL_BITS if checked_domain(domain).measure == UNIFORM else FINE_CELL_BITS - 1
    most = min(MOST_JITTER_BITS, room - domain.cells.bit_length())
    bits = max(most, 0) if tie_bits is None else tie_bits
    if isinstance(bits, bool) or not isinstance(bits, int | np.integer) or not 0 <= bits <= max(most, 0):
        raise ParameterError("tie_bits", f"must be a whole number from 0 to {max(most, 0)}, got {shown(bits)}.")
    return int(bits)


def checked_seed(seed: object) -> int | None:
    """Return the seed as an int. Raises ParameterError.

    A partition of a table on a cluster has a secret key in its place, so that a second reading gives the same records.
    """
    if seed is None or isinstance(seed, Key):
        return seed  # type: ignore[return-value]  # a key is never in a Sample that a caller gets
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise ParameterError("seed", "must be a whole number >= 0 or None.")
    return int(seed)


def encode_records(
    column: NDArray[np.generic],
    domain: Domain,
    missing: Number | None,
    bits: int,
    low_bits: Iterable[Integers],
) -> Integers:
    """Return the sub-indices of records, in their order; without `missing` those not finite are left out.

    `low_bits` come in chunks, one for every record, also for those left out.
    """
    cells, places, start = grid_indices(column, domain, missing), domain.places(bits), 0
    for low in low_bits if bits else [np.zeros(cells.size, np.int64)]:
        some = slice(start, start + low.size)
        cells[some] = places.place_of(cells[some], low)
        start += low.size
    return _kept(cells, column, missing)


def grid_records(column: NDArray[np.generic], domain: Domain, missing: Number | None) -> Integers:
    """Return the grid indices of records, in their order; without `missing` those not finite are left out."""
    return _kept(grid_indices(column, domain, missing), column, missing)


def _kept(cells: Integers, column: NDArray[np.generic], missing: Number | None) -> Integers:
    finite = np.isfinite(column) if missing is None and column.dtype.kind == "f" else None
    return cells if finite is None or finite.all() else cells[finite]


def grid_indices(column: NDArray[np.generic], domain: Domain, missing: Number | None) -> Integers:
    """Return the grid indices of records, in their order; missing ones without `missing` have any."""
    stand_in = domain.lower if missing is None else exact_number(missing, "missing")
    finite = np.isfinite(column) if column.dtype.kind == "f" else None
    if finite is None or finite.all():
        return domain.encode(column)
    return domain.encode(np.where(finite, column, np.float64(stand_in)))
