"""Stata files (.dta): numbers with a format such as %td, %tm or %9.0g."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Integers
from ...errors import DataError, Disclosure
from ..column import DAMAGED
from ..formats.reader import Opener
from .variables import Meaning, SurveyTable, as_days

DAYS_BEFORE = 3_653
"""From 1960-01-01, where Stata begins to count, to 1970-01-01."""
MILLISECONDS = 86_400_000
"""Of a day."""
MONTHS: dict[str, tuple[str, int]] = {"m": ("month", 1), "q": ("quarter", 3), "h": ("half-year", 6)}
"""Units, and how many months each has."""
WEEKS = 52
"""Of every year: the last one has 8 or 9 days."""
MOST_PERIODS = 1_000_000
"""Before or after 1960."""
HEADER_BYTES = 200
_HEADER = re.compile(
    rb"<stata_dta><header><release>\d+</release><byteorder>(?P<order>LSF|MSF)</byteorder><K>.{2,4}</K>"
    rb"<N>(?P<rows>.{4}|.{8})</N>",
    re.DOTALL,
)
"""Of files since Stata 13; older ones have 32 bits for the number of rows, as the library does."""
_FORMAT = re.compile(r"%-?(?:t(?P<unit>[a-zA-Z])|d)(?P<shown>.*)", re.DOTALL)
_CLOCK_ONLY = re.compile(r"(?:[Hh]{2}|MM|mm|SS|ss|\.s{1,3}|[aA]\.?[mM]\.?|[-_.:,/\\ +]|!.)+")
"""What a format of moments consists of that shows the time of day alone."""


def meaning_of(shown: str) -> Meaning:
    """Return what numbers are that are shown in a format. Raises DataError."""
    found = _FORMAT.fullmatch(shown)
    if found is None:
        return Meaning()
    unit = found["unit"] or "d"
    if unit == "d":
        return Meaning("date", "date", partial(as_days, per_day=1, before=DAYS_BEFORE))
    if unit == "c" and _CLOCK_ONLY.fullmatch(found["shown"]):
        return Meaning("duration", "seconds", _time_of_day)
    if unit == "c":
        return Meaning("date", "date", partial(as_days, per_day=MILLISECONDS, before=DAYS_BEFORE))
    if unit == "w":
        return Meaning("date", "date", _first_of_weeks, "week")
    if unit in MONTHS:
        period, months = MONTHS[unit]
        return Meaning("date", "date", partial(_first_of_months, months=months), period)
    if unit in ("y", "g"):  # a year is shown as its number
        return Meaning()
    raise DataError(
        f"The column holds values of the type %t{unit}, which cannot be read; save it as %td or %tc, or as text.",
        discloses=Disclosure.KIND,
    )


def _time_of_day(milliseconds: Floats) -> Floats:
    seconds: Floats = np.mod(milliseconds, MILLISECONDS) / 1_000
    return seconds


def _first_of_months(numbers: Floats, *, months: int) -> Floats:
    """Return the first day of periods of `months` months, counted from 1960."""
    return _first_days(numbers, lambda whole: (whole * months - 120).astype("datetime64[M]"))


def _first_of_weeks(numbers: Floats) -> Floats:
    """Return the first day of weeks, counted from 1960, of which every year has 52."""

    def first(whole: Integers) -> NDArray[Any]:
        years, weeks = np.divmod(whole, WEEKS)
        days: NDArray[Any] = (years - 10).astype("datetime64[Y]").astype("datetime64[D]") + 7 * weeks
        return days

    return _first_days(numbers, first)


def _first_days(numbers: Floats, first: Callable[[Integers], NDArray[Any]]) -> Floats:
    """Return the first days of periods, NaN where none is given. Raises DataError for one that is no date."""
    there = np.isfinite(numbers)
    if np.any(np.abs(numbers[there]) >= MOST_PERIODS):
        raise DataError("A cell of this column lies too far from 1960 to be a date.", discloses=Disclosure.CELL)
    days = np.full(len(numbers), np.nan)
    whole = np.floor(numbers[there]).astype(np.int64)
    days[there] = first(whole).astype("datetime64[D]").astype(np.int64)
    return days


class StataTable(SurveyTable):
    """The variables of a file; its own number of rows is compared: the library takes 2^32 rows for none."""

    function, module, meaning_of = "read_dta", "survey.stata", meaning_of

    @classmethod
    def about(cls, open_file: Opener, encoding: str = "") -> tuple[Any, str | None]:
        """Return what the file says of itself. Raises DataError, ParameterError."""
        found = super().about(open_file, encoding)
        with open_file() as file:
            header = _HEADER.match(file.read(HEADER_BYTES))
        if header is not None:
            order: Literal["little", "big"] = "little" if header["order"] == b"LSF" else "big"
            if int.from_bytes(header["rows"], order) != found[0].number_rows:
                raise DataError(DAMAGED, discloses=Disclosure.FORMAT)
        return found


TABLE = StataTable
