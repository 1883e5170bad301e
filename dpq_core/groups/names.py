"""Find the rows of listed groups: for each row the place of its group in a list of names.

A row's place depends on its own cell and the list alone, so neighbouring tables give neighbouring columns. A list with
names that no cell can have, by public facts (`cells.py`), is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import ArrowLike
from ..errors import DataError, ParameterError, each_of, shown
from ..people.identity import identity
from ..people.ids import by_identity
from ..texts import name_in_file
from ..values import arrow_type, as_arrow, batches_of, is_arrow, mixed_column
from .cells import ANY_NAME, NOT_GROUPS, Holds, PossibleNames, cell_name, distinct, holds_of

OneName: TypeAlias = str | int
"""A text as `plain_text` returns it, or a whole number."""
GroupName: TypeAlias = OneName | tuple[OneName, ...]
"""The name of a group; of groups by several columns one name for each of these."""
UNNAMED = "must name the group of all other rows, such as rest; or be left out."
GroupCodes: TypeAlias = NDArray[np.int32]
"""For each row the place of its group, from 0; -1 where it belongs to none."""

MOST_GROUPS = 2**24
_WHOLE = re.compile(r"-?\d+", re.ASCII)


@dataclass(frozen=True, eq=False, repr=False)
class GroupColumn:
    """A column of groups as numbers: for each row the place of its group in `found`, -1 where it has none. Private."""

    codes: GroupCodes
    found: tuple[object, ...]
    """Texts, whole numbers or truth values; some may name the same group, and None names none."""
    possible: PossibleNames = ANY_NAME
    """Public."""
    of_cells: bool = False
    """Whether cells of any kind are called one by one: two with one name, or one without, are no groups to be found."""

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
    if pooled is None:
        raise ParameterError("other", UNNAMED)
    if pooled in found:
        raise ParameterError("other", f"must be a name that is not in the list, got {shown(other)}.")
    return (*found, pooled)


def number_of_each(given: Mapping[Any, int], listed: Sequence[GroupName] | None) -> dict[GroupName, int]:
    """Return the number that was given for each listed group; `listed`: of none (), of found ones None.

    Raises ParameterError where there is another group, or one without a number.
    """
    if listed is None:
        raise ParameterError("about_n", "must be one number, such as about_n=300, or 'noisy' where groups are found.")
    if not listed:
        raise ParameterError("about_n", "must be one number for a column without groups, such as 1000.")
    numbers = {as_name(name) or name: number for name, number in given.items()}
    for name in (each for each in listed if each not in numbers):
        raise ParameterError("about_n", f"must have a number for every group: add one for {shown(name)}.")
    for name in (each for each in numbers if each not in listed):
        raise ParameterError("about_n", f"must name listed groups only: leave out {shown(name)}.")
    return {name: numbers[name] for name in listed}


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
    column = names_of(groups)
    refuse_misfits(column, listed)
    place, possible = {name: at for at, name in enumerate(listed)}, column.possible
    by_key = possible.places(listed)
    of_found = [
        rest if (name := as_name(cell)) is None
        else place[name] if name in place
        else by_key.get(possible.key(cell), rest)
        for cell in column.found
    ]  # fmt: skip
    return np.array([*of_found, rest], np.int32)[column.codes]  # a missing one is at -1


def names_of(groups: GroupsLike) -> GroupColumn:
    """Return a column of groups as numbers: its cells are called as those of files. O(n). Raises DataError."""
    if isinstance(groups, GroupColumn):
        return groups
    column = as_arrow(groups, of_groups=True)
    if not is_arrow(column):
        return _of_objects(column)
    codes, found, holds = [np.empty(0, np.int32)], dict[str, int](), holds_of(arrow_type(column))
    for cells in batches_of(column):
        which, names = (np.full(len(cells), -1), []) if holds == "durations" else distinct(cells)
        places = [-1 if name is None else found.setdefault(name, len(found)) for name in names]
        codes.append(np.array([*places, -1], np.int32)[which])
    return GroupColumn(np.concatenate(codes), tuple(found), PossibleNames(holds))


def _of_objects(groups: Any) -> GroupColumn:
    """Return a column of cells of any kind, each of which is called by itself. Raises DataError."""
    column = mixed_column(groups)
    if column is None or column.dtype.kind not in "iufbOUT":
        raise DataError(NOT_GROUPS)
    try:
        codes, held = by_identity(column.astype(object))
    except DataError:
        raise DataError(NOT_GROUPS) from None
    names = [name_in_file(name) if isinstance(name := cell_name(each), str) else name for each in held]
    if {0, 1} & set(held):
        truths = np.fromiter((isinstance(cell, bool | np.bool_) for cell in column), np.bool_, column.size)
        codes[truths] = len(names) + column[truths].astype(np.int32)  # TRUE is 1, and "true" where 1 is not listed
    return GroupColumn(codes, (*names, False, True), of_cells=True)


def refuse_misfits(column: GroupColumn, names: Sequence[GroupName]) -> None:
    """Raise ParameterError for listed names that no cell can have, or of which two are one among these cells."""
    possible = column.possible
    single = [name for name in names if not isinstance(name, tuple)]
    if told := possible.misfits(single):
        raise ParameterError("names", f"must be names that rows can have. {told}")
    if possible.holds and len({possible.key(name) for name in single}) < len(single):
        raise ParameterError("names", f"must be different from each other among {possible.holds}.")


def names_in(groups: GroupsLike) -> tuple[GroupName, ...]:
    """Return all names in a column, texts after numbers, each in order; the order reveals nothing about the rows.

    Private. Raises DataError.
    """
    column = names_of(groups)
    counts = np.bincount(column.codes[column.codes >= 0], minlength=len(column.found))
    numbers = column.possible.holds in ("whole numbers", "numbers") and not column.possible.labels
    held = [column.found[place] for place in np.flatnonzero(counts).tolist()]
    texts = [each for each in held if not isinstance(each, bool)]
    names = [as_name(int(str(each)) if numbers and _WHOLE.fullmatch(str(each)) else each) for each in texts]
    names += {as_name(each) for each in held if isinstance(each, bool)}.difference(names)
    unclear = column.of_cells and (None in names or len(set(names)) < len(names))
    if unclear or column.possible.holds == "durations":
        raise DataError(
            "the groups that are found must be texts, numbers or dates, all with different names: turn others into "
            "texts."
        )
    return in_order({name for name in names if name is not None})


def parts_of(name: GroupName) -> tuple[OneName, ...]:
    """Return the name of a group as one name for each column of groups."""
    return name if isinstance(name, tuple) else (name,)


def whole_name(parts: Sequence[OneName]) -> GroupName:
    """Return the name of a group of which these are the names in each column."""
    return parts[0] if len(parts) == 1 else tuple(parts)


def in_order(names: Iterable[GroupName]) -> tuple[GroupName, ...]:
    """Return the names of groups that are found in the order of their answers: texts after numbers, each in order."""
    return tuple(sorted(names, key=lambda name: [(isinstance(part, str), part) for part in parts_of(name)]))


def name_in_words(name: GroupName) -> str:
    """Return the name of a group as people read it: by several columns "north · f"."""
    return " · ".join(map(str, parts_of(name)))
