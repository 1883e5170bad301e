"""Dates in tables of answers: mechanisms and `.values` have days since 1970-01-01, a table has dates."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

MICROSECONDS = 86_400_000_000
"""Of a day."""


def iso_date(days: float) -> str:
    """Return the calendar date of a value in days since 1970-01-01: `iso_date(19753.5)` is "2024-01-31"."""
    return str(np.datetime64(int(np.floor(days)), "D"))


def as_dates(frame: pd.DataFrame, headings: Iterable[str]) -> pd.DataFrame:
    """Return a table in which these columns of days are datetime64; an open end of an interval is NaT there."""
    return frame.assign(**{heading: _moments(frame[heading].to_numpy()) for heading in headings})


def dates_in_words(frame: pd.DataFrame, columns: Collection[str], headings: Iterable[str]) -> pd.DataFrame:
    """Return a table in which these columns of days hold dates as texts, in the rows that answer one of `columns`.

    Ends of intervals that are open or not there stay as they are.
    """
    dated = frame["column"].isin(list(columns))
    if not dated.any():
        return frame

    def written(days: float, is_date: bool) -> str | float:
        return iso_date(days) if is_date and isfinite(days) else days

    return frame.assign(**{heading: list(map(written, frame[heading], dated)) for heading in headings})


def _moments(days: Any) -> Any:
    known = np.isfinite(days)
    moments = np.full(days.shape, np.datetime64("NaT"), "datetime64[us]")
    moments[known] = np.rint(days[known] * MICROSECONDS).astype(np.int64).astype("datetime64[us]")
    return moments
