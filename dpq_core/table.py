"""Table: what a release answers. Columns with their possible values, in groups or not, whose rows belong to persons."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from fractions import Fraction
from typing import Any, TypeAlias, final

import numpy as np

from .cluster.reading import is_spread, spread_columns
from .column import Column
from .domain.domain import Domain
from .domain.finding import FindBounds
from .domain.numbers import Number, exact_number
from .domain.significant import SignificantDigits
from .errors import Name, ParameterError, shown
from .frame import MICROSECONDS, parse_date
from .grouping import WITHOUT_A_LIST, By, FindGroups, Grouping, grouping_of, groups_in, refuse_other_names
from .groups.bounding import counted_for_names
from .groups.finding import NAMES_ELSEWHERE
from .groups.names import GroupColumn, GroupName, OneName, codes_of, names_in
from .intervals.counted import ColumnsOfOne, records_in_all
from .one_column import ROWS
from .people.takes import WAYS_PER_PERSON, PerPerson
from .plan import USUAL_PRIVACY
from .privacy.composition import GroupsPerPerson, most_groups
from .progress import Progress, told_to
from .question import Asked, Persons, Question
from .release import DATE, ColumnWords
from .sources.frames import Frame, read_frame
from .values import numeric_column

Day: TypeAlias = date | np.datetime64
"""A date, or a moment, of which pandas' are some."""
PossibleValues: TypeAlias = (
    Domain | FindBounds | tuple[Number, Number, Number] | tuple[Day, Day] | tuple[Day, Day, Number | timedelta]
)
"""Of a column: a Domain, FindBounds, or its lowest and its highest value and the step between two values.

Of dates the first and the last, and the step in days or as a timedelta; without one it is a day.
"""
AskedColumns: TypeAlias = Mapping[str, PossibleValues] | Mapping[str, object]
"""Columns by name with their possible values, which are checked here: type checkers join those of a mixed dict to
`object`."""


_AS_DATES = ": from datetime import date, and write (date(2000, 1, 1), date(2026, 12, 31))."


def _asked(name: object, given: object) -> Asked:
    """Return a column with its possible values, and whether they were said as dates. Raises ParameterError."""
    if isinstance(given, Domain | FindBounds):
        return Asked(possible=given, levels=())
    if not isinstance(given, tuple | list) or len(given) not in {2, 3}:
        raise ParameterError(
            "columns",
            f"must say what values {name!r} can have: (lowest, highest, step), a Domain or FindBounds; "
            f"got {shown(given)}.",
        )
    dated = [isinstance(end, date | np.datetime64) for end in given[:2]]
    if all(dated):
        ends: tuple[Day, ...] = tuple(given[:2])
        apart = given[2] if len(given) == 3 else 1
        step = _in_days(np.timedelta64(apart, "us")) if isinstance(apart, timedelta) else apart
        low, high = (_in_days(np.datetime64(end) - np.datetime64(0, "D")) for end in ends)  # since 1970-01-01
        return Asked(possible=Domain(low, high, step), levels=(), words=ColumnWords(kind=DATE))
    if any(dated):
        raise ParameterError("columns", f"must give two dates, or two numbers, for {name!r}.")
    if all(isinstance(end, str) and parse_date(end) is not None for end in given[:2]):
        raise ParameterError("columns", f"must give dates for {name!r}, not texts{_AS_DATES}")
    if len(given) == 2:
        raise ParameterError("columns", f"must give the step between two values of {name!r} too, as in (0, 120, 1).")
    return Asked(possible=Domain(*given), levels=())


def _with_days(question: Question, dates: Sequence[str]) -> Question:
    """Return a question with dates in these columns: bounds that are found have a step of a day, unless one was said.

    Raises ParameterError for significant digits: two digits of days since 1970 are years apart.
    """
    columns = dict(question.of_dates(dates).columns)
    for name in dates:
        bounds = columns[name].possible
        if isinstance(bounds, Domain) and isinstance(bounds.grid, SignificantDigits):
            raise ParameterError("columns", f"must give dates for {name!r}, which holds dates{_AS_DATES}")
        if isinstance(bounds, FindBounds) and bounds.step is None:
            by_day = FindBounds.from_dict(bounds.as_dict() | {"step": 1})
            columns[name] = replace(columns[name], possible=by_day)
    return replace(question, columns=columns) if dates else question


def _in_days(duration: np.timedelta64) -> Fraction:
    return Fraction(int(duration.astype("timedelta64[us]").astype(np.int64)), MICROSECONDS)


