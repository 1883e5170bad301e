"""Readers of files that know types and rows: Parquet and Excel (.xlsx)."""

from __future__ import annotations

import datetime as dt
import re
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from ..errors import DataError
from .column import (
    Cancelled,
    Column,
    Kind,
    Progress,
    Values,
    check_stop,
    label_columns,
    make_column,
    position,
)
from .numbers import AMBIGUOUS_DATES, ODD_ONE, AmbiguousDates, BadCell, all_values, parse_cells

BATCH = 1 << 18  # rows
LONGEST_CELL = 400  # bytes of a dictionary entry that are kept: more is no number
MAX_EXCEL_BYTES = 1_000_000_000  # unpacked
MAX_EXCEL_CELLS = 50_000_000  # the Excel reader takes 32 bytes for each cell of the used rectangle, empty or not
CELL_ADDRESS = re.compile(rb"""\sr\s*=\s*["']([A-Za-z]{0,3})(\d{1,10})["']""")

_PER_DAY = {"s": 86_400, "ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}
_PER_SECOND = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}

Sheet = list[tuple[int, list[object]]]  # row number as Excel shows it, cells


def parquet_names(file: pa.NativeFile) -> tuple[str, ...]:
    """Labels of the top-level columns of a Parquet file."""
    return label_columns(pq.ParquetFile(file).schema_arrow.names)


def read_parquet(file: pa.NativeFile, column: str, progress: Progress | None, cancelled: Cancelled | None) -> Column:
    """One column of a Parquet file, read batch by batch."""
    reader = pq.ParquetFile(file)
    labels = parquet_names(file)
    index = position(column, labels)
    field = reader.schema_arrow.field(index)
    twin = reader.schema_arrow.names[:index].count(field.name)  # columns of the same name are read together
    rows = reader.metadata.num_rows
    check_stop(cancelled, rows)
    text = _is_text(field.type)
    if text and _bytes_unpacked(reader.metadata, field.name) > LONGEST_CELL * rows + BATCH:
        raise DataError("The column holds long texts, not numbers; choose another column.")
    reader = pq.ParquetFile(file, read_dictionary=[field.name] if text else None)

    def chunks() -> Iterator[pa.Array]:
        done = 0
        for batch in reader.iter_batches(batch_size=BATCH, columns=[field.name]):
            done += len(batch)
            check_stop(cancelled, done)
            if progress is not None:
                progress(done / rows)
            yield batch.column(twin)

    if text:
        return make_column(column, _parse_rows(lambda: map(_short_text, chunks()), lambda index: index + 1))
    kind, unit, convert = _typed(field.type)
    numbers = np.empty(rows)
    start = 0
    for chunk in chunks():
        numbers[start : start + len(chunk)] = convert(chunk)
        start += len(chunk)
    return make_column(column, Values(numbers[:start], kind, unit))


def excel_names(file: pa.NativeFile) -> tuple[str, ...]:
    """Labels of the columns of the first sheet."""
    return _excel_labels(_excel_sheet(file, None))[0]


def read_excel(file: pa.NativeFile, column: str, progress: Progress | None, cancelled: Cancelled | None) -> Column:
    """One column of the first sheet; blank rows are left out, row numbers are those of Excel."""
    sheet = _excel_sheet(file, cancelled)
    labels, header = _excel_labels(sheet)
    index = position(column, labels)
    rows = sheet[1:] if header else sheet
    if not rows:
        raise DataError("The first sheet has a header but no rows below it.")
    cells = [row[index] for _, row in rows]
    typed = np.array([cell if _is_number(cell) else np.nan for cell in cells], dtype=np.float64)
    texts = pa.array([None if _is_number(cell) else _cell_text(cell) for cell in cells], pa.string())
    values = _parse_rows(lambda: iter([texts]), lambda index: rows[index][0])
    numbers = np.flatnonzero(~np.isnan(typed))
    if values.kind != "number" and len(numbers) > 0:
        raise DataError(f"Row {rows[numbers[0]][0]} {ODD_ONE}.")
    values.numbers[numbers] = typed[numbers]
    if progress is not None:
        progress(1.0)
    return make_column(column, values)


def _parse_rows(chunks: Callable[[], Iterator[pa.Array]], row_number: Callable[[int], int]) -> Values:
    """parse_cells with its errors as sentences."""
    try:
        return parse_cells(chunks)
    except BadCell as bad:
        sentence = f"Row {row_number(bad.index)} {bad.problem}."
    except AmbiguousDates:
        sentence = AMBIGUOUS_DATES
    raise DataError(sentence)


