"""Dates as they are typed for a column of dates; mechanisms see the days since 1970-01-01."""

from __future__ import annotations

import argparse
import re
from typing import Any

from ..domain import typed_number
from ..errors import DataError, Disclosure, Name, ParameterError
from ..sources.column import Kind

DATE = re.compile(r"\d{4}-\d\d-\d\d")


def _is_date(typed: str | None) -> bool:
    return typed is not None and DATE.fullmatch(typed) is not None


def number_or_day(chosen: argparse.Namespace, name: str) -> Any:
    """Return a number as it was typed, and of a date the days since 1970-01-01. Raises ParameterError."""
    from ..results import parse_date

    typed = getattr(chosen, name)
    if not _is_date(typed):
        return typed if typed is None else typed_number(typed, f"--{name}")
    day = parse_date(typed)
    if day is None:
        raise ParameterError(f"--{name}", "must be a date of the calendar such as 2024-01-31.")
    return day


def check_kind(chosen: argparse.Namespace, kind: Kind) -> None:
    """Raise DataError where dates were typed and the column holds none, or numbers were and it holds dates."""
    names = ("lower", "upper", "missing", "smallest", "largest", "digits")
    typed = [str(given) for name in names if (given := getattr(chosen, name)) is not None]
    if kind != "date" and any(map(_is_date, typed)):
        raise DataError("This column holds no dates: bounds and missing values are numbers.", discloses=Disclosure.KIND)
    if kind == "date" and not all(map(_is_date, typed)):
        raise DataError(
            "This column holds dates: write bounds and missing values like 2024-01-31.", discloses=Disclosure.KIND
        )


def both_dated(chosen: argparse.Namespace) -> bool:
    """Return whether both bounds are dates. Raises ParameterError where one is."""
    dated = _is_date(chosen.lower), _is_date(chosen.upper)
    if any(dated) and not all(dated):
        raise ParameterError("--lower", ("and ", Name("--upper"), " must both be dates, or both numbers."))
    return all(dated)
