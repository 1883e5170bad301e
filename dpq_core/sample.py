"""Sample: one column as grid indices, with ties broken, sorted once; all that mechanisms read of the data.

They read ranks of indices and the indices at ranks, many at a time: `SortedCells`. A numpy array gives both in memory;
`cluster.cells` where the records are spread over machines. Output distributions do not depend on which it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol, Self, TypeAlias, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from .arrays import ColumnLike, Floats, Integers, Segments, held_bytes, with_room
from .domain.domain import Domain, checked_domain
from .domain.measure import EVERY_INDEX, UNIFORM, BaseMeasure
from .domain.numbers import Number, exact_number
from .errors import DataError, Name, ParameterError, shown
from .noise.tie_breaking import Key, tie_breaking
from .people.ids import UNSAID, People, Whose
from .people.shares import UNIT, WeightedCells, share_cells, unit_of
from .people.takes import PerPerson, checked_per_person, refuse_other_rows, taken_records
from .privacy import composition
from .privacy.budgets import Adjacency, Protects
from .privacy.composition import GroupsPerPerson, PrivacyUnit, most_groups
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
    """What answers of a column are drawn from: records or a sketch of them, on a grid; in one group `()` or in many."""

    domain: Domain
    protects: Protects
    max_rows_per_person: int | None
    names: tuple[GroupName, ...] = (WHOLE,)
    by: tuple[str, ...] = ()
    finding: float | None = None
    persons: Integers | None = None
    max_groups_per_person: GroupsPerPerson | None = None
    weights: NDArray[np.int32] | None = None

    @property
    def coarse(self) -> Self:
        """Return the records by which bounds would be found, and on which grid answers lie is known."""
        return self

    on_any_grid = coarse

    def each_part(self, work: Callable[[Any, int], T]) -> list[T]:
        """Return what `work` gives for each part of the groups and its number: one part, unless on a cluster."""
        return [work(self, 0)]

    @property
    def in_groups(self) -> bool:
        """Return whether there are other groups than the one of all records."""
        return self.names != (WHOLE,)

    @property
    def n(self) -> int:
        """Return the number of records, of persons where rows are shares."""
        raise NotImplementedError

    @property
    def unit(self) -> int:
        """Return how many units a record, or a person, weighs: 1 unless all rows of a person weigh 1 together."""
        return 1

    @property
    def in_ranges(self) -> bool:
        """Return whether records are on a cluster, and each draw asks for those that it reads."""
        return False

    @property
    def segments(self) -> Segments | None:
        """Return the records of all groups, where draws read them side by side, and not as columns of their own."""
        return None

    @property
    def starts(self) -> Integers:
        """Return where each group's records begin, and the end of all: (groups + 1,). Private."""
        return np.array([0, self.n])

    @property
    def masses(self) -> Integers:
        """Return the weight of all rows of each group, in units; its records where these are whole. Private."""
        return np.diff(self.starts)

    def unit_between(self, adjacency: Adjacency) -> PrivacyUnit:
        """Return how neighbours of these data differ; public.

        In one piece by one record, unless a person has several; in groups a replaced record may change its group.
        """
        if not self.in_groups and self.max_rows_per_person is None:
            return PrivacyUnit(self.protects)
        most, rows, shares = self.max_groups_per_person or 1, self.max_rows_per_person or 1, self.weights is not None
        return composition.unit_of_groups(
            adjacency, most, protects=self.protects, max_rows_per_person=rows, shares=shares
        )

    def place_of(self, name: object) -> int:
        """Return the place of the one group, which has no name. Raises ParameterError."""
        if name is not None:
            raise ParameterError("group", "must be None for a column that is not in groups.")
        return 0


class Sketch(OneColumn):
    """What some mechanisms read in place of records."""

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

    def column(self, group: int) -> Self:
        """Return the records of the one group."""
        return self


