"""Ids and names of groups of a database as numbers: ids by their `people.identity`, names as a file would hold them.

Values become float64: each exactly, and all of one kind. Of a time with a zone, day and time are those that the clocks
there show.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Hashable, Sequence
from decimal import Decimal
from math import isfinite, isnan
from typing import Any
from uuid import UUID

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ...arrays import Floats, Integers
from ...errors import DataError, Disclosure
from ...groups.cells import Holds, PossibleNames
from ...groups.names import GroupColumn
from ...people.identity import identity
from ...texts import name_in_file
from ..column import Kind, Values
from ..found import clear_fields
from ..notation import parse_fields
from ..reading import AS_WRITTEN, Reading

NO_GROUPS = "The column of groups holds neither texts nor numbers nor dates; choose another column."


def person_id(cell: Any) -> Hashable | None:
    """Return the `identity` of an id, of a text that of its `name_in_file`; None for a missing one.

    Raises DataError.
    """
    return identity(name_in_file(cell) if isinstance(cell, str) else cell)


def group_name(cell: Any) -> str | None:
    """Return the name of a group as a text, as from a file: 1 and 1.00 are "1". None for a missing one.

    Raises DataError.
    """
    match cell:
        case None:
            return None
        case str():
            return name_in_file(cell)
        case bool():
            return str(cell).lower()
        case int() | float() | Decimal():
            return _number_name(cell)
        case datetime.date() | datetime.time() | UUID():
            return name_in_file(str(cell))
    raise DataError(NO_GROUPS, discloses=Disclosure.KIND)


def _number_name(number: float | Decimal) -> str | None:
    """Return how a number is written, the same for equal ones: 2.5 and 2.50 are "2.5"."""
    if not isfinite(number):
        return None if isnan(number) else str(float(number))
    if number == int(number):
        return str(int(number))
    return f"{number:f}".rstrip("0") if isinstance(number, Decimal) else str(number)


HOLDS: dict[Holds, set[type]] = {
    "truth values": {bool},
    "whole numbers": {int},
    "numbers": {int, float, Decimal},
    "dates": {datetime.date},
    "dates and times": {datetime.date, datetime.datetime},
}
"""By the types of cells, the narrowest first."""


class Codes:
    """Cells that come in batches, each different one stored once; `plain` says what it is compared as."""

    def __init__(self, plain: Callable[[Any], Hashable | None]) -> None:
        self._plain = plain
        self._known: dict[Hashable, int] = {}
        self._parts: list[NDArray[np.int32]] = [np.empty(0, np.int32)]
        self._types = set[type]()

    def add(self, cells: Sequence[Any]) -> None:
        """Add the next rows; None is missing. Raises DataError."""
        known = self._known
        self._types |= {type(cell) for cell in cells}
        plain = map(self._plain, cells)
        codes = [-1 if cell is None else known.setdefault(cell, len(known)) for cell in plain]
        self._parts.append(np.array(codes, np.int32))

    def numbers(self) -> Floats:
        """Return a number for each row, the same for the same cell, NaN where it is missing."""
        codes = np.concatenate(self._parts).astype(np.float64)
        codes[codes < 0] = np.nan
        return codes

    def groups(self, order: Integers) -> GroupColumn:
        """Return the rows at these places as a column of groups."""
        return GroupColumn(np.concatenate(self._parts)[order], tuple(self._known), PossibleNames(self._holds))

    @property
    def _holds(self) -> Holds:
        """Return what all cells are."""
        types = self._types - {type(None)}
        return next((holds for holds, held in HOLDS.items() if types and types <= held), "")


EPOCH = datetime.datetime(1970, 1, 1)
DAY = datetime.timedelta(days=1)
UNITS: dict[Kind, str] = {"number": "", "date": "date", "duration": "seconds"}


def read_cells(parts: Sequence[Sequence[Any]], reading: Reading = AS_WRITTEN) -> Values:
    """Return the numbers of all cells, NaN for None; text by the rule for files. Raises DataError."""
    types = {type(cell) for part in parts for cell in part} - {type(None)}
    if types == {str}:
        return _text(parts, reading)
    found = {_meaning(each) for each in types} or {("number", float)}
    kinds = {meaning and meaning[0] for meaning in found}
    if None in found or len(kinds) > 1:
        raise DataError(
            "The column holds neither numbers nor dates nor text, or several of these; choose another column.",
            discloses=Disclosure.KIND,
        )
    convert = {each: meaning[1] for each in types if (meaning := _meaning(each)) is not None}
    numbers = [np.nan if cell is None else convert[type(cell)](cell) for part in parts for cell in part]
    kind = next(meaning[0] for meaning in found if meaning is not None)
    found_numbers = np.array(numbers, np.float64) + 0.0  # -0.0, equal to 0.0 for databases, is 0.0
    return Values(reading.values(found_numbers, kind), *reading.meaning(kind, UNITS[kind]), reading)


def _meaning(held: type) -> tuple[Kind, Callable[[Any], float]] | None:
    """Return what values of a type are, and how one becomes a float: a decimal the nearest one."""
    if issubclass(held, int | float | Decimal):
        return "number", _nearest
    if issubclass(held, datetime.datetime):
        return "date", lambda at: (at.replace(tzinfo=None) - EPOCH) / DAY
    if issubclass(held, datetime.date):
        return "date", lambda at: float(at.toordinal() - EPOCH.toordinal())
    if issubclass(held, datetime.timedelta):
        return "duration", datetime.timedelta.total_seconds
    if issubclass(held, datetime.time):
        return "duration", lambda at: (
            datetime.datetime.combine(EPOCH, at.replace(tzinfo=None)) - EPOCH
        ).total_seconds()
    return None


def _nearest(number: Any) -> float:
    try:
        return float(number)
    except OverflowError:  # of a whole number of 309 digits
        return np.inf if number > 0 else -np.inf


def _text(parts: Sequence[Sequence[Any]], reading: Reading) -> Values:
    fields = [pa.array(part, pa.string()) for part in parts]
    with clear_fields(lambda at: at + 1):
        return parse_fields(lambda: fields, decimal="", reading=reading)
