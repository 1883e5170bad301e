"""The columns of a table: records that mechanisms read, or values that stay as they are until bounds are found."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, TypeAlias, TypeVar

from .arrays import ColumnLike, Integers
from .column import Column, Data
from .domain.domain import Domain
from .domain.finding import FindBounds
from .domain.numbers import Number
from .encoding import checked_bits
from .errors import ParameterError
from .groups.names import GroupsLike
from .people.ids import People
from .people.takes import PerPerson

Reads: TypeAlias = Callable[..., Column]
"""Reads a column on a Domain, with fresh tie-breaking bits: `tie_bits` of them, or as many as there is room for."""


@dataclass(frozen=True, eq=False, repr=False)
class RawColumn:
    """Hold a column of numbers, whole or in groups, whose bounds a release finds.

    Its values stay unchanged, because the release finds their grid. Each record's index then follows from its own value
    alone, so neighbouring columns are neighbouring on every grid. All groups have the same bounds, found once from the
    records of all groups together.
    """

    find_bounds: FindBounds
    read: Reads
    coarse: Column
    """The column on the grid of all bounds that can be found; finding them reads nothing else."""

    @classmethod
    def of(cls, find_bounds: FindBounds, read: Reads) -> RawColumn:
        """Return a column without bounds. It is read at once, so that errors come now: ParameterError, DataError."""
        if not isinstance(find_bounds, FindBounds):
            raise ParameterError("find_bounds", f"must be a FindBounds, got {type(find_bounds).__name__}.")
        return cls(find_bounds, read, read(find_bounds.grid, tie_bits=0))

    @classmethod
    def from_values(
        cls,
        values: ColumnLike,
        find_bounds: FindBounds,
        *,
        seed: int | None = None,
        missing: Number | None = None,
        people: People | None = None,
        per_person: PerPerson | None = None,
        max_rows_per_person: int | None = None,
    ) -> RawColumn:
        """Return a column in one piece; arguments and errors are those of `Column.from_values`."""
        rule: dict[str, Any] = {"people": people, "per_person": per_person, "max_rows_per_person": max_rows_per_person}
        return cls.of(find_bounds, partial(Column.from_values, values, seed=seed, missing=missing, **rule))

    def __repr__(self) -> str:
        return f"RawColumn({self.find_bounds!r}, seed={self.coarse.seed}, protects={self.coarse.protects!r})"

    def on(self, domain: Domain, tie_bits: int | None = None) -> Column:
        """Return the column on a grid, with fresh tie-breaking bits. Raises ParameterError, DataError."""
        return self.read(domain, tie_bits=tie_bits)

    @property
    def on_any_grid(self) -> Column:
        """Return the column on the finest possible grid, to calibrate a plan before bounds are known.

        Use only its public parts: its records are still those of `coarse`.
        """
        finest = self.find_bounds.finest
        return replace(self.coarse, domain=finest, tie_bits=checked_bits(None, finest))

    @cached_property
    def counted(self) -> Column:
        """Return the records by which bounds are found: those of the whole column, in all groups."""
        return self.coarse.in_one_piece()


def read_in_groups(
    values: ColumnLike,
    groups: GroupsLike,
    rule: Mapping[str, Any],
    by: tuple[str, ...],
    persons: Integers | None,
    domain: Domain,
    /,
    *,
    tie_bits: int | None = None,
) -> Column:
    """Return a column in groups on a grid. Raises as `Column.from_values`, whose further arguments are the `rule`.

    `persons`: how many there are in each group, where groups are found once for all columns.
    """
    found = Column.from_values(values, domain, groups=groups, tie_bits=tie_bits, **rule)
    return replace(found, by=by, persons=found.persons if persons is None else persons)


Source: TypeAlias = Data | RawColumn
"""A column of a table: of all records or in groups, with bounds that are known or to be found."""
Columns: TypeAlias = Mapping[str, Source]
"""Columns of one table by their names."""


Kind = TypeVar("Kind", Column, RawColumn)


@dataclass(frozen=True, eq=False, repr=False)
class ColumnsOfOne(Mapping[str, Source]):
    """The whole columns of one table, with records of the same persons."""

    columns: Mapping[str, Source]
    in_all: int
    """The number of records that all columns have in common; private."""

    def __getitem__(self, name: str) -> Source:
        return self.columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def records_of(self, name: str) -> int:
        """Return the number of records of a column, or of persons where all rows of a person weigh 1; private."""
        return only(Column, self.columns[name].coarse).n


def column_of(possible: Domain | FindBounds, read: Reads) -> Column | RawColumn:
    """Return a column that is read on its grid, or kept until bounds are found. Raises ParameterError, DataError."""
    return RawColumn.of(possible, read) if isinstance(possible, FindBounds) else read(possible)


def only(kind: type[Kind], column: Source) -> Kind:
    """Return a column of this kind, for which steps were calibrated."""
    assert isinstance(column, kind), "calibrated for other data"
    return column
