"""Read a column as the caller holds it: lists, numpy, pandas, or any Arrow stream (polars, duckdb, pyarrow, ...).

Arrow's types decide what its values mean, by the rule for Parquet files (`sources.parquet`): nulls are missing, dates
and timestamps count days since 1970-01-01, by the clocks of their time zone if they have one, durations and times of
day seconds. An Arrow column is read chunk by chunk, and a stream of a table has one column. Errors of a library that
makes a stream may quote values, so they are replaced.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date, time, timedelta
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .arrays import ColumnLike, Floats
from .errors import DataError, Disclosure

if TYPE_CHECKING:  # it is loaded where there is a stream
    import pyarrow as pa

Converter: TypeAlias = Callable[["pa.Array"], Floats]

_PER_DAY = {"s": 86_400, "ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}
_PER_SECOND = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
_NO_NUMBERS = "the values must be numbers, dates or durations, not text or anything else."
ROWS_AT_ONCE = 1 << 20
LARGEST_ID = 2.0**128
"""No whole number that is an id is as large."""
ROUNDED = (
    "whole numbers of this size are rounded in a column of floats, so that two ids or groups may have become one: hand "
    "them in as whole numbers or texts."
)
_BROKEN = "the values cannot be read: their Arrow stream ended in an error."


def numeric_column(values: ColumnLike) -> NDArray[np.generic]:
    """Return the values as a one-dimensional array of integers or floats; what is missing becomes NaN.

    Raises DataError.
    """
    if isinstance(values, Iterator) or is_arrow(values):
        chunks = list(number_batches(values))
        return chunks[0] if len(chunks) == 1 else np.concatenate([np.empty(0), *chunks])
    if isinstance(values, np.ma.MaskedArray):
        values = np.ma.filled(values.astype(np.float64), np.nan)
    try:
        column = np.asarray(values)
        if column.size == 0:
            column = column.astype(np.float64)
        if column.dtype.kind == "O" and not any(isinstance(cell, str | bytes) for cell in column.flat):
            column = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise DataError("the values must be one column of numbers; missing ones may be None or NaN.") from None
    if column.ndim != 1:
        raise DataError(f"the values must be one column, got an array of {column.ndim} dimensions.")
    if column.dtype.kind not in "iufb":
        raise DataError(f"the values must be numbers, got dtype {column.dtype}.")
    return shortest_decimals(column) if column.dtype in DIGITS else column


def number_batches(values: ColumnLike) -> Iterator[NDArray[np.generic]]:
    """Yield the values in batches of integers or floats: chunks of Arrow, those of an iterator, or all at once.

    Raises DataError.
    """
    if is_arrow(values):
        for chunk in chunks_of(values):
            yield _safely(partial(_numbers, chunk))
    elif isinstance(values, Iterator):
        yield from map(numeric_column, values)
    else:
        yield numeric_column(values)


def mixed_column(values: Any) -> NDArray[np.generic] | None:
    """Return ids or groups as one column, each as it was, or None where they are none.

    A list becomes a column of objects, since an array of mixed types would turn numbers into texts. Raises DataError.
    """
    if isinstance(values, str | bytes):
        return None
    if isinstance(values, np.ma.MaskedArray):
        masked = np.ma.getmaskarray(values)
        values = np.array(values, dtype=object)
        values[masked] = None
    try:
        if hasattr(values, "__array__"):
            column = np.asarray(values)
        else:
            given = list(values)
            column = np.empty(len(given), dtype=object)
            column[:] = given
    except (TypeError, ValueError):
        return None
    if column.ndim != 1:
        return None
    refuse_rounded(column)
    return column


def refuse_rounded(column: NDArray[np.generic]) -> None:
    """Raise DataError where a float of ids or groups is so large that it holds several whole numbers.

    From 2^53 on (2^24 in 32 bits) neighbouring whole numbers are one float: two persons may have become one before.
    """
    if column.dtype.kind == "f" and column.dtype.itemsize <= 8:
        floats: Any = column.dtype
        limit = 2.0 ** (np.finfo(floats).nmant + 1)
        size = np.abs(column.astype(np.float64, copy=False))
        if np.any((size >= limit) & (size < LARGEST_ID)):
            raise DataError(ROUNDED, discloses=Disclosure.CELL)


def arrow_type(values: Any) -> Any:
    """Return the type of an Arrow column's values. Raises DataError."""
    import pyarrow as pa

    if isinstance(values, pa.Array | pa.ChunkedArray):
        return values.type
    return next((chunk.type for chunk in chunks_of(values)), pa.null())


