"""One column out of a CSV, TSV, Parquet or Excel file, or out of pasted text.

The content decides what a file is, not its name. Errors are sentences with a row number at most: as in a spreadsheet,
where the header is row 1 (Parquet has none: there row 1 is the first of the data). They never hold a cell.
"""

from __future__ import annotations

import io
import os
import re
from functools import partial
from typing import BinaryIO

import pyarrow as pa

from ..errors import DataError
from . import delimited, excel, parquet
from .column import Cancelled, Column, Progress, label_columns, make_column, only_clear_errors
from .layout import Opener, find_layout
from .numbers import MISSING, Ambiguous, BadCell, all_values, parse_cells

Source = str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO


@only_clear_errors
def list_columns(source: Source) -> tuple[str, ...]:
    """The names of the columns, unique: a blank one is "column k", a repeated one "age (2)".

    A text file or sheet whose first row holds only values has no header; its columns are "column 1" and on.
    Raises DataError.
    """
    open_file = opener(source)
    match format_of(open_file):
        case "parquet":
            return parquet.parquet_names(open_file())
        case "excel":
            return excel.excel_names(open_file())
    return find_layout(open_file).names


@only_clear_errors
def read_column(
    source: Source, column: str, *, progress: Progress | None = None, cancelled: Cancelled | None = None
) -> Column:
    """One column as float64, in the order of the file.

    progress is called with the share read so far (it starts over when the cells turn out not to be plain numbers),
    cancelled is asked between batches; True ends in ReadingCancelled.
    Raises ParameterError (name "column") for a column that is not there, and DataError for everything else.
    """
    open_file = opener(source)
    match format_of(open_file):
        case "parquet":
            return parquet.read_parquet(open_file, column, progress, cancelled)
        case "excel":
            return excel.read_excel(open_file(), column, progress, cancelled)
    return delimited.read_delimited(open_file, column, progress, cancelled)


@only_clear_errors
def read_pasted(text: str) -> Column:
    """Values typed or pasted: one per line, written as in a file, or lists with space, tab, ";" or comma between.

    A heading above the values is allowed. A blank line above a value is a missing value, blank lines at the end are
    none. In lists an empty place between two separators is a missing value and a blank line is none. Spaces always part
    values here, so thousands need another mark; commas do so in "1,2,3" and in a single line with several of them.
    Raises DataError; its row counts lines, or the values of a list.
    """
    lines = [(number, line.strip(" ")) for number, line in enumerate(text.lstrip("\ufeff").splitlines(), start=1)]
    filled = [at for at, (_, line) in enumerate(lines) if line.strip()]
    if not filled:
        raise DataError("There is nothing to read; type or paste numbers, one per line.")
    lines = lines[: filled[-1] + 1]
    name = "pasted"
    heading = lines[filled[0]][1].strip()
    if len(filled) > 1 and heading[0].isalpha() and heading.lower() not in MISSING and not all_values([heading]):
        name, lines = label_columns([heading])[0], lines[filled[0] + 1 :]
    cut = _list_cut([line.strip() for _, line in lines])
    if cut:
        values = [value for _, line in lines if line.strip() for value in re.split(cut, line.strip(" ,;"))]
        lines = list(enumerate(values, start=1))
    cells = pa.array([line for _, line in lines], pa.string())
    try:
        return make_column(name, parse_cells(lambda: [cells], decimal="" if ";" in text else "."))
    except BadCell as bad:
        sentence = f"Row {lines[bad.index][0]} {bad.problem}."
    except Ambiguous as doubt:
        sentence = str(doubt)
    raise DataError(sentence)


def _list_cut(lines: list[str]) -> str:
    """The pattern at which to cut pasted lines that hold several values; "" for one value per line."""
    if any(re.search(r"[\d.%],?[;\t ][\s;,]*[-+−.\d]", line) and ":" not in line for line in lines):
        return r" *[;\t] *| *, +| +"
    grouped = re.compile(r"\D*\d{1,3}(,\d{3})+(\.\d*)?\D*")
    if any(line.count(",") > 1 and (len(lines) == 1 or not grouped.fullmatch(line)) for line in lines):
        return ","
    return ""


def opener(source: Source) -> Opener:
    """A function that opens the source at its start; a file object is read into memory, once."""
    if isinstance(source, str | os.PathLike):
        return partial(_open_path, os.fspath(source))
    if isinstance(source, bytes | bytearray | memoryview):
        return partial(pa.BufferReader, source)
    if isinstance(source, io.BytesIO):
        return partial(pa.BufferReader, source.getvalue())  # not a copy
    source.seek(0)
    return partial(pa.BufferReader, source.read())


def _open_path(path: str) -> pa.NativeFile:
    try:
        return pa.OSFile(path)
    except OSError:
        pass
    raise DataError("The file cannot be opened; check that it exists and may be read.")


def format_of(open_file: Opener) -> str:
    """What the first bytes say: "parquet", "excel" or "text"; raises DataError for formats that cannot be read."""
    with open_file() as file:
        start = bytes(file.read(8))
    if start.startswith(b"PAR1"):
        return "parquet"
    if start.startswith(b"PARE"):
        raise DataError("The Parquet file is encrypted; save it without encryption.")
    if start.startswith(b"PK\x03\x04"):
        return "excel"
    if start.startswith(b"\xd0\xcf\x11\xe0"):
        raise DataError("The workbook is protected by a password or in the old .xls format; save it as plain .xlsx.")
    return "text"
