"""One column of files larger than memory, as a stream of float64 batches.

A source is one file, a folder, or a list of files of any format; text may be compressed. Cells mean what
`files.read_column` says. A file that is damaged, cut short or written in another way ends the stream in a DataError.
Files of a folder come in the order of their paths, but for names that begin with "." or "_" or end in something else.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Protocol, TypeVar

import numpy as np

from ...arrays import Floats
from ...errors import DataError, Disclosure, ParameterError, beginning
from ..column import Kind, NumberColumn, Progress, Values, clearly, make_column, only_clear_errors
from ..files import Layout, Source, find_in_file, find_layout_of_part, opener
from ..formats.known import SUFFIXES
from ..found import FileColumn, Opener
from ..header import public_names
from ..notation import TextColumn
from ..reading import AS_WRITTEN, Reading

Sources = Source | Sequence[Source]

SMALL = 1 << 26
PACKED = (".gz", ".bz2", ".zst", ".lz4")


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


def find_first_layout(source: Sources, *, header: bool | None = None, encoding: str = "") -> Layout:
    """Find where the columns of the first file are, as `files.find_layout`. Raises DataError, ParameterError.

    The encoding of a file of more than SMALL bytes is found from its start.
    """
    open_file = opener(list_sources(source)[0])
    with open_file() as file:
        small = file.size() <= SMALL
    return find_layout_of_part(open_file, header, encoding, whole=small)


def find_file_columns(
    source: Sources, column: str, header: bool | None, layout: Layout | None, reading: Reading
) -> tuple[FileColumn, ...]:
    """Find the column in every file; `layout` is that of the first one, None where it is to be found.

    Reads heads and footers only. Raises ParameterError where the first file does not have the column (name "column") or
    a file does not tell whether it has a header (name "header"), DataError for everything else.
    """
    sources = list_sources(source)
    found: list[FileColumn] = []
    for number, each in enumerate(sources, start=1):
        name = f"File {number} of {len(sources)}: " if len(sources) > 1 else ""
        with beginning(name):
            open_file = opener(each)
            own = layout_like(open_file, header, layout, whole=False) if found or layout is None else layout
            layout = layout or own
            own = replace(own, totals=layout.totals)
            if found and column not in (*own.names, *public_names(own.names)):
                raise DataError("It has no column of this name.", discloses=Disclosure.PARTS)
            found.append(replace(find_in_file(open_file, column, own, reading), file=name))
    if len({file.semicolon for file in found if file.typed is None}) > 1:
        raise DataError(
            "Some files separate their columns with a semicolon and some do not; read them one by one.",
            discloses=Disclosure.PARTS,
        )
    if {".", ","} <= {file.decimal for file in found}:
        raise DataError(
            "Some files write decimals with a comma and some with a point; read them one by one.",
            discloses=Disclosure.PARTS,
        )
    return tuple(found)


def layout_like(open_file: Opener, header: bool | None, first: Layout | None, *, whole: bool = True) -> Layout:
    """Find the layout of a file, which has a header, too, where it begins with the names of the first file.

    whole: whether a text is read to its end to find its encoding; else its start decides.
    """
    encoding = getattr(first, "said_encoding", "")
    try:
        return find_layout_of_part(open_file, header, encoding, whole=whole)
    except (ParameterError, DataError) as doubt:
        unsure = isinstance(doubt, ParameterError) or doubt.discloses is Disclosure.EMPTY
        if first is None or not unsure:
            raise
        named = find_layout_of_part(open_file, True, encoding, whole=whole)
        if named.names != first.names:
            raise
        return named


Batches = Iterator[Floats]


class Target(Protocol):
    """What takes batches: a sketch, a histogram."""

    def update(self, values: Floats, /) -> object:
        """Add the next records."""


T = TypeVar("T", bound=Target)


@dataclass(frozen=True, eq=False)
class ColumnStream:
    """One column, read anew each time it is iterated over: float64 batches, NaN where a cell is missing.

    kind, unit   as in `NumberColumn`
    rows         how many there are, or None where only reading shows it (text); private where n is
    """

    name: str
    kind: Kind
    unit: str
    rows: int | None
    files: tuple[FileColumn, ...]
    text: TextColumn  # of the files that are text
    progress: Progress | None

    def without_values(self) -> NumberColumn:
        """Return a column without values that knows how cells are read, from the cells seen so far."""
        first = self.files[0]
        reading = self.text.reading if first.typed is None else first.told or first.reading
        nothing = Values(np.empty(0), self.kind, self.unit, reading)
        encodings = {file.encoding: None for file in self.files if file.encoding}
        return make_column(
            self.name, nothing, declares=first.declares, notes=first.notes, encoding=" and ".join(encodings)
        )

    def __iter__(self) -> Batches:
        """Yield the batches, in the order of the rows. Raises DataError."""
        return clearly(self._batches())

    def _batches(self) -> Batches:
        total, before = max(sum(file.size for file in self.files), 1), 0
        for file in self.files:
            yield from file.batches(self.text, partial(self._tell, before / total, file.size / total))
            before += file.size

    def _tell(self, start: float, width: float, share: float) -> None:
        if self.progress is not None:
            self.progress(min(start + share * width, 1.0))


@only_clear_errors
def stream_column(
    source: Sources,
    column: str,
    *,
    header: bool | None = None,
    encoding: str = "",
    layout: Layout | None = None,
    reading: Reading = AS_WRITTEN,
    progress: Progress | None = None,
) -> ColumnStream:
    """Find one column in all files; reads their heads and footers, and the first cells of text.

    encoding: of text, as in `files.find_layout`. header, layout (of the first file), reading, what is raised and the
    name of the stream are as in `files.read_column`; a later file that begins with the names of the first has a
    header, too. progress is called with the fraction of the bytes read so far.
    """
    if encoding and layout is None:
        layout = find_first_layout(source, header=header, encoding=encoding)
    files = find_file_columns(source, column, header, layout, reading)
    meanings = {reading.meaning(file.typed.kind, file.typed.unit) for file in files if file.typed is not None}
    texts = [file for file in files if file.typed is None]
    marks = {file.decimal for file in texts}
    mark = marks.pop() if len(marks) == 1 else ""  # of all of them
    text = TextColumn(lambda: chain.from_iterable(file.fields(None) for file in texts), mark, reading)
    if texts:
        meanings.add((text.kind, text.unit))
    if len(meanings) > 1:
        raise DataError(
            "The files do not hold the same kind of values in this column; read them one by one.",
            discloses=Disclosure.PARTS,
        )
    kind, unit = meanings.pop()
    known = [file.rows for file in files if file.typed is not None and file.rows is not None]
    rows = sum(known) if len(known) == len(files) else None
    return ColumnStream(files[0].label, kind, unit, rows, files, text, progress)


def fill(target: T, stream: ColumnStream) -> T:
    """Add all batches to the target, and return it.

    Where the stream ends in an error nothing comes back, and a target made in the call itself is gone with it.
    """
    for batch in stream:
        target.update(batch)
    return target
