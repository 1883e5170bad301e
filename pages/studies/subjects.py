"""What a study runs on: the chosen column where it may be explored, else a public shape of similar size and bounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from dpq_core.arrays import Floats
from dpq_core.domain.domain import Domain
from dpq_core.errors import ParameterError
from dpq_core.mechanisms.registry import MECHANISMS
from dpq_core.plan import OptionValue
from dpq_core.privacy.budgets import Adjacency, with_all_rows
from dpq_core.results.data_set import DataSet, PublicData
from dpq_core.results.persons import PersonChoice
from dpq_core.sources.examples import EXAMPLES
from dpq_core.studies.break_it import HardCase
from dpq_core.studies.configuration import Method
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
    n: int | None
    """For a grid: None for all of a column."""
    domain: Domain | None
    """None for the public bounds that belong to `data`."""
    count: int
    """Records. Public, or of data that may be explored."""
    about: str
    one: str
    many: str
    unit: str
    reading: str
    """Python that reads a column that the grid cannot name, into `values`."""
    given: Given | None = field(default=None, repr=False)
    missing: Fraction | None = None
    """What a missing value of the column counts as."""
    file: str = ""
    """The file that `reading` needs beside it; empty where it needs none."""
    person: PersonChoice | None = None
    """What is taken of each person's rows; None where every record is of a different person."""

    @property
    def protected(self) -> str:
        """What a promise covers: one record, or one person with all rows."""
        return with_all_rows(self.person.one) if self.person else self.one

    @property
    def says(self) -> tuple[object, ...]:
        """All but the records themselves, to be compared: their identity and the words for them."""
        return (self.identity, self.missing, self.about, self.one, self.many, self.unit, self.person)

    @property
    def public(self) -> bool:
        """Whether the grid alone is enough to make the same records again."""
        return self.data != MINE


def subject_of(data: DataSet | None, domain: Domain, records: int) -> Subject:
    """Return the column in Explore; in Release a public shape: values spread evenly between the bounds."""
    if not isinstance(data, PublicData):
        words = f"{SHAPES[SHAPE].label.lower()}, {records:,} made-up records"
        one, many = (data.one, data.many) if data else ("record", "records")
        person = data.person if data else None
        about = f"A public shape: {words}"
        return Subject(SHAPE, SHAPE, records, domain, records, about, one, many, "", "", person=person)
    values = _whole(data)
    name = data.identity.removeprefix("example:")
    repeatable = data.is_example and name in EXAMPLES and values is data.values
    counted = f" · {data.person.rule}" if data.person else ""
    return Subject(
        identity=data.identity,
        data=name if repeatable else MINE,
        n=None,
        domain=domain,
        count=data.public_count if data.person else int(np.count_nonzero(~np.isnan(values))),
        about=f"{data.about}{counted}",
        one=data.one,
        many=data.many,
        unit=data.unit,
        reading=data.reading.as_values,
        given=None if repeatable else {MINE: values if data.people is None else Table(values, data.people)},
        person=data.person,
        missing=data.missing,
        file=data.reading.file,
    )


def subject_of_trouble(trouble: HardCase, person: PersonChoice | None = None) -> Subject:
    """Return the public shape of a set that is hard for some mechanism."""
    shape = SHAPES[trouble.changes["data"][0]]
    count = trouble.changes.get("n", [USUAL_SIZE])[0]
    domain = trouble.changes.get("domains", [None])[0]
    about = f"{trouble.label}: {shape.label}, {count:,} made-up records"
    return Subject(
        identity=f"trouble:{trouble.key}",
        data=shape.key,
        n=count,
        domain=domain and Domain.from_dict(domain),
        count=count,
        about=about,
        one="record",
        many="records",
        unit="",
        reading="",
        person=person,
    )


def _whole(data: PublicData) -> Floats:
    """Return the column with what missing values count as, where they count: of a person without any valid row."""
    gone = np.isnan(data.values)
    if data.missing is None or not gone.any():
        return data.values
    if data.person is not None and data.people is not None and data.person.most_rows is None:
        codes = data.people.codes
        present = np.bincount(codes[~gone & (codes >= 0)], minlength=data.people.count) > 0
        gone &= (codes >= 0) & ~present[codes]
    return np.where(gone, float(data.missing), data.values)


def methods(
    keys: list[str], count: int, adjacency: Adjacency, options: Mapping[str, Mapping[str, OptionValue]] | None = None
) -> list[Method]:
    """Return mechanisms for a study of `count` records, with the options that were chosen for them.

    A bound on the number of people that a mechanism needs is the next power of ten, a public round number.
    """
    found = []
    for key in keys:
        chosen = dict((options or {}).get(key, {}))
        known = {option.name for option in MECHANISMS[key].OPTIONS}
        if "n_max" in known and adjacency is Adjacency.ADD_REMOVE:
            chosen.setdefault("n_max", 10 ** len(str(max(count - 1, 0))) if count > 1 else 1)
        found.append(Method(key, chosen))
    return found


def with_option(method: Method, name: str, value: OptionValue) -> Method:
    """Return the same method with another value of one option."""
    return Method(method.mechanism, dict(method.options) | {name: value}, method.label)


def widened(domain: Domain, factor: int) -> Domain:
    """Return bounds about `factor` times as wide around the same middle, on the same grid. Raises ParameterError.

    Significant digits reach up to the largest power of ten that is no more than `factor` times as large.
    """
    if factor < 1:
        raise ParameterError("factor", f"must be >= 1, got {factor}.")
    if not domain.has_even_steps:
        values = domain.as_dict()
        return Domain.from_dict(values | {"largest": str(domain.upper * 10 ** (len(str(factor)) - 1))})
    beyond = domain.step * (((factor - 1) * domain.cells) // 2)
    return Domain(domain.lower - beyond, domain.upper + beyond, domain.step, measure=domain.measure)
