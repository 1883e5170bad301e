"""Take the cells of a column batch by batch: Numbers of values, Ids of persons, Names of groups; no id is kept.

Ids are compared as those of frames (`people.coded`). Names are texts as `name_in_file` has them: 1 and 1.0 are "1",
TRUE is "true" and midnight is its day. Only a blank cell has no group: NA, None and a dash may be one, Namibia for
instance.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from typing import ParamSpec, TypeVar, cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..arrays import Flags, with_room
from ..errors import DataError, Disclosure, ParameterError, Remedy
from ..groups.cells import ANY_NAME, PossibleNames, distinct
from ..groups.names import GroupColumn, GroupName
from ..people.coded import coded
from ..people.ids import People
from ..texts import name_in_file
from .column import NumberColumn, Values, check_rows, make_column, only_clear_errors
from .formats.known import format_of_layout
from .formats.reader import CellTable, Layout, Place
from .notation import TextColumn

UNLISTED = -2
FEWEST_ROWS, WAYS = 8, (True, False)
BLOCKS = (
    "Most rows of this column of ids or groups are blank, as if each were written on the first row of a block; say "
    "whether it holds for the rows below (`fill_down`)."
)
T = TypeVar("T", bound=np.generic)
P = ParamSpec("P")
R = TypeVar("R")


class Taker:
    """What takes the cells of one column, batch by batch, until an error ends that."""

    def __init__(self, table: CellTable, place: Place) -> None:
        self.place, self.rows = place, 0
        self.error: DataError | None = None
        self.attempt(self.find, table, place)

    def find(self, table: CellTable, place: Place) -> None:
        """Find the column."""
        self.found = table.find_column(place)
        check_rows(self.found.rows or 0)

    def take(self, cells: pa.Array) -> None:
        """Take the next cells."""
        if self.error is None:
            self.attempt(self.read, cells)
            self.rows += len(cells)
            self.attempt(check_rows, self.rows)

    def read(self, cells: pa.Array) -> None:
        """Make of cells what is needed of them. Raises DataError."""
        raise NotImplementedError

    def attempt(self, step: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R | None:
        """Return what a step returns, or keep its error."""
        try:
            return only_clear_errors(step)(*args, **kwargs)
        except DataError as error:
            self.error = error
            return None

    def check(self) -> None:
        """Raise what ended the reading."""
        if self.error is not None:
            raise self.error


class Numbers(Taker):
    """The values of a column."""

    _text: TextColumn | None = None

    def find(self, table: CellTable, place: Place) -> None:
        """Find the column, and keep room for a known number of rows: no column is in memory twice."""
        super().find(table, place)
        self._numbers = np.empty(self.found.rows or 0)

    def read(self, cells: pa.Array) -> None:
        """Read the next cells. Raises DataError with the row."""
        found = self.found
        if found.typed is None and self._text is None:  # the first cells mostly tell the notation: they are read once
            again = partial(found.fields, None)
            self._text = TextColumn(lambda: chain([cells], islice(again(), 1, None)), found.decimal, found.reading)
        part = found.numbers(self._text, cells, found.first_row + self.rows)
        self._numbers = with_room(self._numbers, self.rows + len(part))
        self._numbers[self.rows : self.rows + len(part)] = part

    def column(self) -> NumberColumn | DataError:
        """Return the column, once all cells were taken, or what ended the reading."""
        made = self.attempt(self._made) if self.error is None else None
        return cast("DataError", self.error) if made is None else made

    def _made(self) -> NumberColumn:
        found, text = self.found, self._text
        if found.rows is None and not self.rows:
            raise DataError("The file has a header but no rows below it.", discloses=Disclosure.EMPTY)
        numbers = self._numbers[: self.rows]
        if text is not None:
            values = Values(numbers, text.kind, text.unit, text.reading)
        else:
            assert found.typed is not None, "no text"
            meant = found.reading.meaning(found.typed.kind, found.typed.unit)
            values = Values(numbers, *meant, found.told or found.reading)
        return make_column(found.label, values, declares=found.declares, notes=found.notes, encoding=found.encoding)


class Ids(Taker):
    """The persons behind rows."""

    def find(self, table: CellTable, place: Place) -> None:
        """Find the column."""
        super().find(table, place)
        self._coded: list[pa.Array] = []

    def read(self, cells: pa.Array) -> None:
        """Code the next cells. Raises DataError."""
        self._coded.append(coded(cells))

    def people(self, layout: Layout) -> People:
        """Return the persons. Raises DataError, also where ids seem to be written on the first row of a block only."""
        self.check()
        found = People.of_coded(self._coded).of_column(self.place.label)
        codes = filled_down(found.codes, found.codes >= 0, layout)
        return found if codes is found.codes else replace(found, codes=codes, ordered=None)


class Names(Taker):
    """The groups of rows of one file or of several, 4 bytes a row; of a list no other name is kept."""

    def __init__(self, table: CellTable, place: Place, listed: Sequence[GroupName] | None) -> None:
        """`listed` is a list that `checked_list` has passed."""
        self._listed, self._codes, self._found = listed, np.empty(0, np.int32), dict[Hashable, int]()
        self._possible = list[PossibleNames]()
        super().__init__(table, place)

    def find(self, table: CellTable, place: Place) -> None:
        """Find the column, or that of the next file, whose rows follow."""
        super().find(table, place)
        possible = self.found.possible
        self._possible.append(possible)
        if self._listed is not None:
            self._found = {name_in_file(str(name)): at for at, name in enumerate(self._listed)}
            self._alike = possible.places(self._listed)

    def read(self, cells: pa.Array) -> None:
        """Code the next cells. Raises DataError."""
        which, texts = distinct(cells)
        possible, places = self.found.possible, self._found
        if self._listed is None:
            of_text = [-1 if text is None else places.setdefault(text, len(places)) for text in texts]
        else:
            alike = [UNLISTED if text is None else self._alike.get(possible.key(text), UNLISTED) for text in texts]
            of_text = [-1 if text is None else places.get(text, at) for text, at in zip(texts, alike, strict=True)]
        self._codes = with_room(self._codes, self.rows + len(which))
        np.take(np.array([*of_text, -1], np.int32), which, out=self._codes[self.rows : self.rows + len(which)])

    def groups(self, layout: Layout) -> GroupColumn:
        """Return the groups. Raises DataError, also where names seem to be written on the first row of a block only."""
        self.check()
        whole, possible = self._codes[: self.rows], set(self._possible)
        whole = filled_down(whole, whole != -1, layout)
        np.maximum(whole, -1, out=whole)  # an unlisted name looks like a blank one
        called: Sequence[object] = tuple(self._found) if self._listed is None else self._listed
        return GroupColumn(whole, tuple(called), possible.pop() if len(possible) == 1 else ANY_NAME)


def checked_list(names: Sequence[GroupName] | None) -> tuple[GroupName, ...] | None:
    """Return listed names. Raises ParameterError where two are one in a file, or one is blank."""
    if names is None:
        return None
    in_file = {name_in_file(str(name)) for name in names}
    if None in in_file or len(in_file) < len(names):
        raise ParameterError("names", "must be different from each other in a file, and none of them blank.")
    return tuple(names)


def filled_down(codes: NDArray[T], there: Flags, layout: Layout) -> NDArray[T]:
    """Return ids or groups of rows, those of the first row of a block also in the rows below it, where that was said.

    there: whether a row has one. Raises DataError where nobody said it, and most rows have none below those that do.
    """
    if layout.fill_down and len(codes):
        return codes[np.maximum.accumulate(np.where(there, np.arange(len(codes)), 0))]
    may_be = layout.fill_down is None and "fill_down" in format_of_layout(layout).settings and len(codes) >= FEWEST_ROWS
    if may_be and there[0] and 2 * np.count_nonzero(there) < len(codes) and np.all(np.diff(codes[there]) != 0):
        raise DataError(BLOCKS, discloses=Disclosure.NOTATION, remedies=tuple(Remedy("fill_down", way) for way in WAYS))
    return codes
