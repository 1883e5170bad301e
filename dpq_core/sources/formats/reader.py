"""Reader: what a format of files offers, and Layout: where the columns of one of its files are.

A format is a module whose READER is one, and a line in the list of known.py. A function that reads a file uses that
list and these functions, and knows no format by name.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, NamedTuple, Protocol, TypeVar

import pyarrow as pa

from ...errors import DataError
from ...groups.cells import ANY_NAME, PossibleNames
from ..column import Progress
from ..found import FileColumn, Opener
from ..reading import Reading


@dataclass(frozen=True)
class Layout:
    """The labels of the columns of a file; a format adds what it needs to find them again. It can be pickled."""

    module: ClassVar[str]
    """That of the reader, as the list of formats has it."""

    names: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class SaidOfLayout:
    """What a person said about a file; `sources.files.find_layout` explains it, and a format lists what it takes."""

    header: bool | None = None
    sheet: str = ""
    quoting: bool | None = None
    left_out: int = 0
    unit: str = ""
    encoding: str = ""
    whole: bool = True
    """Whether a text is read to its end to find its encoding; else its start decides, and another end is refused."""


class Place(NamedTuple):
    """A requested column: its place, the name that may be shown, and how its cells are written."""

    at: int
    label: str
    reading: Reading


class RawCells(NamedTuple):
    """The cells of a column as the file holds them, batch by batch, and what groups they can name by public facts."""

    batches: Iterator[pa.Array]
    possible: PossibleNames = ANY_NAME


class SharedPass:
    """The cells of several columns, read in one pass at the first question for one, and in memory at once.

    What is wrong with one, so that none can be read, is raised for all.
    """

    def __init__(self, read: Callable[[Progress | None], dict[int, list[pa.Array]]]) -> None:
        self._read = read
        self._batches: dict[int, list[pa.Array]] | DataError | None = None

    def cells(self, index: int, progress: Progress | None) -> Iterator[pa.Array]:
        """Yield the cells of one of them by its place, batch by batch."""
        if self._batches is None:
            try:
                self._batches = self._read(progress)
            except DataError as error:
                self._batches = error
        if isinstance(self._batches, DataError):
            raise self._batches
        yield from self._batches[index]


L = TypeVar("L", bound=Layout)


class Reader(Protocol[L]):
    """How files of one format are read; every function opens the file anew, and raises DataError."""

    @abstractmethod
    def find_layout(self, open_file: Opener, said: SaidOfLayout) -> L:
        """Find where the columns are. Raises ParameterError as well, for what has to be said or cannot be."""

    @abstractmethod
    def find_column(self, open_file: Opener, layout: L, place: Place) -> FileColumn:
        """Find a column by its place."""

    @abstractmethod
    def raw_cells(
        self, open_file: Opener, layout: L, index: int, progress: Progress | None, *, labelled: bool
    ) -> RawCells:
        """Return the cells of a column of ids or groups as the file holds them.

        labelled: cells for which the file has a label are that label, as groups are.
        """

    def find_columns(self, open_file: Opener, layout: L, places: Sequence[Place]) -> list[Callable[[], FileColumn]]:
        """Return how to find each of several columns; a format may read them in one pass."""
        return [partial(self.find_column, open_file, layout, place) for place in places]

    def list_sheets(self, open_file: Opener) -> tuple[str, ...]:
        """Return the names of the tables of the file that are not hidden; none where it is always one."""
        return ()
