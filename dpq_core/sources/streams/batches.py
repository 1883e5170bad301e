"""One column of files larger than memory, as a stream of float64 batches.

A source is one file, a folder, or a list of files of any format, and text may be compressed. Memory remains at a few
batches, for files of any size.

Cells mean what `files.read_column` says they mean, by the same rule (notation.py). A file that is damaged, cut short or
written in another way ends the stream in a DataError, which knows the row. What was read until then is no result:
`fill` hands out its target only when every file was read to its end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, Protocol, TypeVar

import numpy as np
import pyarrow as pa

from ...arrays import Floats
from ...errors import DataError, Disclosure
from ..column import EPOCH, Column, Kind, Progress, Values, make_column, only_clear_errors
from ..files import Layout
from ..found import FileColumn, decimal_of
from ..notation import TextColumn
from ..reading import AS_WRITTEN, Reading
from .columns import Sources, find_file_columns

Batches = Iterator[Floats]


class Target(Protocol):
    """What takes batches: a sketch, a histogram."""

    def update(self, values: Floats, /) -> object:
        """Add the next records."""


T = TypeVar("T", bound=Target)


@dataclass(frozen=True, eq=False)
class ColumnStream:
    """One column, read anew each time it is iterated over: float64 batches, NaN where a cell is missing.

    kind, unit   as in `Column`
    rows         how many there are, or None where only reading shows it (text); private where n is
    """

    name: str
    kind: Kind
    unit: str
    rows: int | None
    files: tuple[FileColumn, ...]
    text: TextColumn  # of the files that are text
    progress: Progress | None

    def without_values(self) -> Column:
        """Return a column without values that knows how cells are read, from the cells seen so far."""
        first = self.files[0]
        reading = self.text.reading if first.typed is None else first.told or first.reading
        nothing = Values(np.empty(0), self.kind, self.unit, reading)
        return make_column(self.name, nothing, declares=first.declares, period=first.period)

    @property
    def origin(self) -> str:
        """Return for dates the date of value 0; else ""."""
        return EPOCH if self.kind == "date" else ""

    def __iter__(self) -> Batches:
        """Yield the batches, in the order of the rows. Raises DataError."""
        return _clearly(self._batches())

    def parts(self) -> list[FilePart]:
        """Return each file for itself, to be read by any process."""
        return [FilePart(file, self.text.apart()) for file in self.files]

    def _batches(self) -> Batches:
        total, before = max(sum(file.size for file in self.files), 1), 0
        for file in self.files:
            yield from file.batches(self.text, self._share_of(before / total, file.size / total))
            before += file.size

    def _share_of(self, start: float, width: float) -> Callable[[float], None]:
        """Return what reports progress within one file as progress within all of them."""

        def report(share: float) -> None:
            if self.progress is not None:
                self.progress(min(start + share * width, 1.0))

        return report


class FilePart(NamedTuple):
    """One file of a stream."""

    file: FileColumn
    text: TextColumn

    def batches(self) -> Batches:
        """Yield its batches. Raises DataError as the stream does."""
        return _clearly(self.file.batches(self.text, None))


@only_clear_errors
def stream_column(
    source: Sources,
    column: str,
    *,
    header: bool | None = None,
    layout: Layout | None = None,
    reading: Reading = AS_WRITTEN,
    progress: Progress | None = None,
) -> ColumnStream:
    """Find one column in all files; reads their heads and footers, and the first cells of text.

    header, layout (of the first file), reading, what is raised and the name of the stream are as in
    `files.read_column`; a later file that begins with the names of the first has a header, too. progress is called with
    the fraction of the bytes read so far.
    """
    files = find_file_columns(source, column, header, layout, reading)
    meanings = {reading.meaning(file.typed.kind, file.typed.unit) for file in files if file.typed is not None}
    texts = [file for file in files if file.typed is None]
    text = TextColumn(partial(_fields, texts), decimal_of(texts), reading)
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


def _fields(files: Sequence[FileColumn]) -> Iterator[pa.Array]:
    """Yield the cells of all files."""
    for file in files:
        yield from file.fields(None)


def _clearly(batches: Batches) -> Batches:
    """Yield the same batches; turn an error on the way into one clear sentence."""
    step = only_clear_errors(partial(next, batches, None))
    while (batch := step()) is not None:
        yield batch
