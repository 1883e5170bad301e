"""Column: one column as grid indices, with ties broken, sorted once; all that mechanisms read of the data.

They read ranks of indices and the indices at ranks, many at a time: `SortedCells`. A numpy array gives both in memory;
`cluster.cells` where the records are spread over machines. Output distributions do not depend on which it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .arrays import ColumnLike, Floats, Integers, Segments, SortedCells, held_bytes
from .domain.domain import Domain
from .domain.finding import FindBounds
from .domain.measure import BaseMeasure
from .domain.numbers import Number, exact_number
from .encoding import checked_bits, checked_seed, encode_records, grouped_records, sorted_records
from .errors import DataError, Name, ParameterError
from .groups.bounding import NAMING_UNITS, Bounded, bounded, checked_most, checked_rule, shares_in
from .groups.finding import FINDING_SHARE, checked_share
from .groups.names import GroupCodes, GroupName, GroupsLike, checked_names, codes_of, names_in, names_of
from .noise.tie_breaking import tie_breaking
from .one_column import WHOLE, OneColumn, Sketch
from .people.ids import UNSAID, People, Whose
from .people.shares import UNIT, WeightedCells, share_cells, unit_of
from .people.takes import PerPerson, refuse_other_rows
from .privacy import composition
from .privacy.budgets import Adjacency, Protects
from .privacy.composition import GroupsPerPerson, PrivacyUnit, most_groups
from .values import number_batches, numeric_column


@dataclass(frozen=True, eq=False, repr=False)
class Column(OneColumn):
    """Hold a column as sorted slots, in one piece or in groups.

    `Column.from_values` makes one in memory, and `dpq_core.cluster` on a cluster. Where a release finds the bounds,
    once for all groups, the values stay as they are: each record's index follows from its own value alone, so
    neighbouring columns are neighbouring on every grid. Until then the records lie on that of all bounds that can be
    found, and finding them reads nothing else.

    Every grid index is split into 2^tie_bits slots and every record gets independent uniform low bits once.
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
    """What a neighbouring column differs by: one record, or all records of one person."""
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
    find_bounds: FindBounds | None = None
    """How a release finds the bounds; None where `domain` is the grid of its answers."""
    read: Callable[..., Column] | None = None
    """Reads the column on another Domain, with fresh tie-breaking bits, where bounds are to be found."""

    @classmethod
    def from_values(
        cls,
        values: ColumnLike,
        domain: Domain | FindBounds,
        *,
        groups: GroupsLike | None = None,
        names: Iterable[GroupName] | None = None,
        other: GroupName | None = None,
        finding: float = FINDING_SHARE,
        people: People | None = None,
        per_person: PerPerson | None = None,
        max_rows_per_person: int | None = None,
        max_groups_per_person: GroupsPerPerson | None = None,
        seed: int | None = None,
        missing: Number | None = None,
        tie_bits: int | None = None,
    ) -> Column:
        """Return a Column of any one-dimensional column of numbers; the column itself is neither stored nor changed.

        The column is a list, an array, an iterator of such batches, or any object with an Arrow stream (polars, duckdb,
        pandas, pyarrow), where dates count days since 1970-01-01 and durations seconds. It is read batch by batch.

        With FindBounds in place of a Domain a release finds the bounds. Values outside the bounds are clipped, never
        dropped. Missing and non-finite ones are replaced by `missing`, a value chosen from public knowledge, or else
        dropped (which only ADD_REMOVE allows). With a `seed` the tie-breaking bits are repeatable, and `release`
        refuses the Column. `tie_bits=0` is for exact audits of small data. O(n log n) time, two int64 arrays of n,
        about four with groups. Raises DataError, ParameterError.

        With `people`, who own one row or several each, a neighbouring table differs by one person with all rows, and
        you must give `per_person` or `max_rows_per_person`. `per_person` makes one record of a person's valid rows:
        their mean (each value moved into the bounds first), lower median, min, max, first, last or a random one; with
        "weight" all of them count, with a weight of 1 together. A person without a valid row counts as `missing`, or is
        dropped. `max_rows_per_person` keeps at most this number of rows of each person, at random, and divides the
        budget; choose it from public knowledge. Rows of nobody are dropped.

        `groups`: another column, with one group for each row; every group is answered. `names`: the groups to answer,
        from public knowledge and never from the data: texts, numbers, truth values or dates, each a name that a row can
        have. Rows of other groups and of none are dropped, or pooled in one more group named `other`. Without `names` a
        release finds the groups with many people, for the part `finding` of its epsilon and some of its delta.

        A person is in at most `max_groups_per_person` groups (by default 1); further groups of a person are dropped at
        random. In each group one number of a person counts, as `per_person` says (with groups by default one row at
        random), or up to `max_rows_per_person` of the rows. A release divides its budget by the groups per person times
        `max_rows_per_person`; choose both from public knowledge. With max_groups_per_person="any" up to
        `max_rows_per_person` rows of a person count in all listed groups together, and the budget is divided by
        `max_rows_per_person` alone. With per_person="weight" all rows of a person count, in all listed groups, with a
        weight of 1 together, and every group has the whole budget. A replaced person (REPLACE_ONE) may leave one group
        and join another, so sizes are private, and the budget is halved.
        """
        if isinstance(domain, FindBounds):
            if tie_bits is not None:
                raise ParameterError("tie_bits", "must be left out where bounds are found.")
            read = partial(
                cls.from_values, numeric_column(values), groups=None if groups is None else names_of(groups),
                names=None if names is None else checked_names(names, None), other=other, finding=finding,
                people=people, per_person=per_person, max_groups_per_person=max_groups_per_person,
                max_rows_per_person=max_rows_per_person, seed=seed, missing=missing,
            )  # fmt: skip
            return cls.without_bounds(domain, read)
        bits, seed = checked_bits(tie_bits, domain), checked_seed(seed)
        given = {"names": names, "other": other, "max_groups_per_person": max_groups_per_person}
        for name in [name for name, each in given.items() if groups is None and each is not None]:
            raise ParameterError(name, ("must go with ", Name("groups"), "."))
        if groups is not None and people is not None and per_person is None and max_rows_per_person is None:
            per_person = "random"
        per_person, max_rows_per_person = checked_rule(people, per_person, max_rows_per_person)
        facts: dict[str, Any] = {
            "domain": domain, "tie_bits": bits, "seed": seed, 
            "missing": None if missing is None else exact_number(missing, "missing"),
            "protects": "record" if people is None else "person", "per_person": per_person,
            "max_rows_per_person": max_rows_per_person,
        }  # fmt: skip
        if groups is None and people is None:
            records, dropped = sorted_records(number_batches(values), domain, seed, missing, bits)
            return cls(records=records, dropped=dropped, **facts)
        column, codes = numeric_column(values), None
        if groups is not None:
            facts["finding"] = checked_share(finding, other) if names is None else None
            listed = names_in(groups) if names is None else checked_names(names, other)
            most = checked_most(max_groups_per_person, per_person, max_rows_per_person, of_people=people is not None)
            facts |= {"names": listed, "max_groups_per_person": most, "pooled": other is not None}
            codes = codes_of(groups, listed, pooled=other is not None)
            if codes.size != column.size:
                raise DataError("the groups must be one column, with one group for each value.")
        return _of_rows(cls(records=np.empty(0, np.int64), dropped=0, **facts), column, codes, people, missing)

    @classmethod
    def without_bounds(cls, find_bounds: FindBounds, read: Callable[..., Column]) -> Column:
        """Return a column whose bounds are to be found; `read` reads it on a Domain, with `tie_bits` or all that fit.

        It is read at once, so that errors come now: ParameterError, DataError.
        """
        return replace(read(find_bounds.grid, tie_bits=0), find_bounds=find_bounds, read=read)

    def __repr__(self) -> str:
        domain = f"domain={self.domain!r}, tie_bits={self.tie_bits}"
        grid = domain if self.find_bounds is None else repr(self.find_bounds)
        return f"Column({grid}, seed={self.seed}, protects={self.protects!r})"  # no counts, and no names: private

    def __sizeof__(self) -> int:
        return held_bytes(*vars(self).values())

    def __setstate__(self, facts: dict[str, Any]) -> None:
        vars(self).update(facts)
        held = self.records
        for array in (held.rows, held.through) if isinstance(held, WeightedCells) else (held,):
            if isinstance(array, np.ndarray):
                array.flags.writeable = False

    @property
    def slots(self) -> int:
        """Return the number of slots of the domain: the size of the output space of every draw."""
        return self.places.count

    @property
    def places(self) -> BaseMeasure:
        """Return which slots belong to which grid index."""
        return self.domain.places(self.tie_bits)

    def values_of(self, slots: Integers) -> Floats:
        """Return the grid values of slots; same shape."""
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

    def unit_of_names(self, adjacency: Adjacency) -> PrivacyUnit:
        """Return how neighbours differ where groups are counted to be named; public."""
        of_persons = composition.unit_of_groups(adjacency, self.most_groups, protects=self.protects)
        return composition.unit_of_names(of_persons, NAMING_UNITS if self.weights is not None else 0)

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

    def on(self, domain: Domain, tie_bits: int | None = None) -> Column:
        """Return a column whose bounds were found on a grid, with fresh tie-breaking bits.

        Raises ParameterError, DataError.
        """
        assert self.read is not None, "a column whose bounds are to be found"
        found = self.read(domain, tie_bits=tie_bits)
        return replace(found, by=self.by, persons=found.persons if self.finding is None else self.persons)

    @property
    def on_any_grid(self) -> Column:
        """Return the column on the finest possible grid, to calibrate a plan before bounds are known.

        Use only its public parts: its records still lie on the grid of all bounds.
        """
        if self.find_bounds is None:
            return self
        finest = self.find_bounds.finest
        return replace(self, domain=finest, tie_bits=checked_bits(None, finest), find_bounds=None, read=None)

    def in_one_piece(self) -> Column:
        """Return the records of all groups together, by which bounds are found."""
        return self._alone(np.argsort(self.cells, kind="stable")) if self.in_groups else self

    def column(self, group: int) -> Column:
        """Return one group's records as a Column of their own, which shares their memory."""
        return self._alone(slice(self.starts[group], self.starts[group + 1])) if self.in_groups else self

    def column_of_group(self, name: object) -> Column:
        """Return the records of the group of this name as a Column of their own. Private. Raises ParameterError."""
        return self.column(self.place_of(name))

    def _alone(self, rows: slice | Integers) -> Column:
        cells = self.cells[rows]
        records = cells if self.weights is None else WeightedCells.of(cells, self.weights[rows])
        return Column(records, self.domain, self.tie_bits, self.seed, 0, self.protects)

    @property
    def cells(self) -> Integers:
        """Return the slots of all rows as one read-only array. Raises DataError where they are on a cluster."""
        if isinstance(self.records, WeightedCells):
            return self.records.rows
        if not isinstance(self.records, np.ndarray):
            raise DataError("this needs all records in memory, and the column is spread over a cluster.")
        return self.records

    @property
    def cells_at_places(self) -> SortedCells:
        """Return the slots for what reads some of them, wherever they are; of weighted rows all rows."""
        return self.cells if isinstance(self.records, np.ndarray | WeightedCells) else self.records

    @property
    def coarse_cells(self) -> Integers:
        """Return the grid indices of all rows. Raises DataError where they are on a cluster."""
        return self.places.cells_of(self.cells)

    def count_below(self, cells: Integers) -> Integers:
        """Return for grid indices how many records lie at lower ones, in units of `unit`. O(log n) each."""
        return self.records.searchsorted(self.places.before(cells)).astype(np.int64)

    def count_through(self, cells: Integers) -> Integers:
        """Return for grid indices how many records lie at these and at lower ones, in units of `unit`."""
        return self.count_below(cells + 1)


