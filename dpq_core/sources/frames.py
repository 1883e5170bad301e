"""A column of a data frame as Arrow or numpy holds it, by its type, which is public; a refusal names the column."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np

from ..errors import DataError, Disclosure
from ..values import arrow_type, converter, is_arrow, numeric_column

MOMENTS = (datetime.date, datetime.time, datetime.timedelta)


def frame_column(column: Any, name: str, *, numbers: bool) -> Any:
    """Return a column so that it can be read: sparse numbers as plain ones, dates, times and durations as Arrow's.

    numbers: whether it holds values, and not ids or groups. Raises DataError for a type that cannot be read.
    """
    kind = getattr(column, "dtype", None)
    if str(kind).startswith("Sparse"):
        column = np.asarray(column)
    if is_arrow(column):
        return _of_arrow(column, name, numbers=numbers)
    try:
        found = _moments(column, kind)
        return numeric_column(found) if numbers and found is column else found
    except DataError as error:
        raise error.beginning(f"the column {name!r} cannot be read: ") from None


def _moments(column: Any, kind: Any) -> Any:
    """Return Python's dates, times or durations as Arrow's, others as they are."""
    import pyarrow as pa

    cells = column if str(kind) == "object" or isinstance(column, list | tuple) else ()
    first = next((cell for cell in cells if cell is not None and cell is not np.nan), None)
    if not isinstance(first, MOMENTS) or any(isinstance(cell, int | str) for cell in cells):
        return column
    try:
        return pa.array(cells, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):  # of several kinds
        return column


def _of_arrow(column: Any, name: str, *, numbers: bool) -> Any:
    try:
        kind = arrow_type(column)
    except DataError:
        kind = None
    if kind is not None and str(kind).startswith("dictionary"):
        kind = kind.value_type
    if kind is None or (numbers and converter(kind) is None):
        held = getattr(column, "dtype", None) if kind is None else str(kind).partition("<")[0]
        unit = "numbers, dates or durations" if numbers else "ids or groups"
        raise DataError(
            f"the column {name!r} holds values of the type {held}, which cannot be read as {unit}: choose another one, "
            "or convert it first.",
            discloses=Disclosure.KIND,
        )
    return column
