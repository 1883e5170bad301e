"""Take what counts of each person's rows, or all rows, inside one partition: by the code that does it in memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Integers, held_bytes
from ...domain import Domain, Number
from ...groups import Groups
from ...noise import Key
from ...people import WeightedCells
from ...sample import Sample
from ..in_common import records_in_all
from .rows import CODE, ROW, Wanted, persons_of


@dataclass(frozen=True, eq=False, repr=False)
class Records:
    """The records of one column in one partition: sorted sub-indices, by group where there are any. Private."""

    cells: Integers
    weights: NDArray[np.int32] | None
    """The weight of each row, in units, where all rows of a person weigh 1 together."""
    starts: Integers | None
    """Where each group's records begin, and the end of all: (groups + 1,)."""
    dropped: int

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
    """The further arguments of `Sample.from_values` or `Groups.from_values`, such as `take`."""
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

    def __sizeof__(self) -> int:
        return held_bytes(*self.columns.values())


def take(rows: Any, key: Key, rule: Rule) -> Taken:
    """Return the records of all columns of the rows of a partition: a function of these, of their order and the key.

    Raises DataError.
    """
    wanted = rule.wanted
    rows = rows.sort_values(ROW)  # a shuffle brings them in any order
    people = persons_of(rows, wanted, missing_is_person=rule.missing_is_person)
    values = {name: rows[own].to_numpy() for name, own in zip(wanted.columns, wanted.value_columns, strict=True)}
    codes = None if wanted.grouping is None else rows[CODE].to_numpy()
    found = {}
    for name, column in values.items():
        if name not in rule.domains:  # its bounds are still to be found
            continue
        settings: dict[str, Any] = {
            "people": people,
            "seed": key.of(f"{rule.purpose} {name}"),
            "missing": rule.missing[name],
        }
        settings |= {"jitter_bits": rule.bits, **rule.counted}
        if codes is None:
            found[name] = _of_sample(Sample.from_values(column, rule.domains[name], **settings))
        else:
            found[name] = _of_groups(_grouped(column, codes, rule.domains[name], len(wanted.names), settings))
    if codes is not None:
        return Taken(found, 0)
    return Taken(found, records_in_all(values, rule.missing, people, rule.counted.get("most_rows")))


def _grouped(column: Any, codes: Any, domain: Domain, count: int, settings: dict[str, Any]) -> Groups:
    """Return the Groups of a partition, in which groups are called by their places in the list."""
    return Groups.from_values(column, codes, domain, names=range(count), **settings)


def _of_sample(sample: Sample) -> Records:
    cells = sample.records
    if isinstance(cells, WeightedCells):
        return Records(cells.rows, np.diff(cells.through).astype(np.int32), None, sample.dropped)
    assert isinstance(cells, np.ndarray), "in memory"
    return Records(cells, None, None, sample.dropped)


def _of_groups(groups: Groups) -> Records:
    return Records(groups.records.cells, groups.weights, groups.starts, groups.dropped)


def column_of(taken: Taken, name: str) -> Records:
    """Return the records of one column."""
    return taken.columns[name]


def records_in(taken: Taken) -> int:
    """Return how many records all columns have in common."""
    return taken.in_all
