"""FileColumn: the column of one file, found and not yet read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal, NamedTuple

import pyarrow as pa

from ..arrays import Floats
from ..errors import DataError, Disclosure, beginning
from ..groups.cells import ANY_NAME, PossibleNames
from ..values import converter
from .column import Kind, Progress
from .notation import TextColumn
from .numbers import Ambiguous, BadField
from .reading import AS_WRITTEN, Reading

Opener = Callable[[], pa.NativeFile]  # opens a file at its start; called once per pass
Use = Literal["values", "ids", "names"]
"""What the cells of a column are: names are those of groups, of which a cell with a label has the label."""


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
    notes: tuple[str, ...] = ()
    encoding: str = ""
    """Both as in `NumberColumn`."""
    size: int = 0
    """Bytes of the file, for progress."""
    file: str = ""
    """The start of a sentence about the file, where there are several."""
    possible: PossibleNames = ANY_NAME
    """What groups the cells can name, by public facts."""

    def fields(self, progress: Progress | None) -> Iterator[pa.Array]:
        """Yield the cells, batch by batch; a DataError begins with the file."""
        with beginning(self.file):
            yield from self.read(progress)

    def batches(self, text: TextColumn | None, progress: Progress | None) -> Iterator[Floats]:
        """Yield the numbers, batch by batch; `text` is the whole column, of which a file of text is a part."""
        row, coming = self.first_row, self.fields(progress)
        for cells in coming:
            with beginning(self.file):
                try:
                    numbers = self.numbers(text, cells, row)
                except DataError:
                    next(coming, None)  # name what is wrong with rows first
                    raise
            row += len(cells)
            yield numbers

    def numbers(self, text: TextColumn | None, cells: pa.Array, row: int) -> Floats:
        """Return the numbers of cells, of which the first is in this row; DataError names the row of a bad one."""
        with clear_fields(lambda at: row + at):
            if text is not None and self.typed is None:
                return text.numbers(cells)
            assert self.typed is not None, "no text"
            return self.reading.values(self.typed.convert(cells), self.typed.kind)


@contextmanager
def clear_fields(row_number: Callable[[int], int]) -> Iterator[None]:
    """Turn what is wrong with cells into a DataError; `row_number` says what a person calls the row at a position."""
    try:
        yield
    except BadField as bad:
        raise bad.clear(row_number(bad.index)) from None
    except Ambiguous as doubt:
        raise doubt.clear() from None


def typed_of(kind: pa.DataType) -> Typed:
    """Return kind, unit and conversion to float64 (NaN for null) of an Arrow type that is not text."""
    types, convert = pa.types, converter(kind)
    if convert is None:
        held = str(kind).partition("<")[0]
        raise DataError(
            f"The column holds values of the type {held}, not numbers, dates or text; choose another column.",
            discloses=Disclosure.KIND,
        )
    if types.is_date(kind) or types.is_timestamp(kind):
        return Typed("date", "date", convert)
    if types.is_duration(kind) or types.is_time(kind):
        return Typed("duration", "seconds", convert)
    return Typed("number", "", convert)
