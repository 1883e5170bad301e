"""Reader of delimited text (CSV, TSV): finds the layout from the first lines, then streams one column as text.

The layout is the separator (tab, semicolon, bar or comma), the encoding (UTF-8, UTF-16 with its mark, else
Windows-1252) and the header. A first row of nothing but values is data, not a header. A line "sep=;" is understood,
compressed text is unpacked.
Blank lines are no rows of the column, but they do count in the row numbers of errors.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice

import pyarrow as pa
import pyarrow.csv as pa_csv

from ..errors import DataError
from .column import Cancelled, Column, Progress, Values, check_stop, label_columns, make_column, position
from .numbers import AMBIGUOUS_DATES, MISSING, AmbiguousDates, BadCell, Chunks, all_values, parse_cells
from .unpacking import text_stream

SAMPLE = 1 << 20  # bytes looked at to find the layout
SAMPLE_ROWS = 200
BLOCK = 1 << 22  # bytes of text per batch; a longer row is refused
SEPARATORS = "\t;|,"  # in order of preference when they fit equally well
BLANK = " \t\r\n"
NO_SEPARATOR = "\x1f"  # for a file of one column: a character that text does not contain
SPELLINGS = sorted({spell(word) for word in MISSING for spell in (str, str.upper, str.title)} | {"NaN", "NaT"})

Opener = Callable[[], pa.NativeFile]  # opens the file at its start; called once per pass
Rows = Callable[[], Iterator[tuple[int, list[str]]]]  # row numbers and cells


@dataclass(frozen=True)
class Layout:
    """How a text file is laid out."""

    encoding: str  # "utf-16" or "utf-8"; the latter lets stray Windows-1252 through to the cells
    separator: str
    skip: int  # lines before the first row
    header: bool  # whether that row holds the names
    names: tuple[str, ...]


def find_layout(open_file: Opener) -> Layout:
    """Encoding, separator and names of a text file, from its first lines."""
    with open_file() as file:
        head = bytes(text_stream(file).read(SAMPLE + 1))
    encoding, text = _decode(head)
    if "\0" in text:
        raise DataError("The file is not CSV, Parquet or Excel (.xlsx) that can be read; save it as UTF-8 CSV.")
    lines = io.StringIO(text, newline="").readlines()
    if len(head) > SAMPLE and len(lines) > 1:
        lines.pop()  # may be cut
    skip = next((k for k, line in enumerate(lines) if line.strip()), None)
    if skip is None:
        raise DataError("The file is empty.")
    separator = ""
    if hint := re.fullmatch(r'"?sep=([,;|\t])"?', lines[skip].strip("\r\n")):
        separator = hint[1]
        skip += 1
    body = "".join(lines[skip:])
    separator = separator or _separator(body)
    first = next(iter(_records(body, separator, 1)), None)
    if not first:
        raise DataError("The file has no rows, or its first row is damaged.")
    header = not all_values(first)
    return Layout(encoding, separator, skip, header, label_columns(first if header else [""] * len(first)))


def _decode(head: bytes) -> tuple[str, str]:
    """Encoding and text of the first bytes, of which the last character may be cut."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16", codecs.getincrementaldecoder("utf-16")("replace").decode(head)
    try:
        return "utf-8", codecs.getincrementaldecoder("utf-8-sig")().decode(head)
    except UnicodeDecodeError:
        return "utf-8", head.decode("cp1252", "replace")


def _separator(text: str) -> str:
    """The separator with which most rows have as many cells as the first one, and more than one."""
    best, share = NO_SEPARATOR, 0.0
    for separator in SEPARATORS:
        widths = [len(record) for record in _records(text, separator, SAMPLE_ROWS) if record]
        if not widths or widths[0] < 2:
            continue
        fit = widths.count(widths[0]) / len(widths)
        if fit > share:
            best, share = separator, fit
    return best


def _records(text: str, separator: str, most: int) -> list[list[str]]:
    """The first rows as lists of cells, up to one that cannot be read."""
    records: list[list[str]] = []
    with suppress(csv.Error):
        records.extend(islice(csv.reader(io.StringIO(text, newline=""), delimiter=separator), most))
    return records