@dataclass(frozen=True, eq=False, repr=False)
class Sample(OneColumn):
    """Hold a column as sorted sub-indices, in one piece or in groups.

    `Sample.from_values` makes one in one piece, `Groups.from_values` in groups, and `dpq_core.cluster` on a cluster.

    Every grid index is split into 2^tie_bits sub-indices and every record gets independent uniform low bits once.
    This breaks ties and moves no other record: bits by sorted position would move every later record when one joins.

    `dropped` (the number of records, or persons, that were missing or not finite, and of rows of nobody) is private,
    and so is `n` if a record may join or leave. The list of names is public unless groups are to be found; how many
    records each has is private.
    """

    records: SortedCells
    """Sorted; within each group where there are groups."""
    domain: Domain
    tie_bits: int
    seed: int | None
    dropped: int
    protects: Protects = "record"
    """What a neighbouring sample differs by: one record, or all records of one person."""
    max_rows_per_person: int | None = None
    """How many records a person may have in each group, where these may be several; in all groups, where any count."""
    per_person: PerPerson | None = None
    """What makes one record of a person's rows, in each group, where something does."""
    missing: Fraction | None = None
    """What a missing value counts as; None where such records are left out."""
    whose: Whose = UNSAID
    names: tuple[GroupName, ...] = (WHOLE,)
    group_starts: Integers | None = None
    """Where each group's records begin, and the end of all: (groups + 1,); None in one piece."""
    weights: NDArray[np.int32] | None = None
    """The weight of each row in groups, in units, where all rows of a person weigh 1 together, over all groups."""
    max_groups_per_person: GroupsPerPerson | None = None
    """In how many groups a person counts; None in one piece."""
    finding: float | None = None
    """The share of epsilon that decides which groups are named; None where the list of names is public."""
    pooled: bool = False
    """Whether the last group holds the rows of all that are not listed."""
    persons: Integers | None = None
    """The number of persons in each group, where it is not its number of records; private. For shares see `shares_in`.

    All columns of a table share this array if their groups are found once for all of them.
    """
    by: tuple[str, ...] = ()
    """The names of the columns whose values name the groups, where they are known; public."""

    rank_slack = 0
    """How much larger a rank error can be than stated."""

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
        records: SortedCells
        if people is None:
            if per_person is not None or max_rows_per_person is not None:
                raise ParameterError(
                    "people", ("must be given with ", Name("per_person"), " or ", Name("max_rows_per_person"), ".")
                )
            records, dropped = _sorted_records(number_batches(values), domain, seed, missing, bits)
            return cls(records, domain, bits, seed, dropped, missing=exact_missing(missing))
        per_person, max_rows_per_person = checked_per_person(per_person, max_rows_per_person)
        column = numeric_column(values).astype(np.float64, copy=False)
        refuse_other_rows(people, column.size)
        if per_person == "weight":
            stand_in = domain.lower if missing is None else missing
            records, dropped = share_cells(
                encode_records(column, domain, stand_in, bits, tie_breaking(column.size, bits, seed)),
                column, people, missing is not None,
            )  # fmt: skip
        else:
            rows = taken_records(column, people, domain, per_person, max_rows_per_person, seed, missing is not None)
            records, dropped = _sorted_records([rows], domain, seed, missing, bits)
        return cls(
            records, domain, bits, seed, dropped + people.nobodys, "person", max_rows_per_person, per_person,
            exact_missing(missing), people.whose,
        )  # fmt: skip

    def __repr__(self) -> str:
        settings = f"tie_bits={self.tie_bits}, seed={self.seed}, protects={self.protects!r}"
        kind = "Groups" if self.in_groups else "Sample"
        return f"{kind}(domain={self.domain!r}, {settings})"  # no names, which may be private, and no counts

    def __sizeof__(self) -> int:
        return held_bytes(*vars(self).values())

    def __setstate__(self, facts: dict[str, Any]) -> None:
        vars(self).update(facts)
        for array in _arrays_of(self.records):
            array.flags.writeable = False

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

    @property
    def n(self) -> int:
        """Return the number of records, in one piece of persons where rows are shares; private under ADD_REMOVE."""
        return int(self.records.size) // unit_of(self.records)

    @property
    def unit(self) -> int:
        """Return how many units a record, or a person, weighs: 1 unless all rows of a person weigh 1 together."""
        if not self.in_groups:
            return unit_of(self.records)
        return 1 if self.weights is None else UNIT

    @property
    def starts(self) -> Integers:
        """Return where each group's records begin, and the end of all; in one piece in units. Private."""
        return np.array([0, self.records.size], np.int64) if self.group_starts is None else self.group_starts

    @property
    def sizes(self) -> Integers:
        """Return the number of records in each group; private."""
        return np.diff(self.starts)

    @property
    def masses(self) -> Integers:
        """Return the weight of all rows of each group, in units; its records where these are whole. Private."""
        if self.weights is None:
            return self.sizes
        through = np.concatenate([[0], np.cumsum(self.weights, dtype=np.int64)])
        return np.asarray(np.diff(through[self.starts]), dtype=np.int64)

    @property
    def people_in(self) -> Integers:
        """Return the number of persons in each group: its records, unless a person may have several. Private."""
        return self.sizes if self.persons is None else self.persons

    @property
    def most_groups(self) -> int:
        """Return in how many groups one person may have records; public."""
        return most_groups(self.max_groups_per_person or 1, self.max_rows_per_person)

    @property
    def records_each(self) -> int:
        """Return how many records one person may have in all groups together; public."""
        groups = 1 if self.max_groups_per_person == "any" else self.max_groups_per_person
        return (self.max_rows_per_person or 1) * (groups or 1)

    @property
    def is_in_memory(self) -> bool:
        """Return whether all records are here, and not on a cluster."""
        return isinstance(self.records, np.ndarray | WeightedCells)

    @property
    def in_ranges(self) -> bool:
        """Return whether records are on a cluster, and each draw asks for those that it reads."""
        return not self.is_in_memory and not self.in_groups

    @property
    def segments(self) -> Segments | None:
        """Return the records of all groups, where draws read them side by side, and not as columns of their own."""
        return Segments(self.cells) if self.in_groups and self.weights is None else None

    def in_one_piece(self) -> Sample:
        """Return the records of all groups together, by which bounds are found."""
        return self._alone(np.argsort(self.cells, kind="stable")) if self.in_groups else self

    def column(self, group: int) -> Sample:
        """Return one group's records as a Sample of their own, which shares their memory."""
        return self._alone(slice(self.starts[group], self.starts[group + 1])) if self.in_groups else self

    def _alone(self, rows: slice | Integers) -> Sample:
        records: SortedCells = self.cells[rows]
        if self.weights is not None:
            records = WeightedCells.of(self.cells[rows], self.weights[rows])
        return Sample(records, self.domain, self.tie_bits, self.seed, 0, self.protects)

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


def _sorted_records(
    batches: Iterable[NDArray[np.generic]], domain: Domain, seed: int | None, missing: Number | None, bits: int
) -> tuple[Integers, int]:
    """Return the sorted sub-indices of a column and how many rows have none.

    Batches are encoded as they come, in little more than 8 bytes a record.
    """
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
    return found, rows - n


def exact_missing(missing: Number | None) -> Fraction | None:
    """Return what a missing value counts as, exactly; None where such records are left out. Raises ParameterError."""
    return None if missing is None else exact_number(missing, "missing")


def _arrays_of(records: object) -> list[Integers]:
    if isinstance(records, WeightedCells):
        return [records.rows, records.through]
    return [records] if isinstance(records, np.ndarray) else []


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
