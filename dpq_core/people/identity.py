"""The one form in which ids are compared, whichever library made them.

Claim. `identity` reads one cell and nothing else, and two ids are one where their identities are equal. These are
plain numbers of Python, texts, and tuples that begin with a kind: their equality is exact and transitive and agrees
with their hashes. So which rows share a person depends on their own ids only, never on an order or on a third row.
Cells as they come are not equal like that: numpy takes 2^53 + 1 for 2^53 beside a float, a date and the same datetime64
are equal and have different hashes, and an int8 beside a Decimal raises an error.

Numbers are equal where they are exactly the same number (1, 1.0, True and Decimal("1.00"); not 0.1 and Decimal("0.1")),
texts as `plain_text` has them, and bytes byte by byte. A date is its midnight; moments with a time zone are compared
with each other, as the instants that they are, and never with those without one. `id_of` is the rule for ids of
persons, the same for files, databases, frames and clusters; `coded.py` has it for whole columns.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Hashable
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from ipaddress import IPv4Address, IPv4Interface, IPv6Address, IPv6Interface
from uuid import UUID

import numpy as np

from ..errors import DataError, Disclosure
from ..texts import MISSING, ZERO_OR_MISSING, name_in_file, plain_text

NO_ID = (*MISSING, *ZERO_OR_MISSING)
"""Texts that are no id, in small letters: their rows belong to nobody, as those of blank cells."""
_WHOLE = re.compile(r"0|-?[1-9]\d*", re.ASCII)

_SECOND = 10**18
"""Moments and durations are counted in attoseconds, the smallest unit of numpy."""
_DAY = 86_400 * _SECOND
_UNITS = {
    "W": 7 * _DAY, "D": _DAY, "h": 3_600 * _SECOND, "m": 60 * _SECOND, "s": _SECOND, "ms": 10**15, "us": 10**12,
    "ns": 10**9, "ps": 10**6, "fs": 10**3, "as": 1,
}  # fmt: skip
_MONTHS = {"Y": 12, "M": 1}
_EPOCH = datetime.datetime(1970, 1, 1)
_FIRST_DAY = _EPOCH.toordinal()
_MICROSECOND = datetime.timedelta(microseconds=1)
_DAYS_OF_400_YEARS = 146_097


def identity(cell: object) -> Hashable | None:
    """Return the form in which an id is compared; None for what is missing. Raises DataError, which quotes nothing."""
    kind = type(cell)
    if kind is int:
        return cell
    if kind is float:
        return cell if cell == cell else None  # NaN is not
    try:
        return _begin_of(cell) if kind is datetime.date else _identity(cell)  # type: ignore[arg-type]  # a date
    except (TypeError, ValueError, ArithmeticError, RecursionError):
        raise not_compared() from None


def id_of(cell: object) -> Hashable | None:
    """Return the identity of an id of any source: a text is compared as `texts.name_in_file` has it.

    A word for a missing value is no id, and the text of a whole number is that number, as in a sheet that holds both.
    """
    found = identity(cell)
    if not isinstance(found, str):
        return found
    name = name_in_file(found)
    if name is None or name.lower() in NO_ID:
        return None
    return int(name) if _WHOLE.fullmatch(name) else name


def not_compared() -> DataError:
    """Return the refusal of ids that have no such form."""
    return DataError(
        "the ids must be texts, numbers, dates, times, durations or UUIDs, or tuples of these: turn others into texts "
        "first.",
        discloses=Disclosure.KIND,
    )


def _identity(cell: object) -> Hashable | None:
    import pandas as pd

    if cell is None or cell is pd.NA or cell is pd.NaT:
        return None
    match cell:
        case str():
            return plain_text(cell)
        case bytes() | bytearray() | memoryview():
            return ("bytes", bytes(cell)) if bytes(cell).strip() else None
        case float() | np.floating() | Decimal() | Fraction():
            return _number(cell)
        case datetime.date() | np.datetime64():
            return _moment(cell)
        case datetime.timedelta() | np.timedelta64():
            return _duration(cell)
        case int() | np.integer() | np.bool_():  # numpy takes a duration for an integer
            return int(cell)
        case tuple():
            return ("tuple", *map(identity, cell))
        case UUID():
            return ("UUID", cell.int)
        case datetime.time():
            return ("time", cell)
        case Enum():
            return ("member", type(cell).__qualname__, cell.name)
        case IPv4Address() | IPv6Address() | IPv4Interface() | IPv6Interface():
            return ("address", str(cell))
    raise not_compared()


def _number(number: float | np.floating[np.typing.NBitBase] | Decimal | Fraction) -> Hashable | None:
    """Return a number of Python that is exactly the same; None for NaN."""
    if isinstance(number, Fraction):
        return number
    if isinstance(number, Decimal):
        return None if number.is_nan() else number
    if np.isnan(number):
        return None
    if isinstance(number, np.longdouble) and np.isfinite(number):
        return Fraction(*number.as_integer_ratio())
    return float(number)


def _moment(cell: datetime.date | np.datetime64) -> Hashable | None:
    """Return the time since 1970, in attoseconds, of a moment without a time zone or of an instant; a date begins."""
    zoned = isinstance(cell, datetime.datetime) and cell.utcoffset() is not None
    cell = getattr(cell, "asm8", cell)  # of a Timestamp: nanoseconds are more than a datetime holds
    if isinstance(cell, np.datetime64):
        if np.isnat(cell):
            return None
        unit, times = np.datetime_data(cell.dtype)
        count = int(cell.astype(np.int64)) * times
        since = _first_day(count * _MONTHS[unit]) * _DAY if unit in _MONTHS else count * _UNITS[unit]
    elif isinstance(cell, datetime.datetime):
        local = cell.replace(tzinfo=None) - _EPOCH
        since = (local - (cell.utcoffset() or 0 * _MICROSECOND)) // _MICROSECOND * _UNITS["us"]
    else:
        return _begin_of(cell)
    return ("instant" if zoned else "moment", since)


def _begin_of(day: datetime.date) -> Hashable:
    return ("moment", (day.toordinal() - _FIRST_DAY) * _DAY)


def _first_day(months: int) -> int:
    """Return the days from 1970-01-01 to the first of a month, counted from January 1970, however far."""
    years, month = divmod(months, 12)
    cycles, rest = divmod(years, 400)
    return cycles * _DAYS_OF_400_YEARS + datetime.date(1970 + rest, month + 1, 1).toordinal() - _FIRST_DAY


def _duration(cell: datetime.timedelta | np.timedelta64) -> Hashable | None:
    """Return a duration in attoseconds, or in months, which have no length."""
    cell = getattr(cell, "asm8", cell)
    if isinstance(cell, datetime.timedelta):
        return ("duration", cell // _MICROSECOND * _UNITS["us"])
    if np.isnat(cell):
        return None
    unit, times = np.datetime_data(cell.dtype)
    count = int(cell.astype(np.int64)) * times
    if unit in _MONTHS:
        return ("months", count * _MONTHS[unit])
    if unit not in _UNITS:
        raise not_compared()  # numpy takes a number without a unit for any duration
    return ("duration", count * _UNITS[unit])