def _is_text(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return str(kind) in {"string", "large_string", "string_view", "binary", "large_binary", "binary_view"}


def _bytes_unpacked(metadata: pq.FileMetaData, name: str) -> int:
    """Size of a column's cells before compression, as the file says."""
    groups = [metadata.row_group(k) for k in range(metadata.num_row_groups)]
    parts = [group.column(k) for group in groups for k in range(group.num_columns)]
    return sum(part.total_uncompressed_size for part in parts if part.path_in_schema == name)


def _short_text(cells: pa.Array) -> pa.Array:
    """Text cells as plain bytes; entries of a dictionary are cut, since each may stand for many rows."""
    if not pa.types.is_dictionary(cells.type):
        return cells.cast(pa.binary())
    short = [entry and entry[:LONGEST_CELL] for entry in cells.dictionary.cast(pa.binary()).to_pylist()]
    return pa.array(short, pa.binary()).take(cells.indices)


def _typed(kind: pa.DataType) -> tuple[Kind, str, Callable[[pa.Array], NDArray[np.float64]]]:
    """Kind, unit and conversion to float64 (NaN for null) of an Arrow type that is not text."""
    types = pa.types
    if types.is_date(kind):
        return "date", "date", lambda cells: _floats(cells.cast(pa.date32()).cast(pa.int32()))
    if types.is_timestamp(kind):
        return "date", "date", lambda cells: _floats(cells.cast(pa.int64())) / _PER_DAY[kind.unit]
    if types.is_duration(kind):
        return "duration", "seconds", lambda cells: _floats(cells.cast(pa.int64())) / _PER_SECOND[kind.unit]
    if types.is_time(kind):
        whole = pa.int32() if types.is_time32(kind) else pa.int64()
        return "duration", "seconds", lambda cells: _floats(cells.cast(whole)) / _PER_SECOND[kind.unit]
    if types.is_boolean(kind):
        return "number", "", lambda cells: _floats(cells.cast(pa.int8()))
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind) or types.is_null(kind):
        return "number", "", _floats
    raise DataError("The column holds neither numbers nor dates nor text; choose another column.")


def _floats(cells: pa.Array) -> NDArray[np.float64]:
    numbers: NDArray[np.float64] = cells.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return numbers


def _excel_sheet(file: pa.NativeFile, cancelled: Cancelled | None) -> Sheet:
    """The rows of the first sheet that are not blank."""
    from python_calamine import CalamineWorkbook

    _check_workbook(file, cancelled)
    file.seek(0)
    sheet: Sheet = []
    with closing(CalamineWorkbook.from_filelike(file)) as workbook:
        for number, row in enumerate(workbook.get_sheet_by_index(0).iter_rows(), start=1):
            if number % 10_000 == 0:
                check_stop(cancelled, number)
            if any(cell != "" for cell in row):
                sheet.append((number, list(row)))
    if not sheet:
        raise DataError("The first sheet of the workbook is empty.")
    return sheet


def _excel_labels(sheet: Sheet) -> tuple[tuple[str, ...], bool]:
    """Labels of the columns, and whether the first row was their header."""
    first = [_cell_text(cell) for cell in sheet[0][1]]
    header = not all_values(first)
    return label_columns(first if header else [""] * len(first)), header


def _check_workbook(file: pa.NativeFile, cancelled: Cancelled | None) -> None:
    """Raises DataError for what the Excel reader would not survive: it reserves the whole used rectangle at once."""
    with zipfile.ZipFile(file) as archive:
        parts = archive.infolist()
        if "xl/workbook.xml" not in archive.namelist():
            raise DataError("The file is a zip archive, not an Excel workbook; unpack it, or save the sheet as .xlsx.")
        if sum(part.file_size for part in parts) > MAX_EXCEL_BYTES:
            raise DataError(f"The workbook unpacks to more than {MAX_EXCEL_BYTES:,} bytes; save the sheet as CSV.")
        width = height = 0
        for part in parts:
            if part.filename.startswith("xl/worksheets/"):
                with archive.open(part) as sheet:
                    wide, high = _used_area(iter(partial(sheet.read, 1 << 22), b""), cancelled)
                width, height = max(width, wide), max(height, high)
    if width * height > MAX_EXCEL_CELLS:
        raise DataError("The used area of the sheet is too large; delete stray cells far from the data or save as CSV.")


def _used_area(blocks: Iterator[bytes], cancelled: Cancelled | None) -> tuple[int, int]:
    """Largest column and row in the cell addresses of a sheet's XML."""
    letters: set[bytes] = set()
    height, tail = 0, b""
    for block in blocks:
        check_stop(cancelled, 0)
        found = CELL_ADDRESS.findall(tail + block)
        letters.update(letter.upper() for letter, _ in found)
        height = max([height, *(int(row) for _, row in found)])
        tail = block[-64:]
    width = max((_column_number(letter) for letter in letters), default=0)
    return max(width, 1), height


def _column_number(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + letter - ord("A") + 1
    return number


def _is_number(cell: object) -> bool:
    return isinstance(cell, int | float)


def _cell_text(cell: object) -> str:
    """A typed Excel cell in the notation that numbers.py reads back."""
    if isinstance(cell, dt.datetime | dt.date | dt.time):
        return cell.isoformat()
    if isinstance(cell, dt.timedelta):
        seconds = cell.total_seconds()
        hours, rest = divmod(abs(seconds), 3600)
        minutes, rest = divmod(rest, 60)
        return f"{'-' if seconds < 0 else ''}{hours:.0f}:{minutes:02.0f}:{rest:09.6f}"
    return "" if cell is None else str(cell)