def _of_rows(
    empty: Column, column: NDArray[np.generic], codes: GroupCodes | None, people: People | None, missing: Number | None
) -> Column:
    """Return what counts of rows by the public facts of `empty`. `codes`: the place of each row's group."""
    domain, bits, seed, count = empty.domain, empty.tie_bits, empty.seed, len(empty.names)
    kept = Bounded(column, codes, None, 0)
    if people is not None:
        refuse_other_rows(people, column.size)
        empty = replace(empty, whose=people.whose)
        numbers = column.astype(np.float64, copy=False)
        if empty.per_person == "weight":
            return _of_shares(empty, numbers, codes, people, missing)
        kept = bounded(
            numbers, codes, count, people, empty.max_groups_per_person, empty.per_person, empty.max_rows_per_person,
            domain, seed=seed, count_missing=missing is not None,
        )  # fmt: skip
    if kept.codes is None:
        records, lost = sorted_records([kept.values], domain, seed, missing, bits)
        return replace(empty, records=records, dropped=lost + kept.dropped)
    records, starts, lost = grouped_records(kept.values, kept.codes, count, domain, seed, missing, bits)
    persons = None if empty.max_rows_per_person is None else kept.persons
    return replace(empty, records=records, group_starts=starts, persons=persons, dropped=lost + kept.dropped)


def _of_shares(
    empty: Column, column: Floats, codes: GroupCodes | None, people: People, missing: Number | None
) -> Column:
    """Return all rows, those of a person with a weight of 1 together."""
    domain, bits, stand_in = empty.domain, empty.tie_bits, missing is not None
    low_bits = tie_breaking(column.size, bits, empty.seed)
    cells = encode_records(column, domain, domain.lower if missing is None else missing, bits, low_bits)
    count, slots = len(empty.names), empty.slots
    rows, weights, starts = share_cells(cells, column, people, stand_in, codes, count, slots)
    rows.flags.writeable = False
    if codes is None:
        whole = WeightedCells.of(rows, weights)
        whole.through.flags.writeable = False
        return replace(empty, records=whole, dropped=people.count - whole.size // UNIT + people.nobodys)
    persons = None if empty.finding is None else shares_in(codes, count, people)
    return replace(
        empty, records=rows, weights=weights, group_starts=starts, persons=persons, dropped=column.size - rows.size
    )


Data: TypeAlias = Column | Sketch
"""What a release can be drawn from: all records, or what a mechanism that says so can do with."""
Columns: TypeAlias = Mapping[str, Data]
"""Columns of one table by their names."""
