"""Cells of a database, as Python holds them, to float64: each exactly, and all of one kind.

Of a time with a zone, day and time are those that the clocks there show.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa

from ...errors import DataError, Disclosure
from ..column import Kind, Values
from ..found import clear_fields
from ..notation import parse_fields
from ..reading import AS_WRITTEN, Reading

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
