"""DataSet: the public facts of the chosen column; with its values only where they may be shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from ..arrays import Floats
from ..calibrations import refuse_shares
from ..column import Column
from ..domain.domain import Domain
from ..domain.finding import FindBounds
from ..errors import ParameterError
from ..groups.cells import PossibleNames
from ..groups.names import GroupColumn
from ..people.ids import People
from ..plan import Plan
from ..privacy.budgets import with_all_rows
from ..privacy.composition import RECORD, PrivacyUnit
from ..question import Persons
from ..release import ColumnWords, Description
from ..sources.reading import Reading
from ..studies.takes import SOME_ROWS
from .chosen import TableReading
from .sealed import SealedColumn
from .wording import Wording, decimals_of

EXPLORE_SEED = 0
"""The tie-breaking bits of explored data; fixed, so that a simulation can be repeated from its own seed."""
PASTED_FILE = "values.txt"
"""Where a script looks for values that were pasted."""


@dataclass(frozen=True, kw_only=True, eq=False)
class DataSet:
    """The public facts of a chosen column: all that a page may show of it in any mode."""

    identity: str
    """Names this reading of this column within the session."""
    name: str
    kind: str
    unit: str
    one: str
    many: str
    about: str
    """One line about where it comes from, without any number that the data alone knows."""
    source: str
    """Who made it, for an example."""
    is_example: bool
    reading: TableReading = field(default_factory=TableReading)
    """How the same column is read again, with its groups and persons."""
    missing: Fraction | None = None
    """What a missing value counts as; None leaves it out, or says that there is none."""
    person: Persons | None = None
    """Whose rows belong together, and what is taken of them; None if every row is another person."""
    one_person: str = ""
    """What such a person is called; empty without them."""
    by: Mapping[str, PossibleNames] = field(default_factory=dict)
    """What the cells of the columns are by their types that say which group a row is in, where some were read."""
    said: Mapping[str, Reading] = field(default_factory=dict)
    """How its cells are written, by the column's name in its file."""

    @property
    def cache_key(self) -> tuple[object, ...]:
        """All that decides which records are made of the column, but for its grid."""
        return self.identity, self.missing, self.person

    @property
    def file(self) -> str:
        """The name of the visitor's file; empty for pasted values and examples."""
        return "" if self.reading.file == PASTED_FILE else self.reading.file

    @property
    def anyone(self) -> str:
        """The name of what is protected: a record, or the person who has several."""
        return self.one_person or self.one

    @property
    def protected(self) -> str:
        """What a promise covers: one record, or one person with all rows."""
        return with_all_rows(self.one_person) if self.one_person else self.one

    @property
    def public_count(self) -> int | None:
        """The number of records; None where the screen may not know it."""
        return None


@dataclass(frozen=True, kw_only=True, eq=False)
class PublicData(DataSet):
    """A column to explore: an example, or declared public or synthetic by the person who brought it."""

    values: Floats = field(repr=False)
    people: People | None = field(default=None, repr=False)
    """Whose rows they are, where that was read."""
    groups: tuple[GroupColumn, ...] = field(default=(), repr=False)
    """Which group each row is in, by each of the columns that were read for that."""

    @property
    def public_count(self) -> int:
        """The number of records: of rows, or of what is taken of them."""
        if self.person is None or self.people is None:
            return int(self.values.size)
        if self.person.max_rows is None:
            return self.people.count
        rows = np.bincount(self.people.codes[self.people.codes >= 0])
        return int(np.minimum(rows, self.person.max_rows).sum())

    @property
    def of_people(self) -> dict[str, Any]:
        """The arguments of `from_values` about the persons; empty if every row is another person."""
        return {"people": self.people, **self.person.settings} if self.person else {}


@dataclass(frozen=True, kw_only=True, eq=False)
class PrivateData(DataSet):
    """A column to release from: its public facts, and what `release_asked` and `release_column` read."""

    column: SealedColumn = field(repr=False)
    public_count: int | None = None
    """The number of records, where a release has made it public."""


def words_of(columns: Mapping[str, DataSet]) -> Description:
    """Return how the values of columns are written, and what their rows are called."""
    first = next(iter(columns.values()))
    words = {name: ColumnWords(kind=data.kind, unit=data.unit) for name, data in columns.items()}
    return Description(columns=words, one=first.one, many=first.many, person=first.one_person)


