"""One column out of a file of any format that formats/known.py lists, or out of pasted text.

The content decides what a file is, not its name. Errors are sentences without a cell or a row; the row, where it is
known, is an attribute: as in a spreadsheet, whose header is row 1 (of Parquet, SPSS and Stata the first record is).
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import BinaryIO, Generic, NamedTuple, TypeVar

import pyarrow as pa

from ..errors import DataError, Disclosure, ParameterError
from ..groups.names import GroupColumn, GroupName
from ..people.ids import People
from ..progress import unheard, within
from .column import NumberColumn, Progress, clearly, label_columns, make_column, only_clear_errors
from .formats import known
from .formats.encodings import checked_encoding
from .formats.known import open_table
from .formats.reader import CellTable, Place, SaidOfLayout
from .formats.reader import Layout as Layout  # other modules ask for it here
from .found import FileColumn, Opener, clear_fields
from .header import could_be_values, find_column, find_columns
from .notation import parse_fields
from .numbers import are_values
from .reading import AS_WRITTEN, Reading
from .takers import Ids, Names, Numbers, Taker, checked_list

GROUPED = re.compile(r"\D*(\d{1,3}(,\d{3})+|\d{1,2}(,\d\d)+,\d{3})(\.\d*)?\D*")
"""A number whose commas may part thousands, as 1,234,567 or, in India, 12,34,567."""
MOST_SEEN = 200  # pasted values that tell that the line above them is a heading

C = TypeVar("C", bound=NumberColumn | DataError)
Source = str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO


@only_clear_errors
def find_layout(
    source: Source | Opener,
    *,
    header: bool | None = None,
    sheet: str = "",
    quoting: bool | None = None,
    encoding: str = "",
    separator: str = "",
    fill_down: bool | None = None,
    totals: bool | None = None,
) -> Layout:
    """Find where the columns of a file are, and their names; what is found can be sent to another process.

    sheet: the name of one of a workbook; "" for the first that is not hidden. quoting: whether quotes of a text hold
    cells; None refuses those of which that is not certain. encoding: that of a text file, such as "shift-jis"; "" reads
    all of its bytes to find out whether they are UTF-8, UTF-16 with its mark or Windows-1252. A byte that the encoding
    does not have is refused. separator: the one character between the columns of a text file; "" finds a tab,
    semicolon, bar or comma. fill_down: whether an id or a group holds for the rows below it in which none is written;
    None refuses a column that seems to be written so. totals: False where no row is a total;
    else a file with a row that looks like one is refused.
    header says whether the first row of a text file or sheet holds names; without a header columns are "column 1" and
    on. None finds it out where it is certain (header.py). Files of formats with types have their own names.
    Raises DataError, and ParameterError (name "header" where it is not certain, or that of what cannot be used).
    """
    said = SaidOfLayout(
        header=header, sheet=sheet, quoting=quoting, encoding=checked_encoding(encoding),
        separator=separator, fill_down=fill_down, totals=totals,
    )  # fmt: skip
    if len(said.separator) > 1 or said.separator in tuple('"\r\n\0'):
        raise ParameterError("separator", "must be one character, and no quote or line break.")
    open_file = opener(source)
    found = _format_of(open_file)
    for name in said.as_dict():
        if name not in (*found.settings, "header", "whole"):
            raise ParameterError(name, f"must be left out: it does not apply to a file of {found.names[0]}.")
    layout: Layout = found.table().find_layout(open_file, said)
    return layout


@only_clear_errors
def find_layout_of_part(open_file: Opener, header: bool | None, encoding: str, *, whole: bool) -> Layout:
    """Find the layout of one of several files, to which an encoding that was said applies if it is a text.

    whole: as in `SaidOfLayout`. Raises as `find_layout`.
    """
    said = SaidOfLayout(header=header, encoding=checked_encoding(encoding), whole=whole)
    found: Layout = _format_of(open_file).table().find_layout(open_file, said)
    return found


@only_clear_errors
def list_sheets(source: Source | Opener) -> tuple[str, ...]:
    """Return the names of the sheets of a workbook that are not hidden; none of any other file."""
    open_file = opener(source)
    return _format_of(open_file).table().list_sheets(open_file)


@only_clear_errors
def read_column(
    source: Source,
    column: str,
    *,
    header: bool | None = None,
    layout: Layout | None = None,
    reading: Reading = AS_WRITTEN,
    progress: Progress | None = None,
) -> NumberColumn:
    """Read one column as float64, in the order of the file.

    layout: the result of `find_layout` for this file; without it, it is found as there, and `header` means the same
    as there. A column whose name could be a value is found by it and by its place, "column 2", and has the latter as
    its name. reading: how the cells are written; the cells decide what it leaves out.
    progress is called with the share read so far.
    Raises ParameterError (name "column" for one that is not there, "header" where it must be said), and DataError for
    everything else; its `remedies` are settings of `Reading` or of `find_layout` with which the column may be read.
    """
    open_file = opener(source)
    layout = layout or find_layout(open_file, header=header)
    (found,) = read_rows(open_file, [column], layout, readings={column: reading}, progress=progress).columns
    assert isinstance(found, NumberColumn), "what is wrong with the only column is raised"
    return found


class Rows(NamedTuple, Generic[C]):
    """Columns of rows, with the persons and the groups behind the rows."""

    columns: list[C]
    """Each in the order of the rows; of a file one that cannot be read is replaced by its error."""
    people: People | None
    groups: list[GroupColumn]


@only_clear_errors
def read_rows(
    source: Source | Opener,
    columns: Sequence[str],
    layout: Layout,
    person: str = "",
    by: Mapping[str, Sequence[GroupName] | None] | None = None,
    readings: Mapping[str, Reading] | None = None,
    *,
    progress: Progress | None = None,
) -> Rows[NumberColumn | DataError]:
    """Read columns of a file, and those of ids and groups, if they are named: of texts and surveys in one pass.

    by: the columns of groups, each with its list or None; of a list no other name is kept, and no id is. readings:
    how the cells of some columns are written, by their names. Raises as `read_column`; of several columns one that
    cannot be read is replaced by its error.
    """
    table = open_table(opener(source), layout)
    return rows_of(table, columns, layout, person, by or {}, readings or {}, progress=progress or unheard)


def rows_of(
    table: CellTable,
    columns: Sequence[str],
    layout: Layout,
    person: str,
    by: Mapping[str, Sequence[GroupName] | None],
    readings: Mapping[str, Reading],
    *,
    progress: Progress = unheard,
) -> Rows[NumberColumn | DataError]:
    """Read columns of a table, as `read_rows`."""
    places = iter(find_columns([*columns, *by, *([person] if person else [])], layout.names))
    values = [Numbers(table, Place(*next(places), readings.get(name, AS_WRITTEN))) for name in columns]
    names = [Names(table, Place(*next(places), use="names"), checked_list(listed)) for listed in by.values()]
    ids = [Ids(table, Place(*each, use="ids")) for each in places]
    fill(table, [*names, *ids, *values], progress)
    pa.default_memory_pool().release_unused()  # of cells that are numbers now: as much as two columns
    found = [each.column() for each in values]
    if len(values) == 1:
        values[0].check()
    people = [each.people(layout) for each in ids]
    return Rows(found, people[0] if people else None, [each.groups(layout) for each in names])


def fill(table: CellTable, takers: Sequence[Taker], progress: Progress) -> None:
    """Give columns their cells, in one pass over the file if it has one. Raises DataError for ids and names."""
    for each in takers:
        if not isinstance(each, Numbers):
            each.check()
    taking = [each for each in takers if each.error is None]
    together = table.batches([each.place for each in taking], progress) if len(taking) > 1 else None
    if together is not None:
        _take(taking, together)
        return
    for number, each in enumerate(taking):
        _take([each], ([cells] for cells in each.found.fields(within(progress, number, len(taking)))))


def _take(takers: Sequence[Taker], batches: Iterator[Sequence[pa.Array]]) -> None:
    """Give columns their cells until nothing is left to do; what is wrong with rows is the error of all."""
    try:
        for batch in clearly(batches):
            if all(each.error for each in takers):
                return  # a batch later: what is wrong with rows is named first
            for each, cells in zip(takers, batch, strict=True):
                each.take(cells)
                if not isinstance(each, Numbers):
                    each.check()
    except DataError as error:
        for each in takers:
            each.error = error


@only_clear_errors
def find_in_file(source: Source | Opener, column: str, layout: Layout, reading: Reading = AS_WRITTEN) -> FileColumn:
    """Find one column of a file. Raises ParameterError (name "column") for one that is not there, and DataError."""
    open_file = opener(source)
    with open_file() as file:
        size = int(file.size())
    found = open_table(open_file, layout).find_column(Place(*find_column(column, layout.names), reading))
    return replace(found, size=size)


@only_clear_errors
def read_pasted(pasted: str, *, reading: Reading = AS_WRITTEN) -> NumberColumn:
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
