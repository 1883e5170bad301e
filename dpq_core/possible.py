"""Return the possible values of the columns of a table: public knowledge, never read from the data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from .domain.domain import Domain
from .domain.finding import FindBounds
from .domain.numbers import Number
from .domain.significant import SignificantDigits
from .errors import ParameterError, shown
from .frame import MICROSECONDS

Day: TypeAlias = date | np.datetime64
"""A date, or a moment, of which pandas' are some."""
PossibleValues: TypeAlias = (
    Domain | FindBounds | tuple[Number, Number, Number] | tuple[Day, Day] | tuple[Day, Day, Number | timedelta]
)
"""Of a column: a Domain, FindBounds, or its lowest and its highest value and the step between two values.

Of dates the first and the last, and the step in days or as a timedelta; without one it is a day.
"""
AskedColumns: TypeAlias = Mapping[str, PossibleValues] | Mapping[str, object]
"""Columns by name with their possible values, which are checked here: type checkers join those of a mixed dict to
`object`."""


_AS_DATES = ": from datetime import date, and write (date(2000, 1, 1), date(2026, 12, 31))."


@dataclass(frozen=True)
class Possible:
    """The possible values of a column, and whether they were said as dates."""

    bounds: Domain | FindBounds
    dated: bool = False


def possible_of(columns: object) -> dict[str, Possible]:
    """Return the possible values of each column. Raises ParameterError."""
    if not isinstance(columns, Mapping) or not columns:
        raise ParameterError("columns", "must name columns with their possible values, as in {'age': (0, 120, 1)}.")
    return {name: _possible(name, given) for name, given in columns.items()}


def _possible(name: object, given: object) -> Possible:
    if isinstance(given, Domain | FindBounds):
        return Possible(given)
    if not isinstance(given, tuple | list) or len(given) not in {2, 3}:
        raise ParameterError(
            "columns",
            f"must say what values {name!r} can have: (lowest, highest, step), a Domain or FindBounds; "
            f"got {shown(given)}.",
        )
    dated = [isinstance(end, date | np.datetime64) for end in given[:2]]
    if all(dated):
        return Possible(_between(*given), dated=True)
    if any(dated):
        raise ParameterError("columns", f"must give two dates, or two numbers, for {name!r}.")
    if all(isinstance(end, str) and _is_date(end) for end in given[:2]):
        raise ParameterError("columns", f"must give dates for {name!r}, not texts{_AS_DATES}")
    if len(given) == 2:
        raise ParameterError("columns", f"must give the step between two values of {name!r} too, as in (0, 120, 1).")
    return Possible(Domain(*given))


def checked_days(name: str, bounds: Domain | FindBounds) -> Domain | FindBounds:
    """Return the possible values of dates: bounds that are found have a step of a day, where nobody said another.

    Raises ParameterError for significant digits: two digits of days since 1970 are years apart.
    """
    if isinstance(bounds, FindBounds):
        return bounds if bounds.step is not None else FindBounds.from_dict(bounds.as_dict() | {"step": 1})
    if isinstance(bounds.grid, SignificantDigits):
        raise ParameterError("columns", f"must give dates for {name!r}, which holds dates{_AS_DATES}")
    return bounds


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _between(first: Day, last: Day, step: Any = 1) -> Domain:
    """Return the days since 1970-01-01 between two dates."""
    apart = _in_days(np.timedelta64(step)) if isinstance(step, timedelta) else step
    low, high = (_in_days(np.datetime64(end) - np.datetime64(0, "D")) for end in (first, last))
    return Domain(low, high, apart)


def _in_days(duration: np.timedelta64) -> Fraction:
    return Fraction(int(duration.astype("timedelta64[us]").astype(np.int64)), MICROSECONDS)
