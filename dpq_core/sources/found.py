"""FileColumn: the column of one file, found and not yet read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from ..arrays import Floats
from ..errors import DataError, Disclosure
from .column import Column, Kind, Period, Progress, Values, check_rows, make_column
from .notation import TextColumn, parse_fields
from .numbers import Ambiguous, BadField
from .reading import AS_WRITTEN, Reading

Opener = Callable[[], pa.NativeFile]  # opens a file at its start; called once per pass


class Typed(NamedTuple):
    """What the cells of a file that knows types mean, and how a batch of them becomes float64 (NaN for null)."""

    kind: Kind
    unit: str
    convert: Callable[[pa.Array], Floats]


@dataclass(frozen=True, kw_only=True)
class FileColumn:
    """The column of one file, found and not yet read; it can be sent to another process that opens the same file."""

    label: str
    """The name that may be shown."""
    read: Callable[[Progress | None], Iterator[pa.Array]]
    """Opens the cells, batch by batch."""
    typed: Typed | None = None
    """None for text."""
    rows: int | None = None
    """None where it is known only after reading."""
    first_row: int = 1
    """What a person calls the row of the first cell."""
    semicolon: bool = False
    """Whether ";" separates the columns."""
    decimal: str = ""
    """The mark of cells with two readings; "" if a person has to say it."""
    reading: Reading = AS_WRITTEN
    """What a person said about the cells."""
    told: Reading | None = None
    """How cells that are typed here were read before; None where they were not."""
    declares: bool = False
    """Whether files of this format declare values to be missing, which are read as such."""
    period: Period = ""
    """Of dates, of which each is the first day of one."""
    encoding: str = ""
    """As in `Column`."""
    size: int = 0
    """Bytes of the file, for progress."""
    file: str = ""
    """The start of a sentence about the file, where there are several."""

    def fields(self, progress: Progress | None) -> Iterator[pa.Array]:
        """Yield the cells, batch by batch; a DataError begins with the file."""
        with beginning(self.file):
            yield from self.read(progress)

    def batches(self, text: TextColumn | None, progress: Progress | None) -> Iterator[Floats]:
        """Yield the numbers, batch by batch; `text` is the whole column, of which a file of text is a part."""
        row = self.first_row
        for fields in self.fields(progress):
            with beginning(self.file), clear_fields(lambda at, row=row: row + at):  # type: ignore[misc]
                if self.typed is None:
                    assert text is not None, "a file of text"
                    numbers = text.numbers(fields)
                else:
                    numbers = self.reading.values(self.typed.convert(fields), self.typed.kind)
            row += len(fields)
            yield numbers


@contextmanager
def beginning(start: str) -> Iterator[None]:
    """Let every DataError begin with these words."""
    try:
        yield
    except DataError as error:
        raise error.beginning(start) from None


@contextmanager
def clear_fields(row_number: Callable[[int], int]) -> Iterator[None]:
    """Turn what is wrong with cells into a DataError; `row_number` says what a person calls the row at a position."""
    try:
        yield
    except BadField as bad:
        raise bad.clear(row_number(bad.index)) from None
    except Ambiguous as doubt:
        raise doubt.clear() from None


def is_text(kind: pa.DataType) -> bool:
    """Return whether cells of a type are text or plain bytes."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return str(kind) in {"string", "large_string", "string_view", "binary", "large_binary", "binary_view"}


def decimal_of(files: Sequence[FileColumn]) -> str:
    """Return the decimal mark of cells of text files together, "" where these do not agree."""
    marks = {file.decimal for file in files}
    return marks.pop() if len(marks) == 1 else ""


def read_whole(found: FileColumn, progress: Progress | None) -> Column:
    """Read the whole column."""
    check_rows(found.rows or 0)

    def chunks() -> Iterator[pa.Array]:
        rows = 0
        for fields in found.fields(progress):
            rows += len(fields)
            check_rows(rows)
            yield fields

    if found.typed is None:
        with clear_fields(lambda at: found.first_row + at):
            values = parse_fields(chunks, decimal=found.decimal, reading=found.reading)
    else:
        parts = map(found.typed.convert, chunks())
        if found.rows is None:
            numbers = np.concatenate([np.empty(0), *parts])
        else:  # in place, so that no column is in memory twice
            numbers, end = np.empty(found.rows), 0
            for part in parts:
                numbers[end : end + len(part)] = part
                end += len(part)
            numbers = numbers[:end]
        kind, unit = found.typed.kind, found.typed.unit
        meant = found.reading.meaning(kind, unit)
        values = Values(found.reading.values(numbers, kind), *meant, found.told or found.reading)
    if found.rows is None and len(values.numbers) == 0:
        raise DataError("The file has a header but no rows below it.", discloses=Disclosure.EMPTY)
    return make_column(found.label, values, declares=found.declares, period=found.period, encoding=found.encoding)
