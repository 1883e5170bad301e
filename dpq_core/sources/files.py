"""Columns out of files of any format that formats/known.py lists.

The content decides what a file is, not its name. Errors are sentences without a cell or a row; the row, where it is
known, is an attribute: as in a spreadsheet, whose header is row 1 (of Parquet, SPSS and Stata the first record is).

A source is one file, a folder, or a list of files of any format, whose rows follow each other. Files of a folder come
in the order of their paths, but for names that begin with "." or "_" or end in something else. Text may be compressed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import BinaryIO, NamedTuple

import pyarrow as pa

from ..errors import DataError, Disclosure, ParameterError, beginning
from ..groups.cells import ANY_NAME
from ..groups.names import GroupColumn, GroupName
from ..people.ids import People
from ..progress import unheard
from .column import NumberColumn, Progress, only_clear_errors
from .formats import known
from .formats.known import SUFFIXES, checked_encoding
from .formats.reader import CellTable, FileColumn, FileStart, Opener, Opening, Place, Typed
from .formats.reader import Layout as Layout  # other modules ask for it here
from .header import find_column, public_names
from .reading import AS_WRITTEN, Reading
from .rows import MIXED, ColumnStream, Rows, rows_of

Source = str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO | Callable[[], pa.NativeFile]
"""A file by its path, its content, a file object that is read into memory once, or what opens it at its start."""
Sources = Source | Sequence[Source]
SMALL = 1 << 26
PACKED = (".gz", ".bz2", ".zst", ".lz4")


@only_clear_errors
def find_layout(
    source: Source, *, header: bool | None = None, sheet: str = "", quoting: bool | None = None, encoding: str = "",
    separator: str = "", fill_down: bool | None = None, totals: bool | None = None,
) -> Layout:  # fmt: skip
    """Find where the columns of a file are, and their names; what is found can be sent to another process.

    sheet: the name of one of a workbook; "" for the first that is not hidden. quoting: whether quotes of a text hold
    cells; None refuses those of which that is not certain. encoding: that of a text, or of an old file of Stata or
    SPSS, such as "shift-jis"; "" reads all bytes of a text to find out whether they are UTF-8, UTF-16 with its mark or
    Windows-1252. A byte that the encoding does not have is refused. separator: the one character between the columns of
    a text file; "" finds a tab, semicolon, bar or comma. fill_down: whether an id or a group holds for the rows below
    it in which none is written; None refuses a column that seems to be written so. totals: False where no row is a
    total; else a file with a row that looks like one is refused.
    header says whether the first row of a text file or sheet holds names; without a header columns are "column 1" and
    on. None finds it out where it is certain (header.py). Files of formats with types have their own names.
    Raises DataError, and ParameterError (name "header" where it is not certain, or that of what cannot be used).
    """
    said = Opening(
        header=header, sheet=sheet, quoting=quoting, encoding=checked_encoding(encoding),
        separator=separator, fill_down=fill_down, totals=totals,
    )  # fmt: skip
    if len(said.separator) > 1 or said.separator in tuple('"\r\n\0'):
        raise ParameterError("separator", "must be one character, and no quote or line break.")
    open_file = opener(source)
    found = _format_of(open_file)
    for name in said.as_dict():
        if name not in (*found.settings, "header"):
            raise ParameterError(name, f"must be left out: it does not apply to a file of {found.names[0]}.")
    return found.table().find_layout(open_file, said)


def find_first_layout(source: Sources, *, header: bool | None = None, encoding: str = "") -> Layout:
    """Find where the columns of the first file are, as `find_layout`. Raises DataError, ParameterError.

    The encoding of a file of more than SMALL bytes is found from its start.
    """
    open_file = opener(list_sources(source)[0])
    said = Opening(header=header, encoding=checked_encoding(encoding))
    return _layout_of_part(open_file, said, whole=_size(open_file) <= SMALL)


@only_clear_errors
def list_sheets(source: Source) -> tuple[str, ...]:
    """Return the names of the sheets of a workbook that are not hidden; none of any other file."""
    open_file = opener(source)
    return _format_of(open_file).table().list_sheets(open_file)


def read_column(
    source: Sources, column: str, *, header: bool | None = None, layout: Layout | None = None,
    reading: Reading = AS_WRITTEN, progress: Progress | None = None,
) -> NumberColumn:  # fmt: skip
    """Read one column as float64, in the order of the rows.

    layout: the result of `find_layout` for the (first) file; without it, it is found as there, and `header` means the
    same as there. A column whose name could be a value is found by it and by its place, "column 2", and has the latter
    as its name. reading: how the cells are written; the cells decide what it leaves out.
    progress is called with the share read so far.
    Raises ParameterError (name "column" for one that is not there, "header" where it must be said), and DataError for
    everything else; its `remedies` are settings of `Reading` or of `find_layout` with which the column may be read.
    """
    found = read_rows(source, [column], layout, readings={column: reading}, header=header, progress=progress)
    return found.readable().columns[0]


def read_people(
    source: Sources, column: str, *, header: bool | None = None, layout: Layout | None = None,
    progress: Progress | None = None,
) -> People:  # fmt: skip
    """Read a column of ids as the persons behind the rows, in the order of the rows; no id is kept.

    header, layout, progress, and what is raised, as in `read_column`.
    """
    found = read_rows(source, [], layout, column, header=header, progress=progress).people
    assert found is not None, "there is a column of ids"
    return found


def read_groups(
    source: Sources, column: str, *, names: Sequence[GroupName] | None = None, header: bool | None = None,
    layout: Layout | None = None, progress: Progress | None = None,
) -> GroupColumn:  # fmt: skip
    """Read a column of groups, in the order of the rows. Give it to `Column.from_values` as `groups`.

    names: the listed groups; no other name is kept then. header, layout, progress, and what is raised, as in
    `read_column`; ParameterError (name "names") also for two names of one group.
    """
    return read_rows(source, [], layout, by={column: names}, header=header, progress=progress).groups[0]


@only_clear_errors
def read_rows(
    source: Sources, columns: Sequence[str], layout: Layout | None = None, person: str = "",
    by: Mapping[str, Sequence[GroupName] | None] | None = None, readings: Mapping[str, Reading] | None = None, *,
    header: bool | None = None, progress: Progress | None = None,
) -> Rows[NumberColumn | DataError]:  # fmt: skip
    """Read columns of a file, and those of ids and groups, if they are named, in one pass.

    by: the columns of groups, each with its list or None; of a list no other name is kept, and no id is. readings:
    how the cells of some columns are written, by their names. Raises as `read_column`; of several columns one that
    cannot be read is replaced by its error.
    """
    table, layout = _opened(source, layout, Opening(header=header), whole=True)
    return rows_of(table, columns, layout, person, by, readings, progress=progress)


@only_clear_errors
def stream_column(
    source: Sources, column: str, *, header: bool | None = None, encoding: str = "", layout: Layout | None = None,
    reading: Reading = AS_WRITTEN, progress: Progress | None = None,
) -> ColumnStream:  # fmt: skip
    """Find one column in all files, to be read batch by batch; reads heads and footers, and the first cells of text.

    encoding: of text, as in `find_layout`. header, layout (of the first file), reading, what is raised and the name of
    the stream are as in `read_column`; a later file that begins with the names of the first has a header, too. A file
    that is damaged, cut short or written in another way ends the stream in a DataError. progress is called with the
    fraction of the bytes read so far.
    """
    said = Opening(header=header, encoding=checked_encoding(encoding))
    table, layout = _opened(source, layout, said, whole=False)
    return ColumnStream(table, Place(*find_column(column, layout.names), reading), progress)


def _opened(source: Sources, layout: Layout | None, said: Opening, *, whole: bool) -> tuple[CellTable, Layout]:
    """Return the columns of a source, and the layout of its first file.

    said: of all files; where a layout is known, of the header alone, and all else is what was said for that layout.
    whole: see `FileTable.find_layout`.
    """
    sources, parts = list_sources(source), list[_Part]()
    said = replace(layout.said, header=said.header) if layout else said
    for number, each in enumerate(sources, start=1):
        called = f"File {number} of {len(sources)}: " if len(sources) > 1 else ""
        with beginning(called):
            open_file = opener(each)
            own = _layout_like(open_file, said, layout, whole=whole) if parts or layout is None else layout
            layout = layout or own
            parts.append(_Part(called, known.format_of_layout(own).table()(open_file, own), own, _size(open_file)))
    assert layout is not None, "there is a file"
    return (parts[0].table if len(parts) == 1 else FilesTable(parts)), layout


class _Part(NamedTuple):
    called: str
    table: CellTable
    layout: Layout
    size: int


class FilesTable(CellTable):
    """The rows of several files, one after the other; a column is found in each by its name in the first."""

    def __init__(self, parts: Sequence[_Part]) -> None:
        self._parts = parts
        self._found = dict[Place, tuple[list[Place], list[FileColumn], list[FileStart]]]()

    def find_column(self, place: Place) -> FileColumn:
        """Find a column in all files. Raises DataError where one does not have it, or another kind of values."""
        places, found = list[Place](), list[FileColumn]()
        names = self._parts[0].layout.names[place.at], place.label
        for called, table, layout, _ in self._parts:
            with beginning(called):
                known = {name for name in names if name in (*layout.names, *public_names(layout.names))}
                if not known:
                    raise DataError("It has no column of this name.", discloses=Disclosure.PARTS)
                places.append(place._replace(at=find_column(min(known, key=names.index), layout.names)[0]))
                found.append(table.find_column(places[-1]))
        texts = [each for each in found if each.typed is None]
        if len({each.semicolon for each in texts}) > 1:
            raise DataError(
                "Some files separate their columns with a semicolon and some do not; read them one by one.",
                discloses=Disclosure.PARTS,
            )
        if {".", ","} <= {each.decimal for each in texts}:
            raise DataError(
                "Some files write decimals with a comma and some with a point; read them one by one.",
                discloses=Disclosure.PARTS,
            )
        kinds = {each.meaning(place.reading) for each in found if each.typed is not None}
        if len(kinds) > 1:
            raise DataError(MIXED, discloses=Disclosure.PARTS)
        rows = [each.rows for each in found if each.rows is not None]
        marks = {each.decimal for each in found if each.typed is None}
        typed = Typed(*kinds.pop()) if kinds else None
        starts = list[FileStart]()
        self._found[place] = places, found, starts
        return replace(
            found[0], typed=typed, told=found[0].told or (place.reading if typed else None),
            mixed=bool(typed and marks), files=starts,
            rows=sum(rows) if len(rows) == len(found) else None, decimal=marks.pop() if len(marks) == 1 else "",
            encoding=" and ".join(dict.fromkeys(each.encoding for each in found if each.encoding)),
            possible=found[0].possible if len({each.possible for each in found}) == 1 else ANY_NAME,
        )  # fmt: skip

    def batches(self, places: Sequence[Place], progress: Progress | None) -> Iterator[Sequence[pa.Array]]:
        """Yield the cells of all files, in their order; those with types as numbers, if they are values."""
        total, before, row = max(sum(part.size for part in self._parts), 1), 0, 0

        def told(share: float) -> None:
            (progress or unheard)(min((before + share * part.size) / total, 1.0))

        for number, part in enumerate(self._parts):
            columns = [self._found[place] for place in places]
            for _, found, starts in columns:
                if len(starts) == number:
                    starts.append(FileStart(row, part.called, found[number].first_row))
            with beginning(part.called):
                for batch in part.table.batches([own[number] for own, _, _ in columns], told):
                    row += len(batch[0])
                    of_each = zip(batch, columns, places, strict=True)
                    yield [_numbers(cells, found[number], place) for cells, (_, found, _), place in of_each]
            before += part.size


def _numbers(cells: pa.Array, found: FileColumn, place: Place) -> pa.Array:
    """Return cells of values that have a type as numbers; others as they are."""
    return cells if found.typed is None or place.use != "values" else pa.array(found.values(cells, place.reading))


def list_sources(source: Sources) -> list[Source]:
    """Return one source for each file. Raises DataError where there is none."""
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


def _layout_like(open_file: Opener, said: Opening, first: Layout | None, *, whole: bool) -> Layout:
    """Find the layout of a file, which has a header, too, where it begins with the names of the first file."""
    try:
        return _layout_of_part(open_file, said, whole=whole)
    except (ParameterError, DataError) as doubt:
        unsure = isinstance(doubt, ParameterError) or doubt.discloses is Disclosure.EMPTY
        if first is None or not unsure:
            raise
        named = _layout_of_part(open_file, replace(said, header=True), whole=whole)
        if named.names != first.names:
            raise
        return named


@only_clear_errors
def _layout_of_part(open_file: Opener, said: Opening, *, whole: bool) -> Layout:
    """Find the layout of one of several files, to which applies what was said that files of its format have."""
    found = _format_of(open_file)
    own = Opening(**{name: value for name, value in said.as_dict().items() if name in found.settings})
    return found.table().find_layout(open_file, own, whole=whole)


def opener(source: Source) -> Opener:
    """Return a function that opens the source at its start; a file object is read into memory, once."""
    if callable(source):
        return source
    if isinstance(source, str | os.PathLike):
        return partial(_open_path, os.fspath(source))
    if isinstance(source, bytes | bytearray | memoryview):
        return partial(pa.BufferReader, source)
    source.seek(0)
    return partial(pa.BufferReader, source.read())


def _size(open_file: Opener) -> int:
    with open_file() as file:
        return int(file.size())


def _open_path(path: str) -> pa.NativeFile:
    with suppress(OSError):
        return pa.OSFile(path)
    raise DataError("The file cannot be opened; check that it exists and may be read.", discloses=Disclosure.FORMAT)


def _format_of(open_file: Opener) -> known.Format:
    """Return the format by the first bytes; raises DataError for a file that cannot be read."""
    with open_file() as file:
        return known.format_of(bytes(file.read(known.BYTES_OF_START)))