def as_arrow(column: Any, *, of_groups: bool = False) -> Any:
    """Return a column as Arrow has it, by its type; others as they are.

    of_groups: whether it holds groups: numbers of numpy are turned then, too, and cells of Python are not, since each
    is called by itself. Of values these are turned where all are of one kind. Raises DataError for dates and durations
    of numpy in a unit that Arrow does not have.
    """
    import pyarrow as pa

    if str(getattr(column, "dtype", "")).startswith("Sparse"):
        column = np.asarray(column)
    if is_arrow(column) or isinstance(column, Iterator):
        return column
    held = getattr(column, "dtype", None)
    if isinstance(held, np.dtype) and held.kind in "mM":
        return _dates(np.asarray(column))
    of_python = isinstance(column, list | tuple) or str(held) == "object"
    if of_python and (of_groups or not _are_of_one_kind(column)):
        return column
    if not of_python and (held is None or (isinstance(held, np.dtype) and held.kind in "iufb" and not of_groups)):
        return column
    try:
        return pa.array(column, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return column


KINDS = (str, bytes, int, float, Decimal, date, time, timedelta, np.generic)
MISSING_KINDS = ("NoneType", "NAType", "NaTType")


def _are_of_one_kind(cells: Any) -> bool:
    """Return whether all cells that are not missing have one type, and moments one time zone."""
    if getattr(cells, "ndim", 1) != 1:
        return False
    kinds = {kind for kind in set(map(type, cells)) if kind.__name__ not in MISSING_KINDS}
    if float in kinds and all(cell != cell for cell in cells if type(cell) is float):
        kinds.discard(float)
    if kinds <= {int, float}:
        return len(cells) > 0
    kind = kinds.pop()
    if kinds or not issubclass(kind, KINDS):
        return False
    return not hasattr(kind, "tzinfo") or len({str(cell.tzinfo) for cell in cells if isinstance(cell, kind)}) == 1


IN_ARROW = ("s", "ms", "us", "ns")
"""Units of dates and durations; seconds hold those of others."""


def _dates(held: NDArray[np.generic]) -> pa.Array:
    """Return dates or durations of numpy as Arrow's. Raises DataError."""
    import pyarrow as pa

    kind = held.dtype.kind
    unit, refused = np.datetime_data(held.dtype)[0], ("generic", "ps", "fs", "as", *["Y", "M"] * (kind == "m"))  # type: ignore[arg-type]
    found = held if unit in (*IN_ARROW, *refused) else held.astype(f"{kind}8[s]")  # may wrap around
    if unit in refused or not np.array_equal(found.astype(held.dtype), held, equal_nan=True):
        raise DataError(
            "it holds dates or durations in a unit that cannot be read: convert them to seconds first, as in "
            ".astype('M8[s]') or .astype('m8[s]').",
            discloses=Disclosure.KIND,
        )
    return pa.array(found)


def is_arrow(values: Any) -> bool:
    """Return whether values are to be read through Arrow: all that offers it, unless numpy holds it."""
    if isinstance(values, np.ndarray) or isinstance(getattr(values, "dtype", None), np.dtype):
        return False
    return hasattr(values, "__arrow_c_stream__") or hasattr(values, "__arrow_c_array__")


def converter(kind: pa.DataType) -> Converter | None:
    """Return what makes float64, NaN for null, of values of an Arrow type; None for text and all that is no number."""
    import pyarrow as pa
    import pyarrow.compute as pc

    types = pa.types
    if types.is_date(kind):
        return lambda cells: _floats(cells.cast(pa.date32()).cast(pa.int32()))
    if types.is_timestamp(kind):
        if kind.tz is None:
            return lambda cells: _floats(cells.cast(pa.int64())) / _PER_DAY[kind.unit]
        # the day is that of the place, not that of UTC
        return lambda cells: _floats(pc.local_timestamp(cells).cast(pa.int64())) / _PER_DAY[kind.unit]
    if types.is_duration(kind):
        return lambda cells: _floats(cells.cast(pa.int64())) / _PER_SECOND[kind.unit]
    if types.is_time(kind):
        whole = pa.int32() if types.is_time32(kind) else pa.int64()
        return lambda cells: _floats(cells.cast(whole)) / _PER_SECOND[kind.unit]
    if types.is_boolean(kind):
        return lambda cells: _floats(cells.cast(pa.int8()))
    if types.is_float32(kind) or types.is_float16(kind):
        return lambda cells: shortest_decimals(cells.to_numpy(zero_copy_only=False))
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind) or types.is_null(kind):
        return _floats
    return None


def _floats(cells: pa.Array) -> Floats:
    import pyarrow as pa

    numbers: Floats = cells.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return numbers


def _numbers(chunk: pa.Array) -> Floats:
    cells = _decoded(chunk)
    convert = converter(cells.type)
    if convert is None:
        raise DataError(_NO_NUMBERS)
    return convert(cells)


def _decoded(chunk: pa.Array) -> pa.Array:
    """Return the values themselves where a chunk holds places in a dictionary; text in the type that can be counted."""
    import pyarrow as pa

    if pa.types.is_dictionary(chunk.type):
        return _decoded(chunk.dictionary).take(chunk.indices)
    return chunk.cast(pa.large_string()) if str(chunk.type) in {"string", "string_view"} else chunk


