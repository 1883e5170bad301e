"""Table: what a release answers. Columns with their possible values, in groups or not, whose rows belong to persons."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeAlias, TypeVar, final, overload

from ..arrays import Integers
from ..columns.counting import ColumnsOfOne
from ..combinations import Features, refuse_combination
from ..domain.domain import Domain
from ..domain.finding import FindBounds
from ..domain.numbers import Number
from ..errors import Name, ParameterError, shown
from ..finding.column import RawGroups, RawSample, Source
from ..groups.bounding import counted_for_names
from ..groups.names import GroupColumn, GroupName, GroupsLike, OneName, codes_of, names_in
from ..groups.table import Groups
from ..people.ids import People
from ..people.takes import TAKES, Take
from ..privacy.composition import GroupsPerPerson, most_groups
from ..progress import Progress, told_to
from ..sample import Sample
from ..values import numeric_column
from .frames import Frame, read_frame
from .grouping import By, FindGroups, Grouping
from .in_common import records_in_all
from .partitions.reading import is_spread, spread_columns
from .possible import AskedColumns, possible_of, refuse_digits

V_co = TypeVar("V_co", covariant=True)
WholeValues: TypeAlias = dict[str, tuple[float, ...]]
GroupedValues: TypeAlias = dict[str, dict[GroupName, tuple[float, ...]]]
Missing: TypeAlias = Number | Mapping[str, Number] | None
Listed: TypeAlias = Iterable[GroupName | Sequence[OneName]] | FindGroups | None


@final
@dataclass(frozen=True, eq=False, repr=False)
class Table(Generic[V_co]):
    """Hold columns of one table by name, from `Table.from_frame`; `release` and `simulate` answer all of them together.

    `V_co` is the type of its release's values: answers by column, or by column and group.
    """

    columns: Mapping[str, Source]
    by: tuple[str, ...] = ()
    """The columns whose values name the groups."""
    person: str | None = None
    """The column that says to whom a row belongs; None where every row is a person."""
    seed: int | None = None
    dates: tuple[str, ...] = ()
    """The columns whose values are days since 1970-01-01."""

    @overload
    @classmethod
    def from_frame(
        cls,
        frame: object,
        columns: AskedColumns,
        *,
        by: None = None,
        groups: None = None,
        person: str | None = None,
        take: Take | None = None,
        most_rows: int | None = None,
        groups_per_person: None = None,
        missing: Missing = None,
        missing_is_person: bool = False,
        seed: int | None = None,
        progress: bool | Progress = False,
    ) -> Table[WholeValues]: ...
    @overload
    @classmethod
    def from_frame(
        cls,
        frame: object,
        columns: AskedColumns,
        *,
        by: By | None = None,
        groups: Listed = None,
        person: str | None = None,
        take: Take | None = None,
        most_rows: int | None = None,
        groups_per_person: GroupsPerPerson | None = None,
        other: OneName | None = None,
        missing: Missing = None,
        missing_is_person: bool = False,
        seed: int | None = None,
        progress: bool | Progress = False,
    ) -> Table[GroupedValues]: ...
    @classmethod
    def from_frame(
        cls,
        frame: object,
        columns: AskedColumns,
        *,
        by: By | None = None,
        groups: Listed = None,
        person: str | None = None,
        take: Take | None = None,
        most_rows: int | None = None,
        groups_per_person: GroupsPerPerson | None = None,
        other: OneName | None = None,
        missing: Missing = None,
        missing_is_person: bool = False,
        seed: int | None = None,
        progress: bool | Progress = False,
    ) -> Table[Any]:
        """Return the Table of a data frame: pandas, polars, pyarrow, duckdb, any Arrow stream, or a dict of arrays.

        Rows of a Dask data frame stay with the workers of the connected cluster (`tables.partitions`). The table exists
        as long as its client is connected.

        `columns`: the columns to answer, each with its possible values, which are public knowledge and never read from
        the data: (lowest, highest, step), a Domain, or FindBounds if you do not know the bounds. For dates give the
        first, the last, and the step in days, which may be left out; answers are days since 1970-01-01.

        `by`: the columns whose values name the groups, each with its public list, as in {"sex": ["f", "m"]}. With
        several columns every combination is a group, named by a tuple. Or `by` names the columns and `groups` lists
        some combinations. FindGroups lets the release find the large groups.

        `person`: the column of ids, where a person may have several rows. Then `take` says what counts of them (see
        `Sample.from_values`), or `most_rows` how many count at most. With groups this holds in each group, and
        `groups_per_person` says in how many groups a person counts. take="share" holds for all groups together, and so
        does `most_rows` with groups_per_person="any".
        `other`: the name of one more group for the rows of all groups that are not listed; without it they are left
        out.

        `missing`: what a missing value counts as, one number or one for each column. `seed`: for studies only; a
        release refuses a seeded table. `progress`: how far the reading on a cluster is, as in `release`. O(n log n).
        Raises ParameterError, DataError.
        """
        spread, told = is_spread(frame), told_to(progress)
        read, possible = read_frame(_without_rows(frame) if spread else frame), possible_of(columns)
        asked = {name: each.bounds for name, each in possible.items()}
        dates = tuple(name for name, each in possible.items() if each.dated or read.is_dated(name))
        for name in dates:
            refuse_digits(name, asked[name])
        if by is None and groups is not None:
            raise ParameterError("groups", ("must go with ", Name("by"), ", the columns that they are values of."))
        grouping = None if by is None else Grouping.of(by, groups)
        _refuse_half_said(person, take, most_rows, groups_per_person, grouping)
        if other is not None and (grouping is None or grouping.names is None or len(grouping.by) > 1):
            raise ParameterError("other", "must go with a list of groups by one column.")
        if grouping is not None:
            grouping.refuse_misfits(read)
        refuse_combination(
            Features(
                groups_found=grouping is not None and grouping.names is None,
                share=_is_share(take),
                on_cluster=spread,
                simulated=seed is not None,
            )
        )
        stand_ins = _missing_of(asked, missing)
        most: GroupsPerPerson = 1 if groups_per_person is None else groups_per_person
        if spread:
            held = spread_columns(
                frame, asked, grouping=grouping, person=person, take=take, most_rows=most_rows,
                groups_per_person=most, other=other, missing=stand_ins,
                missing_is_person=missing_is_person, seed=seed, progress=told,
            )  # fmt: skip
            return cls(held, () if grouping is None else grouping.by, person, seed, dates)
        people = None
        if person is not None:
            ids = read.column(person, "person")
            people = ids if isinstance(ids, People) else People.of(ids, missing_is_person=missing_is_person)
            people = people if people.whose.column else people.of_column(person)
        rule: dict[str, Any] = {"people": people, "seed": seed}
        if grouping is None:
            rule |= {"take": take, "most_rows": most_rows}
            whole = {
                name: _source(read, name, bounds, rule | {"missing": stand_ins[name]}) for name, bounds in asked.items()
            }
            if len(whole) == 1:
                return cls(whole, (), person, seed, dates)
            numbers = {name: numeric_column(read.column(name, "columns")) for name in asked}
            in_all = records_in_all(numbers, stand_ins, people, most_rows)
            return cls(ColumnsOfOne(whole, in_all), (), person, seed, dates)
        rule |= {"take": take, "most_rows": most_rows, "groups_per_person": most}
        rule |= {"names": grouping.names, "finding": grouping.finding, "other": other}
        grouped = grouping.column(read)
        persons = None
        if grouping.names is None:
            most_each = most_groups(most, most_rows)
            grouped, persons = _candidates(grouped, people, most_each, seed, share=_is_share(take))
        found = {
            name: _in_groups(read, name, bounds, grouped, rule | {"missing": stand_ins[name]}, grouping.by, persons)
            for name, bounds in asked.items()
        }
        return cls(found, grouping.by, person, seed, dates)

    def __getitem__(self, name: str) -> Source:
        """Return a column. Raises ParameterError for an unknown one."""
        if name not in self.columns:
            raise ParameterError("column", f"must be one of {', '.join(self.columns)}, got {shown(name)}.")
        return self.columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def items(self) -> Iterable[tuple[str, Source]]:
        """Return the columns with their names."""
        return self.columns.items()

    def __repr__(self) -> str:
        by = f", by={list(self.by)!r}" if self.by else ""
        person = f", person={self.person!r}" if self.person is not None else ""
        seed = f", seed={self.seed}" if self.seed is not None else ""
        return f"Table({list(self.columns)!r}{by}{person}{seed})"  # no names of groups, and no counts


def _without_rows(frame: Any) -> object:
    """Return a frame with the columns of a Dask data frame, in their types."""
    return frame._meta


def _refuse_half_said(
    person: str | None, take: object, most_rows: object, groups_per_person: object, grouping: Grouping | None
) -> None:
    """Raise ParameterError where something would be dropped in silence."""
    if person is None:
        for name, given in {"take": take, "most_rows": most_rows, "groups_per_person": groups_per_person}.items():
            if given is not None:
                raise ParameterError(name, ("must go with ", Name("person"), ", the column of ids."))
        return
    if take is None and most_rows is None:
        raise ParameterError(
            "person",
            f"must go with what counts of a person's rows: take='share' (all of them, with a weight of 1 together), "
            f"take='random' (one of them; also {', '.join(TAKES[:-2])}), or most_rows=3 (up to 3 of them).",
        )
    if grouping is not None and not _is_share(take) and groups_per_person is None:
        raise ParameterError(
            "groups_per_person",
            (
                "must say in how many groups a person counts, as in groups_per_person=1; others of theirs are dropped.",
                *((" Or 'any': ", Name("most_rows"), " then holds for all groups together.") if most_rows else ()),
            ),
        )
    if groups_per_person is not None and (grouping is None or _is_share(take)):
        why = "where there are no groups" if grouping is None else "for take='share': all groups of a person count"
        raise ParameterError("groups_per_person", f"must be left out {why}.")


def _is_share(take: object) -> bool:
    return isinstance(take, str) and take == "share"


def _missing_of(asked: Mapping[str, object], missing: Missing) -> dict[str, Number | None]:
    if not isinstance(missing, Mapping):
        return dict.fromkeys(asked, missing)
    unknown = [name for name in missing if name not in asked]
    if unknown:
        raise ParameterError("missing", f"must name columns that are answered, got {shown(unknown[0])}.")
    return {name: missing.get(name) for name in asked}


def _candidates(
    grouped: GroupsLike, people: People | None, most: int, seed: int | None, *, share: bool
) -> tuple[GroupColumn, Integers]:
    """Return the groups that may be found, looked up once for all columns, and how many persons each has.

    A name is found by these, also for persons whose values are missing.
    """
    names = names_in(grouped)
    codes = codes_of(grouped, names, pooled=False)
    return GroupColumn(codes, names), counted_for_names(codes, len(names), people, most, seed, share=share)


def _in_groups(
    read: Frame,
    name: str,
    bounds: Domain | FindBounds,
    grouped: GroupsLike,
    rule: dict[str, Any],
    by: tuple[str, ...],
    persons: Integers | None,
) -> Groups | RawGroups:
    values = read.column(name, "columns")
    if isinstance(bounds, FindBounds):
        return RawGroups(values, grouped, bounds, rule, by, persons)
    found = Groups.from_values(values, grouped, bounds, **rule)
    return replace(found, by=by, persons=found.persons if persons is None else persons)


def _source(read: Frame, name: str, bounds: Domain | FindBounds, rule: dict[str, Any]) -> Sample | RawSample:
    values = read.column(name, "columns")
    if isinstance(bounds, FindBounds):
        return RawSample.from_values(values, bounds, **rule)
    return Sample.from_values(values, bounds, **rule)
