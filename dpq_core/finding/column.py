"""Columns, whole or in groups, that keep their values unchanged until their bounds are found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from ..arrays import ColumnLike, Integers
from ..domain.domain import Domain
from ..domain.finding import FindBounds
from ..domain.numbers import Number
from ..errors import ParameterError
from ..groups.names import GroupsLike
from ..groups.table import Groups
from ..people.ids import People
from ..people.shares import WeightedCells
from ..people.takes import Take
from ..sample import Sample, SortedCells, checked_bits
from ..sketches.data import Data


@dataclass(frozen=True, eq=False, repr=False)
class RawSample:
    """Hold a column of numbers whose bounds a release finds; `dpq_core.release` and `simulate` take it as a Sample.

    It stores the values unchanged, because the release finds their grid. Each record's index then follows from its own
    value alone, so neighbouring columns are neighbouring Samples on every grid.
    """

    values: ColumnLike
    find_bounds: FindBounds
    seed: int | None
    missing: Number | None
    people: People | None = field(default=None)
    take: Take | None = None
    most_rows: int | None = None

    @classmethod
    def from_values(
        cls,
        values: ColumnLike,
        find_bounds: FindBounds,
        *,
        seed: int | None = None,
        missing: Number | None = None,
        people: People | None = None,
        take: Take | None = None,
        most_rows: int | None = None,
    ) -> RawSample:
        """Return a RawSample; arguments and errors are those of `Sample.from_values`."""
        if not isinstance(find_bounds, FindBounds):
            raise ParameterError("find_bounds", f"must be a FindBounds, got {type(find_bounds).__name__}.")
        raw = cls(values, find_bounds, seed, missing, people, take, most_rows)
        assert raw.coarse.domain == find_bounds.grid, "the column was read once, so that its errors come now"
        return raw

    def __repr__(self) -> str:
        return f"RawSample({self.find_bounds!r}, seed={self.seed}, protects={self.coarse.protects!r})"  # no counts

    def on(self, domain: Domain, jitter_bits: int | None = None) -> Sample:
        """Return the column on a grid, with fresh tie-breaking bits. Raises as `Sample.from_values`."""
        return Sample.from_values(
            self.values,
            domain,
            seed=self.seed,
            missing=self.missing,
            jitter_bits=jitter_bits,
            people=self.people,
            take=self.take,
            most_rows=self.most_rows,
        )

    @cached_property
    def coarse(self) -> Sample:
        """Return the column on the grid of all bounds that can be found; finding them reads nothing else."""
        return self.on(self.find_bounds.grid, jitter_bits=0)

    @property
    def on_any_grid(self) -> Sample:
        """Return the column on the finest possible grid, to calibrate a plan before bounds are known.

        Use only its public parts: its records are still those of `coarse`.
        """
        finest = self.find_bounds.finest
        return replace(self.coarse, domain=finest, jitter_bits=checked_bits(None, finest))

    @property
    def counted(self) -> Sample:
        """Return the records by which bounds are found: those of the whole column."""
        return self.coarse

    @property
    def records_each(self) -> int:
        """Return how many records one person may have."""
        return self.coarse.most_rows or 1


@dataclass(frozen=True, eq=False, repr=False)
class RawGroups:
    """A column in groups, with the way to find its bounds; see `RawSample`.

    All groups have the same bounds, found once from the records of all groups together.
    """

    values: ColumnLike
    groups: GroupsLike
    find_bounds: FindBounds
    rule: Mapping[str, Any]
    """The further arguments of `Groups.from_values`: names, people, what counts of their rows, a seed."""
    by: tuple[str, ...] = ()
    persons: Integers | None = None
    """See `Groups.persons`."""

    def __post_init__(self) -> None:
        assert self.coarse.domain == self.find_bounds.grid, "the column was read once, so that its errors come now"

    def __repr__(self) -> str:
        return f"RawGroups({self.find_bounds!r}, seed={self.seed}, protects={self.coarse.protects!r})"  # no counts

    @property
    def seed(self) -> int | None:
        """Return the seed of tie-breaking, None outside of studies."""
        return self.coarse.seed

    def on(self, domain: Domain, jitter_bits: int | None = None) -> Groups:
        """Return the groups on a grid, with fresh tie-breaking bits. Raises as `Groups.from_values`."""
        found = Groups.from_values(self.values, self.groups, domain, jitter_bits=jitter_bits, **self.rule)
        return replace(found, by=self.by, persons=found.persons if self.persons is None else self.persons)

    @cached_property
    def coarse(self) -> Groups:
        """Return the groups on the grid of all bounds that can be found."""
        return self.on(self.find_bounds.grid, jitter_bits=0)

    @property
    def on_any_grid(self) -> Groups:
        """Return the groups on the finest possible grid, as `RawSample.on_any_grid`; use only their public parts."""
        finest = self.find_bounds.finest
        return replace(self.coarse, domain=finest, jitter_bits=checked_bits(None, finest))

    @cached_property
    def counted(self) -> Sample:
        """Return the records by which bounds are found: those of all groups."""
        own = self.coarse
        order = np.argsort(own.records.cells, kind="stable")
        records: SortedCells = own.records.cells[order]
        if own.weights is not None:
            records = WeightedCells.of(own.records.cells[order], own.weights[order])
        return Sample(records, own.domain, own.jitter_bits, own.seed, 0, own.protects)

    @property
    def records_each(self) -> int:
        """Return how many records one person may have, in all groups together."""
        return self.coarse.records_each


Source: TypeAlias = Data | RawSample | Groups | RawGroups
"""A column of a table: of all records or in groups, with bounds that are known or to be found."""
Columns: TypeAlias = Mapping[str, Source]
"""Columns of one table by their names."""


def whole_of(sample: Source) -> Data | Groups:
    """Return the records of a column; on the grid of all bounds that may be found, where they are to be found."""
    return sample.coarse if isinstance(sample, RawSample | RawGroups) else sample


def weighs_shares(sample: Source) -> bool:
    """Return whether the rows of each person weigh 1 together, so that persons are counted."""
    whole = whole_of(sample)
    return isinstance(whole, Sample) and whole.unit > 1
