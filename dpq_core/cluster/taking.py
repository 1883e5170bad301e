"""Take what counts of each person's rows, or all rows, inside one partition: by the code that does it in memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Integers, held_bytes
from ..column import Column
from ..domain.domain import Domain
from ..domain.numbers import Number
from ..groups.bounding import counted_for_names
from ..groups.names import GroupCodes
from ..intervals.counted import records_in_all
from ..noise.tie_breaking import Key
from ..people.ids import People
from ..people.shares import WeightedCells
from ..privacy.composition import most_groups
from .found import GroupsOfPart, names_told, numbered
from .rows import CODE, ROW, Wanted, persons_of


@dataclass(frozen=True, eq=False, repr=False)
class Records:
    """The records of one column in one partition: sorted slots, by group where there are any. Private."""

    cells: Integers
    weights: NDArray[np.int32] | None
    """The weight of each row, in units, where all rows of a person weigh 1 together."""
    starts: Integers | None
    """Where each group's records begin, and the end of all: (groups + 1,)."""
    dropped: int

    @classmethod
    def none(cls, groups: int = 0, *, weighted: bool) -> Records:
        """Return no records, in some groups."""
        weights = np.empty(0, np.int32) if weighted else None
        return cls(np.empty(0, np.int64), weights, np.zeros(groups + 1, np.int64), 0)

    def __sizeof__(self) -> int:
        return held_bytes(*vars(self).values())


@dataclass(frozen=True)
class Rule:
    """What counts of each column: public."""

    wanted: Wanted
    domains: Mapping[str, Domain]
    """Of the columns whose records are made."""
    missing: Mapping[str, Number | None]
    missing_is_person: bool
    counted: Mapping[str, Any] = field(default_factory=dict)
    """The further arguments of `Column.from_values`, such as `per_person`."""
    bits: int | None = None
    """The number of tie-breaking bits; None for the usual one of each domain."""
    purpose: str = "column"
    """What the records are for: another purpose has other bits, and makes other choices among a person's rows."""


@dataclass(frozen=True, eq=False, repr=False)
class Taken:
    """The records of all columns in one partition. Private."""

    columns: Mapping[str, Records]
    in_all: int
    """How many records all columns have of the same persons: see `records_in_all`."""
    groups: GroupsOfPart | None = None
    """The groups of this partition, where a release finds them."""

    def __sizeof__(self) -> int:
        return held_bytes(*self.columns.values(), *([] if self.groups is None else [self.groups]))


def take(rows: Any, key: Key, rule: Rule) -> Taken:
    """Return the records of all columns of the rows of a partition: a function of these, of their order and the key.

    Raises DataError.
    """
    wanted = rule.wanted
    rows = rows.sort_values(ROW)  # a shuffle brings them in any order
    people = persons_of(rows, wanted, missing_is_person=rule.missing_is_person)
    values = {name: rows[own].to_numpy() for name, own in zip(wanted.columns, wanted.value_columns, strict=True)}
    codes, count, groups = None, len(wanted.names), None
    if wanted.finds_groups:
        codes, groups = _candidates(rows, people, key.of("names"), rule)
        count = len(groups.names)
    elif wanted.grouping is not None:
        codes = rows[CODE].to_numpy()
    found = {}
    for name, column in values.items():
        if name not in rule.domains:  # its bounds are still to be found
            continue
        settings: dict[str, Any] = {
            "people": people,
            "seed": key.of(f"{rule.purpose} {name}"),
            "missing": rule.missing[name],
        }
        settings |= {"tie_bits": rule.bits, **rule.counted}
        if codes is None:
            found[name] = _records_of(Column.from_values(column, rule.domains[name], **settings))
        else:
            found[name] = _records_of(_grouped(column, codes, rule.domains[name], count, settings))
    if codes is not None:
        return Taken(found, 0, groups)
    return Taken(found, records_in_all(values, rule.missing, people, rule.counted.get("max_rows_per_person")))


def _grouped(column: Any, codes: Any, domain: Domain, count: int, settings: dict[str, Any]) -> Column:
    """Return a column of a partition, in which groups are called by their places in the list."""
    if count:
        return Column.from_values(column, domain, groups=codes, names=range(count), **settings)
    none = Column.from_values(column, domain, groups=codes, names=[0], **settings)
    return replace(none, names=(), group_starts=none.starts[:1])


def _candidates(rows: Any, people: People | None, key: Key, rule: Rule) -> tuple[GroupCodes, GroupsOfPart]:
    """Return the groups of a partition that a release may find: the place of each row's, and what is known of all."""
    codes, digests = numbered(rows)
    counted, count = rule.counted, len(digests)
    most = most_groups(counted.get("max_groups_per_person", 1), counted.get("max_rows_per_person"))
    persons = counted_for_names(codes, count, people, most, key, share=counted.get("per_person") == "weight")
    return codes, GroupsOfPart(digests, persons, names_told(rows, codes, count))


def _records_of(column: Column) -> Records:
    cells = column.records
    if isinstance(cells, WeightedCells):
        return Records(cells.rows, np.diff(cells.through).astype(np.int32), None, column.dropped)
    return Records(column.cells, column.weights, column.group_starts, column.dropped)


def column_of(taken: Taken, name: str) -> Records:
    """Return the records of one column."""
    return taken.columns[name]