def chunks_of(values: Any) -> Iterator[pa.Array]:
    """Yield the chunks of an Arrow column, of a stream or of a table of one column. Raises DataError."""
    import pyarrow as pa

    def opened() -> Iterator[pa.Array]:
        if isinstance(values, pa.Array):
            return iter([values])
        if isinstance(values, pa.ChunkedArray) or hasattr(values, "dtype"):  # no table, though structs look like one
            return iter(pa.chunked_array(values).chunks)
        if not hasattr(values, "__arrow_c_stream__"):
            found = pa.array(values)
            return iter([pa.RecordBatch.from_struct_array(found) if pa.types.is_struct(found.type) else found])
        try:
            return iter(pa.RecordBatchReader.from_stream(values))
        except pa.ArrowInvalid:  # no table
            return iter(pa.chunked_array(values).chunks)

    chunks = _safely(opened)
    while (chunk := _safely(partial(next, chunks, None))) is not None:
        yield _safely(partial(_single, chunk))


def batches_of(values: Any) -> Iterator[pa.Array]:
    """Yield an Arrow column in batches of ROWS_AT_ONCE, whose texts fit into one array. Raises DataError."""
    for chunk in chunks_of(values):
        yield from (chunk.slice(at, ROWS_AT_ONCE) for at in range(0, len(chunk), ROWS_AT_ONCE))


def _single(chunk: pa.Array | pa.RecordBatch) -> pa.Array:
    """Return the column of a chunk of a table that has one; others as they are."""
    import pyarrow as pa

    if isinstance(chunk, pa.Array):
        return chunk
    columns = chunk.columns
    if len(columns) != 1:
        raise DataError(f"the values must be one column, got a table of {len(columns)}.")
    return columns[0]


def _safely(read: Callable[[], Any]) -> Any:
    """Return what is read; of an error of other hands nothing is kept, since it may quote values."""
    try:
        return read()
    except DataError:
        raise
    except Exception:
        clear = DataError(_BROKEN)
    raise clear


# Numbers of 32 or 16 bits are read as the decimals that they were written from. What stores 0.7 in 32 bits holds
# 0.699999988, which would fall below the value 0.7 of a grid: it is read as the shortest decimal that is stored as the
# same 32 bits; in 16 bits likewise, where whole numbers stay as they are.

DIGITS = {np.dtype(np.float32): range(6, 10), np.dtype(np.float16): range(1, 6)}
"""Any six digits survive 32 bits, and nine tell all of them apart; of 16 bits at most
three and five, and fewer of the least ones."""
FULL_DIGITS = 15
"""Any decimal of this number of digits survives 64 bits."""
EXACT_POWERS = 22
"""Powers of ten that a float64 holds exactly: a whole number over one of them is rounded once, to the nearest."""


def shortest_decimals(stored: NDArray[np.float32 | np.float16]) -> Floats:
    """Return the float64 nearest to the shortest decimal of each number, same shape (n,); others as they are."""
    found = stored.astype(np.float64)
    there = np.isfinite(found) & (found != 0)
    if stored.dtype == np.float16:
        there &= found != np.rint(found)
    left = np.flatnonzero(there)
    for digits in DIGITS[stored.dtype]:
        if not left.size:
            break
        exact = found[left]
        decimal = _rounded(exact, digits)
        same = decimal.astype(stored.dtype) == stored[left]
        found[left[same]] = decimal[same]
        left = left[~same]
    return found


def times_100(shares: Floats) -> Floats:
    """Return shares of one as percentages: 0.07 is 7, though 100 times its float64 is 7.000000000000001."""
    return _nearest_decimals(shares * 100)


def by_100(percentages: Floats) -> Floats:
    """Return percentages as shares of one: 12.34 is 0.1234."""
    return _nearest_decimals(percentages / 100)


def _nearest_decimals(numbers: Floats) -> Floats:
    """Return numbers with the rounding of one operation taken back: the nearest ones of FULL_DIGITS digits."""
    found = numbers.copy()
    there = np.isfinite(found) & (found != 0)
    found[there] = _rounded(found[there], FULL_DIGITS)
    return found


def _rounded(numbers: Floats, digits: int) -> Floats:
    """Return numbers with this number of digits; unchanged if the power of ten is too large to be exact."""
    power = digits - 1 - np.floor(np.log10(np.abs(numbers))).astype(np.int64)
    scale = 10.0 ** np.minimum(np.abs(power), EXACT_POWERS)
    up = power >= 0
    whole = np.rint(np.where(up, numbers * scale, numbers / scale))
    return np.where(np.abs(power) <= EXACT_POWERS, np.where(up, whole / scale, whole * scale), numbers)
