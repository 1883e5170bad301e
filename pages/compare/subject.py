"""What a study runs on: the chosen column where it may be explored, else a public shape of similar size and bounds."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from dpq_core.arrays import Floats
from dpq_core.domain.domain import Domain
from dpq_core.privacy.budgets import with_all_rows
from dpq_core.question import Persons
from dpq_core.results.data_set import DataSet, PublicData
from dpq_core.sources.examples import EXAMPLES
from dpq_core.studies.design import HardCase
from dpq_core.studies.shapes import SHAPES, USUAL_SIZE, Given, Table

MINE = "mine"
"""The name of a visitor's own column in a grid."""
SHAPE = "reference"
"""The public shape: evenly spread between the bounds."""


@dataclass(frozen=True, eq=False)
class Subject:
    """The records of a study and the words for them. Only where `data` is MINE is anything of it private."""

    identity: str
    data: str
    """Its name in the grid."""
    n: int | None
    """For a grid: None for all of a column."""
    domain: Domain | None
    """None for the public bounds that belong to `data`."""
    count: int
    """Records. Public, or of data that may be explored."""
    about: str
    one: str = "record"
    many: str = "records"
    unit: str = ""
    person: Persons | None = None
    """What is taken of each person's rows; None where every record is of a different person."""
    one_person: str = ""
    missing: Fraction | None = None
    """What a missing value of the column counts as."""
    reading: str = ""
    """Python that reads a column that the grid cannot name, into `values`, from `file`."""
    file: str = ""
    given: Given | None = field(default=None, repr=False)

    @property
    def protected(self) -> str:
        """What a promise covers: one record, or one person with all rows."""
        return with_all_rows(self.one_person) if self.one_person else self.one

    @property
    def says(self) -> tuple[object, ...]:
        """All but the records themselves, to be compared: their identity and the words for them."""
        return (self.identity, self.missing, self.about, self.one, self.many, self.unit, self.person, self.one_person)

    @property
    def public(self) -> bool:
        """Whether the grid alone is enough to make the same records again."""
        return self.data != MINE


def subject_of(data: DataSet | None, domain: Domain, records: int, case: HardCase | None = None) -> Subject:
    """Return the column in Explore; else a public shape of `records` records, or the one of a hard case."""
    words: dict[str, Any] = {"person": data.person, "one_person": data.one_person} if data else {}
    if case is not None:
        shape, size = SHAPES[case.changes["data"][0]], case.changes.get("n", [USUAL_SIZE])[0]
        own = case.changes.get("domains", [None])[0]
        about = f"{case.label}: {shape.label}, {size:,} made-up records"
        return Subject(f"trouble:{case.key}", shape.key, size, own and Domain.from_dict(own), size, about, **words)
    if data is not None:
        words |= {"one": data.one, "many": data.many}
    if not isinstance(data, PublicData):
        about = f"A public shape: {SHAPES[SHAPE].label.lower()}, {records:,} made-up records"
        return Subject(SHAPE, SHAPE, records, domain, records, about, **words)
    values, name = _whole(data), data.identity.removeprefix("example:")
    repeatable = data.is_example and name in EXAMPLES and values is data.values
    counted = f" · {data.person.in_words(data.one_person)}" if data.person else ""
    return Subject(
        data.identity, name if repeatable else MINE, None, domain,
        data.public_count if data.person else int(np.count_nonzero(~np.isnan(values))),
        f"{data.about}{counted}", **words, unit=data.unit, missing=data.missing,
        reading=data.reading.as_values, file=data.reading.file,
        given=None if repeatable else {MINE: values if data.people is None else Table(values, data.people)},
    )  # fmt: skip


def _whole(data: PublicData) -> Floats:
    """Return the column with what missing values count as, where they count: of a person without any valid row."""
    gone = np.isnan(data.values)
    if data.missing is None or not gone.any():
        return data.values
    if data.person is not None and data.people is not None and data.person.max_rows is None:
        codes = data.people.codes
        present = np.bincount(codes[~gone & (codes >= 0)], minlength=data.people.count) > 0
        gone &= (codes >= 0) & ~present[codes]
    return np.where(gone, float(data.missing), data.values)
