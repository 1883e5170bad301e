"""Dates to days since 1970-01-01, durations to seconds: patterns (RE2, named groups) and their arithmetic.

Dates: 2024-01-31 or 2024/01/31, 31.01.2024 (a point means day first), 31/01/2024 and 01/31/2024 (the column decides
which), each with a time of day if need be; time zones are passed over.
Durations: h:mm:ss, "2 days 01:30:00", and h:mm or m:ss (which a person has to say, but for m:ss.ff), not mixed.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..arrays import Floats

_YEAR, _MONTH, _DAY = r"(?P<year>\d{4})", r"(?P<month>0?[1-9]|1[0-2])", r"(?P<day>0?[1-9]|[12]\d|3[01])"
_ZONE = r"(?: ?(?:Z|UTC|[+-]\d\d:?(?:[0-5]\d)?))?"
_TIME = rf"(?:(?:T| +)(?P<hours>[01]?\d|2[0-3]):(?P<minutes>[0-5]\d)(?::(?P<seconds>[0-5]\d(?:\.\d+)?))?{_ZONE})?"

DATES = {
    f"^{_YEAR}(?:-{_MONTH}-{_DAY}){_TIME}$": "",
    f"^{_YEAR}(?:/{_MONTH}/{_DAY}){_TIME}$": "",
    rf"^{_DAY}\.{_MONTH}\.{_YEAR}{_TIME}$": "",
    f"^{_DAY}[/-]{_MONTH}[/-]{_YEAR}{_TIME}$": "day first",
    f"^{_MONTH}[/-]{_DAY}[/-]{_YEAR}{_TIME}$": "month first",
}
_FULL = r"(?P<hours>\d+):(?P<minutes>[0-5]\d):(?P<seconds>[0-5]\d(?:\.\d+)?)"
DURATIONS = {
    rf"^(?:(?P<sign>[+-])|(?P<days>\d+) days?,? )?{_FULL}$": "",
    r"^(?P<sign>[+-])?(?P<hours>\d+):(?P<minutes>[0-5]\d)$": "h:mm",
    r"^(?P<sign>[+-])?(?P<minutes>\d+):(?P<seconds>[0-5]\d(?:\.\d+)?)$": "m:ss",
}
"""Patterns, and what `Reading` calls those that cells may share with another one."""

Parts = dict[str, Floats]


def order_of(pattern: str) -> str:
    """Return how `Reading` calls the order of a pattern of dates, whether another one shares its cells or not."""
    return DATES[pattern] or ("day first" if pattern.index("<day>") < pattern.index("<month>") else "")


def days_since_epoch(cells: pa.Array, pattern: str) -> tuple[Floats, int]:
    """Return days (NaN where missing), and the position of the first date that does not exist, or -1.

    cells must match `pattern`, one of DATES, or be null.
    """
    parts = _parts(cells, pattern)
    present = ~np.isnan(parts["year"])
    days = np.full(len(cells), np.nan)
    months = (12 * (parts["year"][present] - 1970) + parts["month"][present] - 1).astype(np.int64)
    first = months.astype("datetime64[M]").astype("datetime64[D]")
    dates = first + (parts["day"][present] - 1).astype(np.int64)
    wrong = np.flatnonzero(dates.astype("datetime64[M]") != months.astype("datetime64[M]"))
    days[present] = dates.astype(np.int64)
    days += _clock(parts) / 86_400
    return days, int(np.flatnonzero(present)[wrong[0]]) if len(wrong) else -1


def seconds(cells: pa.Array, pattern: str) -> Floats:
    """Return the seconds (NaN where missing) of cells that match `pattern`, one of DURATIONS, or are null."""
    parts = _parts(cells, pattern)
    return np.where(np.signbit(parts["sign"]), -1, 1) * (86_400 * parts.get("days", np.array(0.0)) + _clock(parts))


def duration_text(seconds: float) -> str:
    """Return seconds as text that is read as such: `01:30:00`, `-30:00:00.5`; fractions up to a microsecond."""
    minutes, rest = divmod(round(abs(seconds), 6), 60)
    hours, minutes = divmod(minutes, 60)
    shown = f"{rest:09.6f}".rstrip("0").rstrip(".")
    return f"{'-' * (seconds < 0)}{hours:02.0f}:{minutes:02.0f}:{shown}"


def _clock(parts: Parts) -> Floats:
    return 3600 * parts.get("hours", np.array(0.0)) + 60 * parts["minutes"] + parts.get("seconds", np.array(0.0))


def _parts(cells: pa.Array, pattern: str) -> Parts:
    """Return the named groups of a pattern as numbers: 0 for a group that is absent, NaN for a missing cell."""
    groups = pc.extract_regex(cells, pattern)
    parts = {}
    for field in groups.type:
        text = pc.struct_field(groups, field.name)
        if field.name == "sign":
            text = pc.binary_join_element_wise(text, "0", "")
        text = pc.if_else(pc.equal(text, ""), "0", text)
        parts[field.name] = text.cast(pa.float64()).to_numpy(zero_copy_only=False)
    return parts
