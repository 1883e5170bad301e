"""One column out of a file of any format that formats/known.py lists, or out of pasted text.

The content decides what a file is, not its name. Errors are sentences without a cell or a row; where it is known, the
row is an attribute: as in a spreadsheet, where the header is row 1 (Parquet, SPSS and Stata have none: there row 1 is
the first of the data). What they reveal about the data is listed in `errors.Disclosure`.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from typing import BinaryIO

import pyarrow as pa

from ..errors import DataError, Disclosure, ParameterError
from ..progress import unheard
from .column import Column, Progress, label_columns, make_column, only_clear_errors
from .formats import known
from .formats.encodings import checked_encoding
from .formats.reader import Layout as Layout  # other modules ask for it here
from .formats.reader import Place, SaidOfLayout
from .found import FileColumn, Opener, clear_fields, read_whole
from .header import could_be_values, find_column
from .notation import parse_fields
from .numbers import are_values
from .reading import AS_WRITTEN, UNITS, Reading

COLUMNS_AT_ONCE = 25
GROUPED = re.compile(r"\D*(\d{1,3}(,\d{3})+|\d{1,2}(,\d\d)+,\d{3})(\.\d*)?\D*")
"""A number whose commas may part thousands, as 1,234,567 or, in India, 12,34,567."""
MOST_SEEN = 200  # pasted values that tell that the line above them is a heading

Source = str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO


@only_clear_errors
def find_layout(
    source: Source | Opener,
    *,
    header: bool | None = None,
    sheet: str = "",
    quoting: bool | None = None,
    left_out: int = 0,
    unit: str = "",
    encoding: str = "",
) -> Layout:
    """Find where the columns of a file are, and their names; what is found can be sent to another process.

    sheet: the name of one of a workbook; "" for the first that is not hidden. quoting: whether quotes of a text hold
    cells; None refuses those of which that is not certain. left_out: how many rows at the end of a
    text file or sheet are no records. unit: what every number of a text file is in that is written without a unit, one
    of UNITS. encoding: that of a text file, such as "shift-jis"; "" reads all of its bytes to find out whether they are
    UTF-8, UTF-16 with its mark or Windows-1252. A byte that the encoding does not have is refused.
    header says whether the first row of a text file or sheet holds names; without a header columns are "column 1" and
    on. None finds it out where it is certain (header.py). Files of formats with types have their own names.
    Raises DataError, and ParameterError (name "header" where it is not certain, or that of what cannot be used).
    """
    said = SaidOfLayout(
        header=header, sheet=sheet, quoting=quoting, left_out=left_out, unit=unit, encoding=checked_encoding(encoding)
    )
    if said.unit not in ("", *UNITS):
        raise ParameterError("unit", f"must be one of {', '.join(UNITS)}.")
    if isinstance(said.left_out, bool) or not isinstance(said.left_out, int) or said.left_out < 0:
        raise ParameterError("left_out", "must be a whole number >= 0.")
    if said.quoting not in (None, True, False):
        raise ParameterError("quoting", "must be True, False or None.")
    open_file = opener(source)
    found = _format_of(open_file)
    for each in fields(SaidOfLayout):
        if each.name not in (*found.settings, "header", "whole") and getattr(said, each.name) != each.default:
            raise ParameterError(each.name, f"must be left out: it does not apply to a file of {found.names[0]}.")
    layout: Layout = found.reader().find_layout(open_file, said)
    return layout


@only_clear_errors
def find_layout_of_part(open_file: Opener, header: bool | None, encoding: str, *, whole: bool) -> Layout:
    """Find the layout of one of several files, to which an encoding that was said applies if it is a text.

    whole: as in `SaidOfLayout`. Raises as `find_layout`.
    """
    said = SaidOfLayout(header=header, encoding=checked_encoding(encoding), whole=whole)
    found: Layout = _format_of(open_file).reader().find_layout(open_file, said)
    return found


@only_clear_errors
def list_sheets(source: Source | Opener) -> tuple[str, ...]:
    """Return the names of the sheets of a workbook that are not hidden; none of any other file."""
    open_file = opener(source)
    return _format_of(open_file).reader().list_sheets(open_file)


@only_clear_errors
def read_column(
    source: Source,
    column: str,
    *,
    header: bool | None = None,
    layout: Layout | None = None,
    reading: Reading = AS_WRITTEN,
    progress: Progress | None = None,
) -> Column:
    """Read one column as float64, in the order of the file.

    layout: the result of `find_layout` for this file; without it, it is found as there, and `header` means the same
    as there. A column whose name could be a value is found by it and by its place, "column 2", and has the latter as
    its name. reading: how the cells are written; the cells decide what it leaves out.
    progress is called with the share read so far (it starts over when the cells turn out not to be plain numbers).
    Raises ParameterError (name "column" for one that is not there, "header" where it must be said), and DataError for
    everything else; its `remedies` are settings of `Reading` or of `find_layout` with which the column may be read.
    """
    open_file = opener(source)
    layout = layout or find_layout(open_file, header=header)
    return read_whole(find_in_file(open_file, column, layout, reading), progress)


def read_columns(
    source: Source,
    columns: Sequence[str],
    layout: Layout,
    progress: Progress | None = None,
    readings: Mapping[str, Reading] | None = None,
) -> list[Column | ValueError]:
    """Read several columns of a file; a column that cannot be read is replaced by its error.

    Of a text up to COLUMNS_AT_ONCE are read in one pass, and their cells are in memory at the same time; of other
    files each is read by itself. readings: what is known of how the cells of some of them are written, by their names.
    """
    open_file, found = opener(source), list[Column | ValueError]()
    for start in range(0, len(columns), COLUMNS_AT_ONCE):
        part = columns[start : start + COLUMNS_AT_ONCE]
        step = partial(_tell, progress or unheard, start, len(part), len(columns))
        said = readings or {}
        places = [Place(*find_column(each, layout.names), said.get(each, AS_WRITTEN)) for each in part]
        finders = known.format_of_layout(layout).reader().find_columns(open_file, layout, places)
        if len(columns) == 1:  # alone it is read in pieces
            finders = [partial(find_in_file, open_file, part[0], layout, places[0].reading)]
        for find in finders:
            try:
                found.append(_read_found(find, step))
            except ValueError as error:
                found.append(error)
    return found


@only_clear_errors
def _read_found(find: Callable[[], FileColumn], progress: Progress) -> Column:
    return read_whole(find(), progress)


def _tell(progress: Progress, start: int, part: int, count: int, share: float) -> None:
    progress((start + share * part) / count)


@only_clear_errors
def find_in_file(source: Source | Opener, column: str, layout: Layout, reading: Reading = AS_WRITTEN) -> FileColumn:
    """Find one column of a file. Raises ParameterError (name "column") for one that is not there, and DataError."""
    open_file = opener(source)
    place = Place(*find_column(column, layout.names), reading)
    with open_file() as file:
        size = int(file.size())
    found = known.format_of_layout(layout).reader().find_column(open_file, layout, place)
    return replace(found, size=size)


@only_clear_errors
def read_pasted(pasted: str, *, reading: Reading = AS_WRITTEN) -> Column:
    """Read values typed or pasted: one per line, written as in a file, or lists with space, tab, ";" or comma between.

    A first line of text with values below it is a heading. A blank line above a value is a missing value, blank lines
    at the end are none. In lists an empty place between two separators is a missing value and a blank line is none.
    Spaces always part values here, so thousands need another mark; commas do so in "1,2,3". A single line with several
    commas that can part values or thousands, such as "1,234,567", is refused.
    Raises DataError; its row counts lines, or the values of a list.
    """
    lines = [(number, line.strip(" ")) for number, line in enumerate(pasted.lstrip("\ufeff").splitlines(), start=1)]
    filled = [at for at, (_, line) in enumerate(lines) if line.strip()]
    if not filled:
        raise DataError("There is nothing to read; type or paste numbers, one per line.", discloses=Disclosure.EMPTY)
    lines = lines[: filled[-1] + 1]
    name, rows, heading = "pasted", _pasted_rows(lines), lines[filled[0]][1].strip()
    if not could_be_values([heading])[0]:
        below = _pasted_rows(lines[filled[0] + 1 :])
        if any(are_values([field for _, field in below[:MOST_SEEN]])):
            name, rows = label_columns([heading])[0], below
    fields = pa.array([field for _, field in rows], pa.string())
    with clear_fields(lambda at: rows[at][0]):
        return make_column(name, parse_fields(lambda: [fields], decimal="" if ";" in pasted else ".", reading=reading))


def _pasted_rows(lines: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """Return the lines of pasted text as cells with their numbers, or the values of its lists, counted anew."""
    cut = _list_cut([line.strip() for _, line in lines])
    if not cut:
        return lines
    fields = [field for _, line in lines if line.strip() for field in re.split(cut, line.strip(" ,;"))]
    return list(enumerate(fields, start=1))


def _list_cut(lines: list[str]) -> str:
    """Return the pattern at which to cut pasted lines that hold several values; "" for one value per line."""
    if any(re.search(r"[\d.%],?[;\t ][\s;,]*[-+−.\d]", line) and ":" not in line for line in lines):
        return r" *[;\t] *| *, +| +"
    filled = [line for line in lines if line]
    if any(line.count(",") > 1 and not GROUPED.fullmatch(line) for line in filled):
        return ","
    if len(filled) == 1 and filled[0].count(",") > 1:
        raise DataError(
            "The commas can separate values or thousands; put a space after each comma between values, or leave out "
            "the commas between thousands.",
            discloses=Disclosure.NOTATION,
        )
    return ""


def opener(source: Source | Opener) -> Opener:
    """Return a function that opens the source at its start; a file object is read into memory, once."""
    if callable(source):
        return source
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
    raise DataError("The file cannot be opened; check that it exists and may be read.", discloses=Disclosure.FORMAT)


def _format_of(open_file: Opener) -> known.Format:
    """Return the format by the first bytes; raises DataError for a file that cannot be read."""
    with open_file() as file:
        return known.format_of(bytes(file.read(known.BYTES_OF_START)))
