"""Which files a source stands for, and the column in each of them, found but not yet read.

The files of a folder come in the order of their paths. Sub-folders (a partitioned table) are entered; names that begin
with "." or "_" are passed over, as are files whose ending says that they are something else.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf
from pathlib import Path

import pyarrow as pa

from ...arrays import Floats
from ...errors import DataError, Disclosure, ParameterError
from .. import parquet
from ..column import Cancelled, Progress, check_stop, only_clear_errors
from ..excel import column as excel
from ..files import Source, format_of, list_columns, opener
from ..header import find_column
from ..numbers import Ambiguous, BadCell
from ..parquet import Typed
from ..text import delimited, find_layout
from .notation import StreamedCells

Sources = Source | Sequence[Source]

SUFFIXES = (".csv", ".tsv", ".txt", ".parquet", ".pq", ".xlsx")
PACKED = (".gz", ".bz2", ".zst", ".lz4")
UNEVEN = (
    "do not have as many cells as the first row; the file is cut short, a cell with the separator is not in "
    "quotes, or a quote is not closed"
)


@dataclass(frozen=True)
class FileColumn:
    """The column in one file. `name` is "" or begins a sentence about the file; `label` is what it may be called."""

    name: str
    label: str
    size: int  # bytes of the file, for progress
    rows: int | None  # None where only reading tells
    cells: Callable[[Progress | None, Cancelled | None], Iterator[pa.Array]]
    typed: Typed | None  # None for text
    semicolon: bool = False
    decimal: str = ""  # the decimal mark, where the file proves one

    def batches(self, text: StreamedCells, progress: Progress | None, cancelled: Cancelled | None) -> Iterator[Floats]:
        """The numbers, batch by batch; `text` knows how cells were written so far.

        A DataError about cells knows the rows of their batch, counted from 1 without a header.
        """
        rows = 0
        cells = self.cells(progress, cancelled)
        while (chunk := self._next(cells, rows)) is not None:
            check_stop(cancelled, 0)
            try:
                numbers = text.numbers(chunk) if self.typed is None else self.typed.convert(chunk)
            except BadCell as bad:
                error = bad.clear(rows + 1, rows + len(chunk)).beginning(self.name)
            except Ambiguous as doubt:
                error = doubt.clear()
            else:
                rows += len(chunk)
                yield numbers
                continue
            raise error

    def _next(self, cells: Iterator[pa.Array], rows: int) -> pa.Array | None:
        """The next batch of cells, None at the end of the file."""
        try:
            return next(cells, None)
        except pa.ArrowInvalid:
            if self.typed is not None:
                raise
        raise DataError(f"{self.name}Some rows {UNEVEN}.", discloses=Disclosure.SHAPE, row=rows + 1, last_row=inf)


def list_sources(source: Sources) -> list[Source]:
    """One source for each file. Raises DataError where there is none."""
    if isinstance(source, list | tuple):
        found = [file for each in source for file in list_sources(each)]
    elif isinstance(source, str | os.PathLike) and Path(os.fspath(source)).is_dir():
        folder = Path(os.fspath(source))
        found = [path for path in sorted(folder.rglob("*")) if _is_data(path.relative_to(folder)) and path.is_file()]
    else:
        found = [source]  # type: ignore[list-item]  # lists are dealt with above
    if not found:
        raise DataError(
            "There is no file to read: a folder must hold files such as .csv, .csv.gz or .parquet.",
            discloses=Disclosure.FORMAT,
        )
    return found


def _is_data(path: Path) -> bool:
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() not in PACKED]
    return bool(suffixes) and suffixes[-1] in SUFFIXES and not any(name.startswith((".", "_")) for name in path.parts)


def list_file_columns(source: Sources, *, header: bool | None = None) -> tuple[str, ...]:
    """The names of the columns of the first file, as `files.list_columns`. Raises DataError, ParameterError."""
    return list_columns(list_sources(source)[0], header=header)


def find_file_columns(source: Sources, column: str, header: bool | None) -> tuple[FileColumn, ...]:
    """The column in every file; reads heads and footers only.

    Raises ParameterError where the first file does not have it (name "column") or a file does not tell whether it has a
    header (name "header"), DataError for everything else.
    """
    sources = list_sources(source)
    found: list[FileColumn] = []
    for number, each in enumerate(sources, start=1):
        name = f"File {number} of {len(sources)}: " if len(sources) > 1 else ""
        try:
            found.append(_find_like_first(each, column, name, header, sources[0]))
            continue
        except ParameterError as error:
            if not found or error.name == "header":
                raise
            wrong = DataError(f"{name}It has no column of this name.", discloses=Disclosure.PARTS)
        except DataError as error:
            wrong = error.beginning(name)
        raise wrong
    if len({file.semicolon for file in found if file.typed is None}) > 1:
        raise DataError(
            "Some files separate their columns with a semicolon and some do not; read them one by one.",
            discloses=Disclosure.PARTS,
        )
    if {".", ","} <= {file.decimal for file in found if file.typed is None}:
        raise DataError(
            "Some files write decimals with a comma and some with a point; read them one by one.",
            discloses=Disclosure.PARTS,
        )
    return tuple(found)


def decimal_of(files: Sequence[FileColumn]) -> str:
    """The decimal mark of the files together, as `parse_cells` takes it."""
    open_mark = "" if any(file.semicolon for file in files) else "."
    return next((file.decimal for file in files if file.decimal), open_mark)


def _find_like_first(source: Source, column: str, name: str, header: bool | None, first: Source) -> FileColumn:
    """The column of a file, which has a header, too, where it begins with the names of the first file."""
    doubt: ValueError
    try:
        return _find_file_column(source, column, name, header)
    except ParameterError as error:
        doubt, unsure = error, error.name == "header"
    except DataError as error:
        doubt, unsure = error, error.discloses is Disclosure.EMPTY
    if source is first or not unsure or list_columns(source, header=True) != list_columns(first):
        raise doubt
    return _find_file_column(source, column, name, True)


@only_clear_errors
def _find_file_column(source: Source, column: str, name: str, header: bool | None) -> FileColumn:
    open_file = opener(source)
    with open_file() as file:
        size = int(file.size())
    match format_of(open_file):
        case "parquet":
            found = parquet.find_parquet_column(open_file, column)
            return FileColumn(name, found.label, size, found.rows, found.cells, found.typed)
        case "excel":
            read = excel.read_excel(open_file(), column, header, None, None)
            typed = Typed(read.kind, read.unit, lambda cells: cells.to_numpy())
            cells = [pa.array(read.values)]
            return FileColumn(name, read.name, size, read.rows, lambda progress, cancelled: iter(cells), typed)
    layout = find_layout(open_file, header)
    index, label = find_column(column, layout.names)
    delimited.check_end(open_file, layout, index)
    text = partial(delimited.text_cells, open_file, layout, index)
    return FileColumn(name, label, size, None, text, None, layout.separator == ";", layout.proved)
