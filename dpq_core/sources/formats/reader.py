"""FileTable: what a format of files offers, and Layout: where the columns of one of its files are.

A format is a module whose TABLE is one, and a line in the list of known.py. A function that reads a file uses that
list and these functions, and knows no format by name.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import pyarrow as pa

from ...arrays import Floats
from ...errors import DataError, Disclosure
from ...groups.cells import ANY_NAME, PossibleNames, holds_of
from ...people.coded import is_text
from ...values import converter
from ..column import Kind, Progress
from ..numbers import BadField
from ..reading import AS_WRITTEN, Reading
from ..reading import Opening as Opening  # readers ask for it here

Opener = Callable[[], pa.NativeFile]  # opens a file at its start; called once per pass
Use = Literal["values", "ids", "names"]
"""What the cells of a column are: names are those of groups, of which a cell with a label has the label."""


@dataclass(frozen=True)
class Layout:
    """The labels of the columns of a file; a format adds what it needs to find them again. It can be pickled."""

    names: tuple[str, ...]
    module: str = field(default="", kw_only=True)
    """That of the reader, as the list of formats has it."""
    said: Opening = field(default_factory=Opening, kw_only=True)
    """What a person said about the file."""


class Place(NamedTuple):
    """A requested column: its place, the name that may be shown, how its cells are written, and what they are."""

    at: int
    label: str
    reading: Reading = AS_WRITTEN
    use: Use = "values"


class Typed(NamedTuple):
    """What the cells of a file that knows types mean, and how a batch of them becomes float64 (NaN for null)."""

    kind: Kind
    unit: str
    convert: Callable[[pa.Array], Floats] = pa.Array.to_numpy


class FileStart(NamedTuple):
    """Where the rows of one of several files begin: among all rows, in words, and what a person calls that row."""

    at: int
    called: str
    first_row: int


@dataclass(frozen=True, kw_only=True)
class FileColumn:
    """What is known of a column before its cells are read."""

    typed: Typed | None = None
    """None for text."""
    rows: int | None = None
    """None where it is known only after reading."""
    first_row: int = 1
    """What a person calls the row of the first cell."""
    files: list[FileStart] = field(default_factory=list)
    """Of several files those that were begun."""
    mixed: bool = False
    """Whether some files hold text, and others types."""
    semicolon: bool = False
    """Whether ";" separates the columns."""
    decimal: str = ""
    """The mark of cells with two readings; "" if a person has to say it."""
    told: Reading | None = None
    """How cells were read that come as values; None where they come as the file holds them."""
    declares: bool = False
    """Whether files of this format declare values to be missing, which are read as such."""
    notes: tuple[str, ...] = ()
    encoding: str = ""
    """Both as in `NumberColumn`."""
    possible: PossibleNames = ANY_NAME
    """What groups the cells can name, by public facts."""

    def meaning(self, said: Reading) -> tuple[Kind, str]:
        """Return kind and unit of cells that have a type."""
        assert self.typed is not None, "no text"
        kind, unit, _ = self.typed
        return said.meaning(kind, unit) if self.told is None else (kind, unit)

    def values(self, cells: pa.Array, said: Reading) -> Floats:
        """Return the numbers of cells that have a type, NaN for null. Raises ParameterError as `Reading.values`."""
        assert self.typed is not None, "no text"
        numbers = self.typed.convert(cells)
        return said.values(numbers, self.typed.kind) if self.told is None else numbers

    def place_of(self, at: int) -> tuple[str, int]:
        """Return the start of a sentence about the file of a row, which is counted from 0, and what a person calls it.

        Of one of several files: of a file that was begun.
        """
        if not self.files:
            return "", self.first_row + at
        start = self.files[bisect_right(self.files, at, key=lambda each: each.at) - 1]
        return start.called, start.first_row + at - start.at


class CellTable(ABC):
    """The columns of one table, to be read as often as needed; every function raises DataError."""

    @abstractmethod
    def find_column(self, place: Place) -> FileColumn:
        """Find a column by its place."""

    @abstractmethod
    def batches(self, places: Sequence[Place], progress: Progress | None) -> Iterator[Sequence[pa.Array]]:
        """Yield the cells of columns that were found, in one pass, batch by batch.

        Those of ids and names are as the file holds them.
        """


class FileTable(CellTable):
    """The columns of one file."""

    @abstractmethod
    def __init__(self, open_file: Opener, layout: Any) -> None:
        """Open the file that has this layout. Raises ParameterError as well."""

    @classmethod
    @abstractmethod
    def find_layout(cls, open_file: Opener, said: Opening, *, whole: bool = True) -> Layout:
        """Find where the columns are. Raises ParameterError as well, for what has to be said or cannot be.

        whole: whether a text is read to its end to find its encoding; else its start decides, and another end is
        refused.
        """

    @classmethod
    def list_sheets(cls, open_file: Opener) -> tuple[str, ...]:
        """Return the names of the tables of the file that are not hidden; none where it is always one."""
        return ()


class ArrowTable(CellTable):
    """Columns that are in memory, called by their places; their types decide what the cells mean."""

    def __init__(self, rows: pa.Table) -> None:
        self.rows = rows

    def find_column(self, place: Place) -> FileColumn:
        """Find a column by its place."""
        held = self.rows.schema.field(str(place.at)).type
        return column_of_type(held, self.rows.num_rows)

    def batches(self, places: Sequence[Place], progress: Progress | None) -> Iterator[Sequence[pa.Array]]:
        """Yield the cells as they are."""
        for batch in self.rows.to_batches():
            yield [batch.column(str(place.at)) for place in places]


def column_of_type(held: pa.DataType, rows: int) -> FileColumn:
    """Return what the Arrow type of a column says of it. Raises DataError for one that is of no use."""
    return FileColumn(
        typed=None if is_text(held) else typed_of(held), rows=rows, possible=PossibleNames(holds_of(held))
    )


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


@contextmanager
def clear_fields(row_number: Callable[[int], int]) -> Iterator[None]:
    """Turn what is wrong with cells into a DataError; `row_number` says what a person calls the row at a position."""
    try:
        yield
    except BadField as bad:
        raise DataError(f"A cell {bad.problem}.", discloses=Disclosure.CELL, row=row_number(bad.index)) from None