def read_delimited(open_file: Opener, column: str, progress: Progress | None, cancelled: Cancelled | None) -> Column:
    """One column of a text file; plain numbers take one pass over it, others more."""
    layout = find_layout(open_file)
    index = position(column, layout.names)

    def chunks(skip_blank: bool) -> Iterator[pa.Array]:
        rows = 0
        for cells in text_cells(open_file, layout, index, progress, cancelled, skip_blank=skip_blank):
            rows += len(cells)
            check_stop(None, rows)
            yield cells

    rows = partial(_rows, open_file, layout, cancelled)
    values = _parse(layout, partial(chunks, False), rows)
    if values is None:
        sentence = _uneven_row(rows, len(layout.names))
        values = None if sentence else _parse(layout, partial(chunks, True), rows)
        if values is None:
            raise DataError(sentence or "The file cannot be split into rows; look for a quote that is not closed.")
    if len(values.numbers) == 0:
        raise DataError("The file has a header but no rows below it.")
    return make_column(column, values)


def _parse(layout: Layout, chunks: Chunks, rows: Rows) -> Values | None:
    """parse_cells with its errors as sentences; None if the rows do not have the same number of cells."""
    try:
        return parse_cells(chunks, semicolon=layout.separator == ";")
    except pa.ArrowInvalid:
        return None
    except AmbiguousDates:
        sentence = AMBIGUOUS_DATES
    except BadCell as bad:
        sentence = f"{_row_name(rows, bad.index + layout.header)} {bad.problem}."
    raise DataError(sentence)


def text_cells(
    open_file: Opener,
    layout: Layout,
    index: int,
    progress: Progress | None,
    cancelled: Cancelled | None,
    *,
    skip_blank: bool = False,
) -> Iterator[pa.Array]:
    """The cells of one column as bytes, without the header, batch by batch; memory does not grow with the file.

    skip_blank leaves out all rows of a wrong length; to be used when these are known to be blank. (A handler that looks
    at the row would print an error when it is not UTF-8.) Raises ArrowInvalid where rows differ in length.
    """
    names = [f"c{k}" for k in range(len(layout.names))]
    with open_file() as file:
        size = max(file.size(), 1)
        batches = pa_csv.open_csv(
            text_stream(file),
            read_options=pa_csv.ReadOptions(
                column_names=names, block_size=BLOCK, skip_rows=layout.skip, encoding=layout.encoding
            ),
            parse_options=pa_csv.ParseOptions(
                delimiter=layout.separator,
                newlines_in_values=True,
                invalid_row_handler=(lambda row: "skip") if skip_blank else None,
            ),
            convert_options=pa_csv.ConvertOptions(
                include_columns=[names[index]],
                column_types={names[index]: pa.binary()},
                null_values=SPELLINGS,
                strings_can_be_null=True,
            ),
        )
        header = layout.header
        for batch in batches:
            check_stop(cancelled, 0)
            if progress is not None:
                progress(min(file.tell() / size, 1.0))
            cells = batch.column(0)
            yield cells.slice(1) if header and len(cells) else cells
            header = header and not len(cells)


def _rows(open_file: Opener, layout: Layout, cancelled: Cancelled | None) -> Iterator[tuple[int, list[str]]]:
    """Row numbers and cells of the rows that are not blank, header first: slow, only to name the row of an error."""
    with open_file() as file:
        encoding = "utf-8-sig" if layout.encoding == "utf-8" else layout.encoding
        lines = io.TextIOWrapper(text_stream(file), encoding, errors="replace", newline="")
        for number, record in enumerate(csv.reader(lines, delimiter=layout.separator), start=1):
            if number % 100_000 == 0:
                check_stop(cancelled, 0)
            blank = not record or (len(record) == 1 < len(layout.names) and not record[0].strip(BLANK))
            if number > layout.skip and not blank:
                yield number, record


def _row_name(rows: Rows, index: int) -> str:
    """What to call the row at this position, the header being at 0: "Row 7"."""
    with suppress(StopIteration, csv.Error):
        number, _ = next(islice(rows(), index, None))
        return f"Row {number}"
    return "A row"


def _uneven_row(rows: Rows, width: int) -> str:
    """The sentence about the first row that has too few or too many cells; "" if there is none."""
    with suppress(csv.Error):
        for number, record in rows():
            if len(record) != width:
                return (
                    f"Row {number} does not have as many cells as the first row ({len(record)}, not {width}); "
                    "put cells that contain the separator in quotes and fill up short rows."
                )
    return ""
