"""List the files of a source, and the column in each of them, found but not yet read.

The files of a folder come in the order of their paths. Sub-folders (a partitioned table) are entered; names that begin
with "." or "_" are passed over, as are files whose ending says that they are something else.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ...errors import DataError, Disclosure, ParameterError
from ..files import Layout, Source, find_in_file, find_layout, opener
from ..formats.known import SUFFIXES
from ..found import FileColumn, Opener, beginning
from ..reading import Reading

Sources = Source | Sequence[Source]

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


def find_first_layout(source: Sources, *, header: bool | None = None) -> Layout:
    """Find where the columns of the first file are, as `files.find_layout` does. Raises DataError, ParameterError."""
    return find_layout(list_sources(source)[0], header=header)


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
            own = layout_like(open_file, header, layout) if found or layout is None else layout
            layout = layout or own
            found.append(replace(_find_column(open_file, column, own, reading, later=bool(found)), file=name))
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


def layout_like(open_file: Opener, header: bool | None, first: Layout | None) -> Layout:
    """Find the layout of a file, which has a header, too, where it begins with the names of the first file."""
    try:
        return find_layout(open_file, header=header)
    except (ParameterError, DataError) as doubt:
        unsure = isinstance(doubt, ParameterError) or doubt.discloses is Disclosure.EMPTY
        if first is None or not unsure:
            raise
        named = find_layout(open_file, header=True)
        if named.names != first.names:
            raise
        return named


def _find_column(open_file: Opener, column: str, layout: Layout, reading: Reading, *, later: bool) -> FileColumn:
    """Find the column in a file; `later` says whether the first file has it."""
    try:
        return find_in_file(open_file, column, layout, reading)
    except ParameterError:
        if not later:
            raise
        raise DataError("It has no column of this name.", discloses=Disclosure.PARTS) from None
