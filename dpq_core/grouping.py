"""Groups of a table by one or several of its columns: who is in which is a function of a row's own cells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any, TypeAlias

import numpy as np

from .domain.numbers import Number, checked_share
from .errors import DataError, Name, ParameterError, each_of, shown
from .groups.finding import FINDING_SHARE
from .groups.names import (
    GroupCodes,
    GroupColumn,
    GroupName,
    OneName,
    checked_names,
    codes_of,
    names_in,
    parts_of,
    refuse_misfits,
    whole_name,
)
from .sources.frames import Frame

WITHOUT_A_LIST = "must go with a list of groups by one column."
Listed: TypeAlias = Iterable[OneName]
By: TypeAlias = str | Sequence[str] | Mapping[str, "Listed | FindGroups | None"]
"""The columns whose values name the groups; as a mapping each with its list of names, or with FindGroups."""


@dataclass(frozen=True, init=False)
class FindGroups:
    """Ask a release to find the groups with many persons, and to name only these.

    `share` is the part of epsilon that pays for the names; they also need some of delta. Raises ParameterError.
    """

    share: Fraction

    def __init__(self, share: Number = Fraction(str(FINDING_SHARE))) -> None:
        object.__setattr__(self, "share", checked_share(share))

    def __repr__(self) -> str:
        return f"FindGroups(share='{self.share}')"


@dataclass(frozen=True, kw_only=True)
class Grouping:
    """Which groups are answered: those of a public list, or those that a release finds. Raises ParameterError."""

    by: tuple[str, ...]
    """The columns whose values name the groups; empty where nobody said."""
    names: tuple[GroupName, ...] | FindGroups
    """The public list, of several columns by one name for each; or how the groups are found."""
    other: OneName | None = None
    """The name of one more group, for the rows of all groups that are not listed; None leaves these out."""

    def __post_init__(self) -> None:
        if self.other is not None and (isinstance(self.names, FindGroups) or len(self.by) > 1):
            raise ParameterError("other", WITHOUT_A_LIST)
        for name in (self.listed or ()) if self.by and _columns(self.by) else ():
            assert _named(name, len(self.by)) is not None, "a name for each column"

    @property
    def finding(self) -> float | None:
        """Return the part of epsilon that finds the names; None where they are listed."""
        return float(self.names.share) if isinstance(self.names, FindGroups) else None

    @property
    def listed(self) -> tuple[GroupName, ...] | None:
        """Return the list; None where a release finds the groups."""
        return None if isinstance(self.names, FindGroups) else self.names

    @property
    def answered(self) -> tuple[GroupName, ...] | None:
        """Return the names of all groups, as answers carry them; None where a release finds them."""
        if isinstance(self.names, FindGroups):
            return None
        return self.names if self.other is None else (*self.names, self.other)

    @property
    def lists(self) -> dict[str, tuple[OneName, ...] | None]:
        """Return the listed names of each column, each once; None for a column whose names a release finds."""
        parts = [parts_of(name) for name in self.listed or ()]
        return {
            name: None if self.listed is None else tuple(dict.fromkeys(each[at] for each in parts))
            for at, name in enumerate(self.by)
        }

    def as_dict(self) -> dict[str, Any]:
        """Return the grouping as plain values."""
        found = {"by": list(self.by)}
        names: dict[str, Any] = {"find": str(self.names.share)} if isinstance(self.names, FindGroups) else {
            "names": [list(parts_of(name)) for name in self.names]
        }  # fmt: skip
        return found | names | ({} if self.other is None else {"other": self.other})

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Grouping:
        """Return the grouping that `as_dict` wrote. Raises ParameterError, KeyError."""
        given = dict(values)
        found = FindGroups(given.pop("find")) if "find" in given else None
        names = found or checked_names(map(whole_name, given.pop("names")), None)
        return cls(**given | {"by": tuple(given["by"]), "names": names})


def grouping_of(
    by: By, groups: Iterable[GroupName | Sequence[OneName]] | FindGroups | None, other: OneName | None = None
) -> Grouping:
    """Return the grouping that was asked for. Raises ParameterError with both ways out where no group is listed."""
    if isinstance(by, Mapping):
        if groups is not None:
            raise ParameterError("groups", ("must be left out where ", Name("by"), " lists the groups."))
        columns = _columns(list(by))
        return Grouping(by=columns, names=_names_of_lists(columns, list(by.values())), other=other)
    columns = _columns((by,) if isinstance(by, str) else by)
    if isinstance(groups, FindGroups):
        return Grouping(by=columns, names=groups, other=other)
    if groups is None:
        raise _not_listed(columns[0])
    named = [_named(name, len(columns)) for name in each_of(groups, "groups", "must be a list of groups.")]
    return Grouping(by=columns, names=_checked("groups", "", named), other=other)


def _names_of_lists(
    columns: tuple[str, ...], asked: list[Listed | FindGroups | None]
) -> tuple[GroupName, ...] | FindGroups:
    for column, each in zip(columns, asked, strict=True):
        if each is None or isinstance(each, str):
            raise _not_listed(column)
    finding = {each for each in asked if isinstance(each, FindGroups)}
    if finding:
        if len(finding) > 1 or not all(isinstance(each, FindGroups) for each in asked):
            raise ParameterError("by", "must be a list for every column, or the same FindGroups for every column.")
        return finding.pop()
    must = "must hold a list of names for each column."
    lists = [list(each_of(each, "by", must)) for each in asked if not isinstance(each, FindGroups | None)]
    checked = [
        _checked("by", f"of {column!r}: the names ", listed) for column, listed in zip(columns, lists, strict=True)
    ]
    return checked[0] if len(checked) == 1 else tuple(product(*checked))  # type: ignore[arg-type]  # of one column each


def refuse_other_names(grouping: Grouping, frame: Frame) -> None:
    """Raise ParameterError for listed names that no cell of their column can have, by its type and other facts."""
    for name, listed in grouping.lists.items():
        if listed is None:
            continue
        column = frame.groups(name)
        try:
            refuse_misfits(column, listed)
        except ParameterError as error:
            raise error.reworded("by", f"of {name!r}: the names ") from None


def groups_in(grouping: Grouping, frame: Frame) -> GroupColumn:
    """Return the column of groups of a table. Raises ParameterError, DataError."""
    columns = [frame.groups(name) for name in grouping.by]
    if len(columns) == 1:
        return columns[0]
    lists = zip(columns, grouping.lists.values(), strict=True)
    names = [names_in(column) if listed is None else listed for column, listed in lists]  # private where found
    coded = [codes_of(column, own, pooled=False) for column, own in zip(columns, names, strict=True)]
    return _together(coded, names)


def _columns(by: Iterable[str]) -> tuple[str, ...]:
    columns = tuple(each_of(by, "by", "must be the names of columns."))
    if not columns or not all(isinstance(name, str) for name in columns) or len(set(columns)) < len(columns):
        raise ParameterError("by", "must be the names of one column or more, each once.")
    return columns


def _named(name: object, parts: int) -> GroupName:
    """Return the name of a group as given: of several columns with one part for each."""
    if parts == 1 and not isinstance(name, tuple | list):
        return name  # type: ignore[return-value]  # checked with all others
    if not isinstance(name, tuple | list) or len(name) != parts:
        raise ParameterError("groups", f"must have one name for each of {parts} columns, got {shown(name)}.")
    return name[0] if parts == 1 else tuple(name)


def _checked(setting: str, whose: str, names: Iterable[GroupName]) -> tuple[GroupName, ...]:
    """Return the names of groups. Raises ParameterError for a list that groups cannot have, by its setting."""
    try:
        return checked_names(names, None)
    except ParameterError as error:
        raise error.reworded(setting, whose) from None


def _not_listed(column: object) -> ParameterError:
    return ParameterError(
        "by",
        f"must list the groups, from public knowledge: by={{{column!r}: ['north', 'south']}}. "
        f"Or let a release find the large ones, for a delta: by={{{column!r}: FindGroups()}}.",
    )


def _together(coded: Sequence[GroupCodes], names: Sequence[tuple[GroupName, ...]]) -> GroupColumn:
    """Return the groups of several columns as one; a row without a name in one of them is in none. O(n log n)."""
    if len({codes.size for codes in coded}) > 1:
        raise DataError("the columns of groups must have the same number of rows.")
    known = np.flatnonzero(np.all([codes >= 0 for codes in coded], axis=0))
    places, first = np.zeros(known.size, np.int64), np.empty(0, np.intp)
    for codes, own in zip(coded, names, strict=True):  # numbered anew each time, so that no number grows too large
        _, first, places = np.unique(places * len(own) + codes[known], return_index=True, return_inverse=True)
    whole = np.full(coded[0].size, -1, np.int32)
    whole[known] = places
    rows = known[first]
    parts = ([own[at] for at in codes[rows].tolist()] for codes, own in zip(coded, names, strict=True))
    return GroupColumn(whole, tuple(zip(*parts, strict=True)))
