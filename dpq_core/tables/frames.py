"""Read columns by name from any kind of table: pandas, polars, pyarrow, duckdb, or a dict of arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np

from ..errors import DataError, ParameterError, shown

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
        if not isinstance(name, str) or name not in self.names:
            near = get_close_matches(name, self.names, n=1) if isinstance(name, str) else []
            meant = f" Did you mean {near[0]!r}?" if near else ""
            raise ParameterError(setting, f"must name columns of the table; it has no column {shown(name)}.{meant}")
        if self.names.count(name) > 1:
            raise DataError(f"the table has more than one column named {name!r}: rename one of them.")
        return _with_dates(self._column(name), name)

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
    """Return the columns of a table. A duckdb relation is evaluated once, so that its rows keep one order.

    Raises ParameterError, DataError.
    """
    if isinstance(frame, Mapping):
        _refuse_other_lengths(frame)
        return Frame(tuple(map(str, frame)), {str(name): column for name, column in frame.items()}.__getitem__)
    if _is_lazy(frame):
        raise ParameterError("frame", "must be evaluated first: call .collect().")
    held: Any = frame
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
        raise DataError("the table cannot be read: its Arrow stream ended in an error.")
    return Frame(tuple(table.column_names), table.column)


def _is_lazy(frame: object) -> bool:
    return hasattr(frame, "collect") and not hasattr(frame, "get_column") and not isinstance(frame, Mapping)


def _refuse_other_lengths(columns: Mapping[Any, Any]) -> None:
    """Raise DataError where columns that know how long they are do not agree."""
    lengths = {len(column) for column in columns.values() if hasattr(column, "__len__")}
    if len(lengths) > 1:
        raise DataError("the columns of a table must have the same number of rows.")


IN_ARROW = {"M": {"Y": "D", "M": "D", "W": "D", "h": "s", "m": "s"}, "m": {"W": "s", "D": "s", "h": "s", "m": "s"}}
"""The unit in which Arrow holds numpy's dates (M) and durations (m), for each unit that it does not know."""


def _with_dates(column: Any, name: str) -> Any:
    """Return a column of numpy's dates and durations as Arrow's, which are read as days and seconds; others as is.

    Raises DataError for units that Arrow cannot hold exactly.
    """
    kind = getattr(getattr(column, "dtype", None), "kind", "")
    if kind not in {"m", "M"}:
        return column
    import pyarrow as pa

    if getattr(column.dtype, "tz", None) is not None:
        return pa.array(column)
    held = np.asarray(column)
    unit = np.datetime_data(held.dtype)[0]
    try:
        found = pa.array(held.astype(f"{kind}8[{IN_ARROW[kind].get(unit, unit)}]"))  # may wrap around
        if np.array_equal(found.to_numpy(zero_copy_only=False).astype(held.dtype), held, equal_nan=True):
            return found
    except pa.ArrowNotImplementedError:
        pass
    raise DataError(
        f"the column {name!r} has {'dates' if kind == 'M' else 'durations'} in a unit that cannot be read: convert "
        f"them to {'days or seconds' if kind == 'M' else 'seconds'} first, as in .astype('{kind}8[s]')."
    )
