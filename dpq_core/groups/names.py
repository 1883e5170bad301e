"""Find the rows of listed groups: for each row the place of its group in a list of names.

A row's place depends on its own cell and the list alone, so neighbouring tables give neighbouring columns.

Misfits are listed names that no cell of a column can hold, given the type of its cells, which is public.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import ArrowLike
from ..errors import DataError, ParameterError, each_of, shown
from ..people import by_identity, identity
from ..texts import name_in_file
from ..values import mixed_column

Holds: TypeAlias = Literal["", "truth values", "whole numbers", "numbers", "dates", "dates and times"]
"""The type of all cells of a column of groups; empty for texts, which may hold any name."""

_FORMS: dict[Holds, str] = {
    "truth values": "true|false",
    "whole numbers": r"-?\d+",
    "numbers": r"-?\d+(\.\d+)?(e[+-]?\d+)?|-?inf",
    "dates": r"\d{4}-\d\d-\d\d",
    "dates and times": r"\d{4}-\d\d-\d\d( .*)?",
}
"""What cells of each type are called."""


class MisfitWarning(UserWarning):
    """A listed group cannot have any rows, but it is answered and costs as much budget as the others."""


def misfits(names: Sequence[str | int], holds: Holds) -> str:
    """Return the sentence on the listed names that no cell of a column can have, "" where there is none."""
    form = _FORMS.get(holds, "")
    odd = [str(name) for name in names if form and not re.fullmatch(form, name_in_file(str(name)) or "")]
    return f"The column of groups holds {holds}, so no row can be in {', '.join(odd)}." if odd else ""


OneName: TypeAlias = str | int
"""A text as `plain_text` returns it, or a whole number."""
GroupName: TypeAlias = OneName | tuple[OneName, ...]
"""The name of a group; of groups by several columns one name for each of these."""
GroupCodes: TypeAlias = NDArray[np.int32]
"""For each row the place of its group, from 0; -1 where it belongs to none."""

MOST_GROUPS = 2**24
_ROWS_AT_ONCE = 1 << 20
_MOST_TABLED = 1 << 22


@dataclass(frozen=True, eq=False, repr=False)
class GroupColumn:
    """A column of groups as numbers: for each row the place of its group in `found`, -1 where it has none. Private."""

    codes: GroupCodes
    found: tuple[object, ...]
    """Texts or whole numbers, as a column would hold them; some may name the same group, or no group."""
    holds: Holds = ""
    """The type of its cells; public, as types are."""

    def __repr__(self) -> str:
        return "GroupColumn()"  # no names, which may be private, and no counts


GroupsLike: TypeAlias = ArrayLike | ArrowLike | GroupColumn


def checked_names(names: Iterable[GroupName], other: GroupName | None) -> tuple[GroupName, ...]:
    """Return the names of all groups, with the name of pooled ones at the end. Raises ParameterError."""
    listed = each_of(names, "names", "must be a list of texts or whole numbers, or None: to be found privately.")
    given = [as_name(name) for name in islice(listed, MOST_GROUPS)]
    if None in given:
        raise ParameterError("names", "must be texts or whole numbers, none of them blank.")
    found = tuple(name for name in given if name is not None)
    if len(set(found)) < len(found):
        raise ParameterError("names", "must be different from each other.")
    if not 0 < len(found) < MOST_GROUPS:
        raise ParameterError("names", f"must be from 1 to {MOST_GROUPS - 1:,} groups.")
    if other is None:
        return found
    pooled = as_name(other)
    if pooled is None or pooled in found:
        raise ParameterError("other", f"must be a name that is not in the list, got {shown(other)}.")
    return (*found, pooled)


def as_name(value: object) -> GroupName | None:
    """Return how a group is called: a `plain_text`, a whole number, or a tuple of these; None for anything else.

    The name depends on the value's `identity` alone: 1, 1.0, True and numpy's 1 have the same name. So it makes no
    difference which of them a column holds first.
    """
    if isinstance(value, tuple):
        parts = tuple(map(_one_name, value))
        return None if not parts or None in parts else tuple(part for part in parts if part is not None)
    return _one_name(value)


def _one_name(value: object) -> OneName | None:
    try:
        found = identity(value)
    except DataError:
        return None
    if isinstance(found, str):
        return found
    if not isinstance(found, int | float | Decimal | Fraction):
        return None
    try:
        whole = int(found)
    except OverflowError:  # infinite
        return None
    return whole if whole == found else None


def codes_of(groups: GroupsLike, names: tuple[GroupName, ...], pooled: bool) -> GroupCodes:
    """Return the place of each row's group; where rows are `pooled`, all others have the last one. O(n).

    Raises DataError.
    """
    place, rest = {name: at for at, name in enumerate(names)}, -1
    if pooled:
        place, rest = {name: at for at, name in enumerate(names[:-1])}, len(names) - 1
    if isinstance(groups, GroupColumn):
        in_file = {_name_in_file(name): at for name, at in place.items()} | place
        of_found = [in_file.get(as_name(value), in_file.get(_name_in_file(value), rest)) for value in groups.found]
        return np.array([*of_found, rest], np.int32)[groups.codes]  # a missing one is at -1
    column = group_column(groups)
    codes = np.empty(column.size, np.int32)
    places_in = _numbered(place, rest) if np.can_cast(column.dtype, np.int64) else _looked_up(place, rest)
    for first in range(0, column.size, _ROWS_AT_ONCE):
        codes[first : first + _ROWS_AT_ONCE] = places_in(column[first : first + _ROWS_AT_ONCE])
    return codes


def _name_in_file(value: object) -> str | None:
    """Return how a group of a file is called, where all are texts."""
    name = as_name(value)
    return None if name is None else name_in_file(str(name))


def _numbered(place: dict[GroupName, int], rest: int) -> Callable[[NDArray[np.generic]], GroupCodes]:
    """Return a function that looks up whole numbers."""
    import pandas as pd

    known = {name: at for name, at in place.items() if isinstance(name, int) and abs(name) < 2**63}
    low, high = min(known, default=0), max(known, default=0)
    if high - low < _MOST_TABLED:
        table = np.full(high - low + 3, rest, np.int32)  # for those listed, and one place on either side for others
        table[np.array(list(known), np.int64) - (low - 1)] = list(known.values())
        # The ends of the table also take what is too far away for a number of 64 bits: it wraps around to one of them.
        return lambda column: table.take(column.astype(np.int64, copy=False) - (low - 1), mode="clip")
    index, places = pd.Index(list(known), dtype=np.int64), np.array([*known.values(), rest], np.int32)
    return lambda column: places[index.get_indexer(column)]  # an unknown one is at -1, the last place


def _looked_up(place: dict[GroupName, int], rest: int) -> Callable[[NDArray[np.generic]], GroupCodes]:
    """Return a function that looks up values of any type, and remembers those it has seen."""
    known: dict[Hashable, int] = {}

    def places_in(column: NDArray[np.generic]) -> GroupCodes:
        which, found = distinct(column)
        for value in found:
            if value not in known:
                name = as_name(value)
                known[value] = rest if name is None else place.get(name, rest)
        return np.array([*map(known.__getitem__, found), rest], np.int32)[which]  # a missing one is at -1

    return places_in


def names_in(groups: GroupsLike) -> tuple[GroupName, ...]:
    """Return all names in a column, texts after numbers, each in order; the order reveals nothing about the rows.

    Private. Raises DataError.
    """
    found = set[GroupName]()
    for values in _values_in(groups):
        found |= {name for name in map(as_name, values) if name is not None}
    return in_order(found)


def in_order(names: Iterable[GroupName]) -> tuple[GroupName, ...]:
    """Return the names of groups that are found in the order of their answers: texts after numbers, each in order."""
    return tuple(sorted(names, key=lambda name: [(isinstance(part, str), part) for part in _parts_of(name)]))


def name_in_words(name: object) -> str:
    """Return the name of a group as people read it: by several columns "north · f"."""
    return " · ".join(map(str, name if isinstance(name, tuple) else (name,)))


def _parts_of(name: GroupName) -> tuple[OneName, ...]:
    """Return the name of a group column by column; one part where it is by one column."""
    return name if isinstance(name, tuple) else (name,)


def _values_in(groups: GroupsLike) -> Iterator[Sequence[object]]:
    if isinstance(groups, GroupColumn):
        counts = np.bincount(groups.codes[groups.codes >= 0], minlength=len(groups.found))
        yield [groups.found[place] for place in np.flatnonzero(counts).tolist()]
        return
    column = group_column(groups)
    for first in range(0, column.size, _ROWS_AT_ONCE):
        yield distinct(column[first : first + _ROWS_AT_ONCE])[1]


def distinct(column: NDArray[np.generic]) -> tuple[NDArray[np.intp] | GroupCodes, list[Hashable]]:
    """Return each row's index among the distinct identities, -1 for none, and the identities. Raises DataError."""
    import pandas as pd

    if column.dtype.kind in "iu" or (column.dtype.kind == "f" and column.dtype.itemsize <= 8):
        codes, found = pd.factorize(column.astype(np.float64, copy=False) if column.dtype.kind == "f" else column)
        return codes, list(found.tolist())
    try:
        return by_identity(column.astype(object))
    except DataError:
        raise DataError(_NOT_GROUPS) from None


def group_column(groups: ArrayLike | ArrowLike) -> NDArray[np.generic]:
    """Return the groups as one column of numbers or objects. Raises DataError, whose message quotes no group."""
    column = mixed_column(groups)
    if column is None or column.dtype.kind not in "iufOUT":
        raise DataError(_NOT_GROUPS)
    return column


_NOT_GROUPS = "the groups must be one column of texts or whole numbers, with one for each value."
