"""FileTable: what a format of files offers, and Layout: where the columns of one of its files are.

A format is a module whose TABLE is one, and a line in the list of known.py. A function that reads a file uses that
list and these functions, and knows no format by name.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Generic, NamedTuple, TypeVar

import pyarrow as pa

from ..column import Progress
from ..found import FileColumn, Opener, Use
from ..reading import AS_WRITTEN, Opening, Reading


@dataclass(frozen=True)
class Layout:
    """The labels of the columns of a file; a format adds what it needs to find them again. It can be pickled."""

    module: ClassVar[str]
    """That of the reader, as the list of formats has it."""

    names: tuple[str, ...]
    fill_down: bool | None = field(default=None, kw_only=True)
    """Whether an id or a group holds for the rows below it in which none is written, as the user said."""
    totals: bool | None = field(default=None, kw_only=True)
    """False where the user said that no row is a total: what looks like one is a record."""


@dataclass(frozen=True, kw_only=True)
class SaidOfLayout(Opening):
    """What a person said about a file; a format lists what it takes."""

    whole: bool = True
    """Whether a text is read to its end to find its encoding; else its start decides, and another end is refused."""


class Place(NamedTuple):
    """A requested column: its place, the name that may be shown, how its cells are written, and what they are."""

    at: int
    label: str
    reading: Reading = AS_WRITTEN
    use: Use = "values"


L = TypeVar("L", bound=Layout)


class CellTable(ABC):
    """The columns of one table, to be read as often as needed; every function raises DataError."""

    @abstractmethod
    def find_column(self, place: Place) -> FileColumn:
        """Find a column by its place; the cells of ids and names are as the file holds them."""

    def batches(self, places: Sequence[Place], progress: Progress | None) -> Iterator[Sequence[pa.Array]] | None:
        """Return the cells of several columns, batch by batch, in one pass; None where each is read alone."""
        return None

    def alone(self, place: Place, progress: Progress | None) -> Iterator[pa.Array]:
        """Yield the cells of one of the columns that one pass can read."""
        batches = self.batches([place], progress)
        assert batches is not None, "one pass reads it"
        for (cells,) in batches:
            yield cells


class FileTable(CellTable, Generic[L]):
    """The columns of one file."""

    @abstractmethod
    def __init__(self, open_file: Opener, layout: L) -> None:
        """Open the file that has this layout. Raises ParameterError as well."""

    @classmethod
    @abstractmethod
    def find_layout(cls, open_file: Opener, said: SaidOfLayout) -> L:
        """Find where the columns are. Raises ParameterError as well, for what has to be said or cannot be."""

    @classmethod
    def list_sheets(cls, open_file: Opener) -> tuple[str, ...]:
        """Return the names of the tables of the file that are not hidden; none where it is always one."""
        return ()