Missing: TypeAlias = Number | Mapping[str, Number] | None
Listed: TypeAlias = Iterable[GroupName | Sequence[OneName]] | FindGroups | None
WITHOUT_A_RULE = (
    "must go with what counts of a person's rows: per_person='weight' (all of them, with a weight of 1 together), "
    f"per_person='random' (one of them; also {', '.join(WAYS_PER_PERSON[:-2])}), or max_rows_per_person=3 (up to 3 of "
    "them)."
)


@final
@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Hold columns of one table by name; `release` and `simulate` answer all of them together."""

    columns: Mapping[str, Column]
    groups: Grouping | None = None
    """Which groups are answered; None for one answer of each column."""
    persons: Persons | None = None
    """Whose rows belong together; None where every row is a person."""
    seed: int | None = None
    dates: tuple[str, ...] = ()
    """The columns whose values are days since 1970-01-01."""

    @classmethod
    def from_frame(
        cls,
        frame: object,
        columns: AskedColumns,
        *,
        by: By | None = None,
        groups: Listed = None,
        person: str | None = None,
        per_person: PerPerson | None = None,
        max_rows_per_person: int | None = None,
        max_groups_per_person: GroupsPerPerson | None = None,
        other: OneName | None = None,
        missing: Missing = None,
        missing_is_person: bool = False,
        seed: int | None = None,
        progress: bool | Progress = False,
    ) -> Table:
        """Return the Table of a data frame: pandas, polars, pyarrow, duckdb, any Arrow stream, or a dict of arrays.

        Rows of a Dask data frame stay with the workers of the connected cluster (`cluster`). The table exists
        as long as its client is connected.

        `columns`: the columns to answer, each with its possible values, which are public knowledge and never read from
        the data: (lowest, highest, step), a Domain, or FindBounds if you do not know the bounds. For dates give the
        first, the last, and the step in days, which may be left out; answers are days since 1970-01-01.

        `by`: the columns whose values name the groups, each with its public list, as in {"sex": ["f", "m"]}. With
        several columns every combination is a group, named by a tuple. Or `by` names the columns and `groups` lists
        some combinations. FindGroups lets the release find the large groups.

        `person`: the column of ids, where a person may have several rows. Then `per_person` says what counts of them
        (see `Column.from_values`), or `max_rows_per_person` how many count at most. With groups this holds in each
        group, and `max_groups_per_person` says in how many groups a person counts. per_person="weight" holds for all
        groups together, and so does `max_rows_per_person` with max_groups_per_person="any". `other`: the name of one
        more group for the rows of all groups that are not listed; without it they are left out.

        `missing`: what a missing value counts as, one number or one for each column. `seed`: for studies only; a
        release refuses a seeded table. `progress`: how far the reading on a cluster is, as in `release`. O(n log n).
        Raises ParameterError, DataError.
        """
        question = question_of_rows(
            columns, by=by, groups=groups, person=person, per_person=per_person,
            max_rows_per_person=max_rows_per_person, max_groups_per_person=max_groups_per_person, other=other,
            missing=missing, missing_is_person=missing_is_person,
        )  # fmt: skip
        return cls.of(frame, question, seed=seed, progress=progress)

    @classmethod
    def of(cls, frame: Any, question: Question, *, seed: int | None = None, progress: bool | Progress = False) -> Table:
        """Return the Table of a frame that a question is asked of; `frame`, `seed` and errors as in `from_frame`."""
        refuse_unread(question)
        heard, spread = told_to(progress), is_spread(frame)
        read = read_frame(frame._meta if spread else frame)
        dated = [name for name in question.columns if name in question.dates or read.is_dated(name)]
        question, groups = _with_days(question, dated), question.groups
        if groups is not None:
            refuse_other_names(groups, read)
        if spread and seed is not None and groups is not None and groups.listed is None:
            raise ParameterError("by", NAMES_ELSEWHERE)
        columns = spread_columns(frame, question, seed, heard) if spread else _columns_in_memory(read, question, seed)
        return cls(columns, groups, question.persons, seed, question.dates)

    def __getitem__(self, name: str) -> Column:
        """Return a column. Raises ParameterError for an unknown one."""
        if name not in self.columns:
            raise ParameterError("column", f"must be one of {', '.join(self.columns)}, got {shown(name)}.")
        return self.columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def items(self) -> Iterable[tuple[str, Column]]:
        """Return the columns with their names."""
        return self.columns.items()

    def __repr__(self) -> str:
        by = "" if self.groups is None else f", by={list(self.groups.by)!r}"
        person = "" if self.persons is None else f", person={self.persons.column!r}"
        seed = f", seed={self.seed}" if self.seed is not None else ""
        return f"Table({list(self.columns)!r}{by}{person}{seed})"  # no names of groups, and no counts


def question_of_rows(
    columns: AskedColumns,
    *,
    by: By | None,
    groups: Listed,
    person: str | None,
    per_person: PerPerson | None,
    max_rows_per_person: int | None,
    max_groups_per_person: GroupsPerPerson | None,
    other: OneName | None,
    missing: Missing,
    missing_is_person: bool,
) -> Question:
    """Return what the arguments of `Table.from_frame` say of rows and columns: a question without levels yet.

    `Question.with_plan` adds what is asked of them, with the budget. Raises ParameterError.
    """
    if not isinstance(columns, Mapping) or not columns:
        raise ParameterError("columns", "must name columns with their possible values, as in {'age': (0, 120, 1)}.")
    asked = {name: _asked(name, given) for name, given in columns.items()}
    if by is None and groups is not None:
        raise ParameterError("groups", ("must go with ", Name("by"), ", the columns that they are values of."))
    if by is None and other is not None:
        raise ParameterError("other", WITHOUT_A_LIST)
    grouping = None if by is None else grouping_of(by, groups, other)
    given = {
        "per_person": per_person, "max_rows_per_person": max_rows_per_person,
        "max_groups_per_person": max_groups_per_person,
    }  # fmt: skip
    for name in (name for name, each in given.items() if person is None and each is not None):
        raise ParameterError(name, ("must go with ", Name("person"), ", the column of ids."))
    if person is not None and per_person is None and max_rows_per_person is None:
        raise ParameterError("person", WITHOUT_A_RULE)
    persons = None if person is None else Persons(
        column=person, per_person=per_person, max_rows=max_rows_per_person, max_groups=max_groups_per_person,
        missing_is_person=missing_is_person,
    )  # fmt: skip
    for name, own in (missing if isinstance(missing, Mapping) else dict.fromkeys(asked, missing)).items():
        if name not in asked:
            raise ParameterError("missing", f"must name columns that are answered, got {shown(name)}.")
        asked[name] = replace(asked[name], missing=None if own is None else exact_number(own, "missing"))
    return Question(columns=asked, budget=USUAL_PRIVACY, groups=grouping, persons=persons)


def _columns_in_memory(read: Frame, question: Question, seed: int | None) -> Mapping[str, Column]:
    people, persons = None, question.persons
    if persons is not None:
        people = read.people(persons.column, missing_is_person=persons.missing_is_person)
    settings = question.counted | {"seed": seed, "people": people}
    if question.groups is not None:
        return _in_groups(read, question, question.groups, settings)
    whole: dict[str, Column] = {}
    for name, asked in question.columns.items():
        own = settings | {"missing": asked.missing}
        whole[name] = Column.from_values(read.column(name, "columns"), asked.possible, **own)
    if len(whole) == 1:
        return whole
    numbers = {name: numeric_column(read.column(name, "columns")) for name in whole}
    max_rows_per_person = None if persons is None else persons.max_rows
    return ColumnsOfOne(whole, records_in_all(numbers, question.missing, people, max_rows_per_person))


def _in_groups(read: Frame, question: Question, grouping: Grouping, settings: dict[str, Any]) -> Mapping[str, Column]:
    """Return the columns in groups, which are looked up once for all of them, and the persons who name them."""
    settings |= {"names": grouping.listed, "other": grouping.other}
    grouped, persons = groups_in(grouping, read), None
    if grouping.finding is not None:
        settings["finding"], share = grouping.finding, question.persons is not None and question.persons.shares
        most = most_groups(settings.get("max_groups_per_person", 1), settings.get("max_rows_per_person"))
        names = names_in(grouped)
        grouped = GroupColumn(codes_of(grouped, names, pooled=False), names)
        people, seed = settings["people"], settings["seed"]  # also persons whose values are missing name a group
        persons = counted_for_names(grouped.codes, len(names), people, most, seed, share=share)
    else:
        names = grouping.answered or ()
        grouped = GroupColumn(codes_of(grouped, names, pooled=grouping.other is not None), names)
    found: dict[str, Column] = {}
    for name, asked in question.columns.items():
        rule = settings | {"missing": asked.missing}
        own = Column.from_values(read.column(name, "columns"), asked.possible, groups=grouped, **rule)
        found[name] = replace(own, by=grouping.by, persons=own.persons if persons is None else persons)
    return found


def refuse_unread(question: Question) -> None:
    """Raise ParameterError where no table can be read for a question that was asked of arrays, or of a sketch."""
    if any(each.held != ROWS for each in question.columns.values()):
        raise ParameterError("plan", "must ask for columns of rows: only Python reads a sketch.")
    if question.persons is not None and not question.persons.column:
        raise ParameterError("person", "must name the column of ids, which the question does not say.")
    if question.groups is not None and not question.groups.by:
        raise ParameterError("by", "must name the columns of groups, which the question does not say.")
