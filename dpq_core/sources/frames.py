"""Columns by name of any kind of table: pandas, polars, pyarrow, duckdb, or a dict of arrays, as Arrow or numpy.

How a column is read hangs on its type, which is public; a refusal names the column.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np

from ..errors import DataError, Disclosure, ParameterError, shown
from ..texts import plain_text
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


_NO_FRAME = "must be a pandas, polars, pyarrow or duckdb table, or a dict of arrays, as in {'age': ages}."


@dataclass(frozen=True, eq=False, repr=False)
class Frame:
    """The columns of a table by name. Private."""

    names: tuple[str, ...]
    _column: Callable[[str], Any]

    def __repr__(self) -> str:
        return f"Frame(names={self.names!r})"

    def column(self, name: object, setting: str) -> Any:
        """Return the column of this name as it is held. Raises ParameterError for `setting`, with the nearest name."""
        if isinstance(name, str) and name not in self.names:  # accents and blanks may be other characters
            name = next((each for each in self.names if plain_text(each) == plain_text(name)), name)
        if not isinstance(name, str) or name not in self.names:
            near = get_close_matches(name, self.names, n=1) if isinstance(name, str) else []
            meant = f" Did you mean {near[0]!r}?" if near else ""
            raise ParameterError(setting, f"must name columns of the table; it has no column {shown(name)}.{meant}")
        if self.names.count(name) > 1:
            named = f"the table has more than one column named {name!r}: rename one of them."
            raise DataError(named, discloses=Disclosure.NAMES)
        return frame_column(_with_dates(self._column(name), name), name, numbers=setting == "columns")

    def is_dated(self, name: str) -> bool:
        """Return whether a column is one of dates or moments, by its type alone."""
        if self.names.count(name) != 1:
            return False
        held = self._column(name)
        kind = str(getattr(held, "dtype", getattr(held, "type", ""))).lower()
        return kind.startswith(("date", "timestamp"))


def is_frame(data: object) -> bool:
    """Return whether `read_frame` would read this as a data frame; a dict, which may hold anything, does not count."""
    named = hasattr(data, "columns") or hasattr(data, "column_names")
    return named and (hasattr(data, "iloc") or hasattr(data, "__arrow_c_stream__") or _is_lazy(data))


def read_frame(frame: object) -> Frame:
    """Return the columns of a table; those that were read already as they are.

    A duckdb relation is evaluated once, so that its rows keep one order, and a stream can be read only once. Raises
    ParameterError, DataError.
    """
    if isinstance(frame, Frame):
        return frame
    if isinstance(frame, Mapping):
        _refuse_other_lengths(frame)
        return Frame(tuple(map(str, frame)), {str(name): column for name, column in frame.items()}.__getitem__)
    if _is_lazy(frame):
        raise ParameterError("frame", "must be evaluated first: call .collect().")
    held: Any = frame
    if hasattr(held, "execute") and hasattr(held, "sql"):
        raise ParameterError("frame", "must be a table of this connection, as in connection.table('visits').")
    if hasattr(held, "columns") and (hasattr(held, "iloc") or hasattr(held, "get_column")):
        own = {str(name): name for name in held.columns}  # which may be numbers
        return Frame(tuple(map(str, held.columns)), lambda name: held[own[name]])
    if (not hasattr(held, "columns") and (hasattr(held, "dtype") or hasattr(held, "type"))) or not hasattr(
        held, "__arrow_c_stream__"
    ):
        raise ParameterError("frame", _NO_FRAME)
    import pyarrow as pa

    try:
        table = held if isinstance(held, pa.Table) else pa.table(held)
    except Exception:  # of other hands, and may quote values
        table = None
    if table is None:
        raise DataError("the table cannot be read: its Arrow stream ended in an error.", discloses=Disclosure.FORMAT)
    return Frame(tuple(table.column_names), table.column)


def _is_lazy(frame: object) -> bool:
    return hasattr(frame, "collect") and not hasattr(frame, "get_column") and not isinstance(frame, Mapping)


def _refuse_other_lengths(columns: Mapping[Any, Any]) -> None:
    """Raise DataError where columns that know how long they are do not agree."""
    lengths = {len(column) for column in columns.values() if hasattr(column, "__len__")}
    if len(lengths) > 1:
        raise DataError("the columns of a table must have the same number of rows.", discloses=Disclosure.SHAPE)


IN_ARROW = ("s", "ms", "us", "ns")  # units of dates and durations of numpy; seconds hold those of others


def _with_dates(column: Any, name: str) -> Any:
    """Return numpy's dates and durations as Arrow's, other columns as they are. Raises DataError."""
    kind = getattr(getattr(column, "dtype", None), "kind", "")
    if kind not in ("m", "M"):
        return column
    import pyarrow as pa

    if getattr(column.dtype, "tz", None) is not None:
        return pa.array(column)
    held = np.asarray(column)
    unit, refused = np.datetime_data(held.dtype)[0], ("generic", "ps", "fs", "as", *["Y", "M"] * (kind == "m"))
    found = held if unit in (*IN_ARROW, *refused) else held.astype(f"{kind}8[s]")  # may wrap around
    if unit in refused or not np.array_equal(found.astype(held.dtype), held, equal_nan=True):
        raise DataError(
            f"the column {name!r} holds dates or durations in a unit that cannot be read: convert them to seconds "
            "first, as in .astype('M8[s]') or .astype('m8[s]').",
            discloses=Disclosure.KIND,
        )
    return pa.array(found)
