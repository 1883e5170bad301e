"""Find the rows of listed groups: for each row the place of its group in a list of names.

A row's place depends on its own cell and the list alone, so neighbouring tables give neighbouring columns. A list with
names that no cell can have, by public facts (`cells.py`), is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import ArrowLike
from ..errors import DataError, ParameterError, each_of, shown
from ..people.identity import identity
from ..people.ids import by_identity
from ..values import arrow_type, is_arrow, mixed_column
from .cells import ANY_NAME, NOT_GROUPS, Holds, PossibleNames, by_clocks, cell_name, no_name, possible_in_frame

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
    possible: PossibleNames = ANY_NAME
    """Public."""

    @property
    def holds(self) -> Holds:
        """Return the type of its cells."""
        return self.possible.holds

    def __repr__(self) -> str:
        return "GroupColumn()"  # no names, which may be private, and no counts


GroupsLike: TypeAlias = ArrayLike | ArrowLike | GroupColumn


def checked_names(names: Iterable[GroupName], other: GroupName | None) -> tuple[GroupName, ...]:
    """Return the names of all groups, with the name of pooled ones at the end. Raises ParameterError."""
    listed = each_of(names, "names", "must be a list of texts or numbers, or None: to be found privately.")
    given = [as_name(name) for name in islice(listed, MOST_GROUPS)]
    if None in given:
        raise ParameterError("names", "must be texts, numbers, truth values or dates, none of them blank.")
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
    return cell_name(found)


def codes_of(groups: GroupsLike, names: tuple[GroupName, ...], pooled: bool) -> GroupCodes:
    """Return the place of each row's group; where rows are `pooled`, all others have the last one. O(n).

    Raises DataError, and ParameterError for names that no cell can have.
    """
    listed, rest = (names[:-1], len(names) - 1) if pooled else (names, -1)
    refuse_misfits(groups, listed)
    place, possible = {name: at for at, name in enumerate(listed)}, possible_of(groups)
    by_key = possible.places(listed)
    if isinstance(groups, GroupColumn):
        of_found = [place.get(as_name(value) or "", by_key.get(possible.key(value), rest)) for value in groups.found]
        return np.array([*of_found, rest], np.int32)[groups.codes]  # a missing one is at -1
    column = group_column(groups)
    codes = np.empty(column.size, np.int32)
    whole = {int(key): at for key, at in by_key.items() if isinstance(key, Decimal)}
    is_whole = column.dtype.kind in "iu" and np.can_cast(column.dtype, np.int64)
    places_in = _numbered(whole, rest) if is_whole else _looked_up(place, by_key, possible, rest)
    for first in range(0, column.size, _ROWS_AT_ONCE):
        codes[first : first + _ROWS_AT_ONCE] = places_in(column[first : first + _ROWS_AT_ONCE])
    return codes


def possible_of(groups: GroupsLike) -> PossibleNames:
    """Return the names that cells of a column can have, by public facts."""
    return groups.possible if isinstance(groups, GroupColumn) else possible_in_frame(groups)


def refuse_misfits(groups: GroupsLike, names: Sequence[GroupName]) -> None:
    """Raise ParameterError for listed names that no cell can have, or of which two are one among these cells."""
    possible = possible_of(groups)
    single = [name for name in names if not isinstance(name, tuple)]
    if told := possible.misfits(single):
        raise ParameterError("names", f"must be names that rows can have. {told}")
    if possible.holds and len({possible.key(name) for name in single}) < len(single):
        raise ParameterError("names", f"must be different from each other among {possible.holds}.")


def _numbered(place: dict[int, int], rest: int) -> Callable[[NDArray[np.generic]], GroupCodes]:
    """Return a function that looks up whole numbers."""
    import pandas as pd

    known = {name: at for name, at in place.items() if abs(name) < 2**63}
    low, high = min(known, default=0), max(known, default=0)
    if high - low < _MOST_TABLED:
        table = np.full(high - low + 3, rest, np.int32)  # for those listed, and one place on either side for others
        table[np.array(list(known), np.int64) - (low - 1)] = list(known.values())
        # The ends of the table also take what is too far away for a number of 64 bits: it wraps around to one of them.
        return lambda column: table.take(column.astype(np.int64, copy=False) - (low - 1), mode="clip")
    index, places = pd.Index(list(known), dtype=np.int64), np.array([*known.values(), rest], np.int32)
    return lambda column: places[index.get_indexer(column)]  # an unknown one is at -1, the last place


def _looked_up(
    place: dict[GroupName, int], by_key: dict[Hashable, int], possible: PossibleNames, rest: int
) -> Callable[[NDArray[np.generic]], GroupCodes]:
    """Return a function that looks up values of any type, and remembers those it has seen."""
    known: dict[Hashable, int] = {}

    def places_in(column: NDArray[np.generic]) -> GroupCodes:
        which, found = distinct(column)
        for value in found:
            if value not in known:
                name = cell_name(value)
                known[value] = rest if name is None else place.get(name, by_key.get(possible.key(name), rest))
        return np.array([*map(known.__getitem__, found), rest], np.int32)[which]  # a missing one is at -1

    return places_in


def names_in(groups: GroupsLike) -> tuple[GroupName, ...]:
    """Return all names in a column, texts after numbers, each in order; the order reveals nothing about the rows.

    Private. Raises DataError.
    """
    if isinstance(groups, GroupColumn):
        counts = np.bincount(groups.codes[groups.codes >= 0], minlength=len(groups.found))
        held = (as_name(groups.found[place]) for place in np.flatnonzero(counts).tolist())
        return in_order({name for name in held if name is not None})
    if possible_of(groups).holds == "durations":
        raise no_name()
    called: dict[str | int, Hashable] = {}
    column = group_column(groups)
    for first in range(0, column.size, _ROWS_AT_ONCE):
        for cell in distinct(column[first : first + _ROWS_AT_ONCE])[1]:
            name = cell_name(cell)
            if name is None or called.setdefault(name, cell) != cell:
                raise no_name()
    return in_order(called)


def in_order(names: Iterable[GroupName]) -> tuple[GroupName, ...]:
    """Return the names of groups that are found in the order of their answers: texts after numbers, each in order."""
    return tuple(
        sorted(
            names,
            key=lambda name: [(isinstance(part, str), part) for part in (name if isinstance(name, tuple) else (name,))],
        )
    )


def name_in_words(name: object) -> str:
    """Return the name of a group as people read it: by several columns "north · f"."""
    return " · ".join(map(str, name if isinstance(name, tuple) else (name,)))


def distinct(column: NDArray[np.generic]) -> tuple[NDArray[np.intp] | GroupCodes, list[Hashable]]:
    """Return each row's index among the distinct identities, -1 for none, and the identities. Raises DataError."""
    import pandas as pd

    if column.dtype.kind in "iu" or (column.dtype.kind == "f" and column.dtype.itemsize <= 8):
        codes, found = pd.factorize(column.astype(np.float32) if column.dtype == np.float16 else column)
        small = column.dtype.kind == "f" and column.dtype.itemsize < 8
        return codes, [float(str(each)) for each in found] if small else list(found.tolist())  # 0.1 is 0.1 in 32 bits
    try:
        return by_identity(column.astype(object))
    except DataError:
        raise DataError(NOT_GROUPS) from None


def group_column(groups: ArrayLike | ArrowLike) -> NDArray[np.generic]:
    """Return the groups as one column of numbers or objects. Raises DataError, whose message quotes no group."""
    if is_arrow(groups) and getattr(arrow_type(groups), "tz", None) is not None:
        return _clocks_of(groups)
    column = mixed_column(groups)
    if column is None or column.dtype.kind not in "iufbOUTMm":
        raise DataError(NOT_GROUPS)
    if column.dtype.kind == "b":
        return np.where(column, "true", "false").astype(object)
    if column.dtype.kind in "Mm":
        cells = np.empty(column.size, object)
        cells[:] = list(column)
        return cells
    return column


def _clocks_of(groups: ArrayLike | ArrowLike) -> NDArray[np.object_]:
    import pyarrow as pa

    column = pa.chunked_array(groups).combine_chunks().dictionary_encode()
    names = np.array([*by_clocks(column.dictionary), None], object)
    found: NDArray[np.object_] = names[column.indices.cast(pa.int64()).fill_null(-1).to_numpy()]
    return found