def wording_of(data: DataSet, domain: Domain | None) -> Wording:
    """Return how the values of this column on this grid are written."""
    decimals = 0 if domain is None else decimals_of(domain)
    return Wording(data.name, data.kind, data.unit, data.one, data.many, decimals, data.one_person)


def column_to_explore(data: PublicData, domain: Domain | FindBounds) -> Column:
    """Return a column on its grid, or to find its bounds, with repeatable bits. Raises DataError, ParameterError."""
    return Column.from_values(data.values, domain, seed=EXPLORE_SEED, missing=data.missing, **data.of_people)


@dataclass(frozen=True)
class Report:
    """What was read, in numbers. Private: for Explore only."""

    rows: int
    missing: int
    outside: int
    distinct: int
    records: int

    @property
    def tied(self) -> bool:
        """Whether some records share a value of the grid."""
        return self.distinct < self.records


def report_on(values: Floats, column: Column, domain: Domain) -> Report:
    """Count rows, missing values, values outside the bounds, and distinct values on the grid. O(n)."""
    lower, upper = float(domain.lower), float(domain.upper)
    finite = np.isfinite(values)
    outside = int(np.count_nonzero(finite & ((values < lower) | (values > upper))))
    coarse = column.coarse_cells
    distinct = int(np.count_nonzero(np.diff(coarse))) + (1 if coarse.size else 0)
    return Report(values.size, int(values.size - np.count_nonzero(finite)), outside, distinct, column.cells.size)


# ── what is taken of each person's rows: public facts alone ───────────────────────────────────────────────────────────


ROWS_OF_ONE = "`60 30 80 10 20`"
"""The rows of a made-up person, from which the examples below take."""


@dataclass(frozen=True)
class TakeWords:
    """What is taken of a person's rows, in words."""

    label: str
    estimates: str
    example: str
    """What is left of ROWS_OF_ONE."""


WORDS: dict[str, TakeWords] = {
    "random": TakeWords("One row at random", "one row of each {one}, chosen at random", "`80`"),
    "weight": TakeWords(
        "All rows, weighing as much as one",
        "all rows, with equal weight for each {one}",
        "`60 30 80 10 20`, each a fifth",
    ),
    "mean": TakeWords("Their mean", "the mean of each {one}", "`40`"),
    "median": TakeWords("Their median", "the median of each {one}", "`30`"),
    "min": TakeWords("The smallest", "the smallest row of each {one}", "`10`"),
    "max": TakeWords("The largest", "the largest row of each {one}", "`80`"),
    "first": TakeWords("The first", "the first row of each {one}", "`60`"),
    "last": TakeWords("The last", "the last row of each {one}", "`20`"),
    SOME_ROWS: TakeWords(
        "Several rows, at most …", "rows; a person with many counts up to {most:,} times", "`80 20` if at most 2"
    ),
}
"""By take, in the order in which they are offered."""


def take_words(persons: Persons) -> TakeWords:
    """Return the words for what is taken."""
    return WORDS[persons.per_person or SOME_ROWS]


def estimates(persons: Persons, one: str) -> str:
    """Return of what the quantiles are: `the mean of each patient`; `one`: what one person is called."""
    return take_words(persons).estimates.format(one=one, most=persons.max_rows)


def unit_for(persons: Persons | None, plan: Plan) -> PrivacyUnit:
    """Return what a neighbouring column differs by, as a release of any such column finds it."""
    return RECORD if persons is None else _stand_in(persons).unit_between(plan.adjacency)


def refusal_for(persons: Persons | None, plan: Plan) -> ParameterError | None:
    """Return why the plan's mechanism cannot read what is taken of each person; None where it can."""
    try:
        if persons is not None:
            refuse_shares(_stand_in(persons), plan)
    except ParameterError as error:
        return error.with_traceback(None)
    return None


def _stand_in(persons: Persons) -> Column:
    """Return a public sample of one person, of whom the same is taken."""
    return Column.from_values([0], Domain(0, 1, 1), people=People.of([0]), **persons.settings)
