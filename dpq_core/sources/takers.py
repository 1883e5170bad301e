"""Take the cells of a column batch by batch: Numbers of values, Ids of persons, Names of groups; no id is kept.

Ids that are texts are compared as `texts.name_in_file` has them, other cells of Parquet by their own type. A word for a
missing value is a missing id, and its row belongs to nobody. Names are texts, likewise: 1 and 1.0 are "1", TRUE is
"true" and midnight is its day. Only a blank cell has no group: NA, None and a dash may be one, Namibia for instance.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from itertools import chain, islice
from typing import ParamSpec, TypeVar, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..arrays import Flags, with_room
from ..errors import DataError, Disclosure, ParameterError, Remedy
from ..groups.cells import ANY_NAME, PossibleNames, as_text, cleaned, distinct, is_text
from ..groups.names import GroupColumn, GroupName
from ..people.ids import People
from ..texts import name_in_file
from .column import NumberColumn, Values, check_rows, make_column, only_clear_errors
from .formats.known import format_of_layout
from .formats.reader import CellTable, Layout, Place
from .notation import TextColumn
from .numbers import MISSING, NOTHING, without

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
        self._codes: list[pa.Array] = []

    def read(self, cells: pa.Array) -> None:
        """Code the next cells. Raises DataError."""
        found = _whole_numbers(cells)
        self._codes.append(_encoded(cells) if found is None else found)

    def people(self, layout: Layout) -> People:
        """Return the persons. Raises DataError, also where ids seem to be written on the first row of a block only."""
        self.check()
        codes, name = self._codes, self.place.label
        if not codes:
            return People.of([]).of_column(name)
        if not all(pa.types.is_integer(each.type) for each in codes):
            coded = [_encoded(each.cast(pa.string())) if pa.types.is_integer(each.type) else each for each in codes]
            codes = [chunk.indices for chunk in pa.chunked_array(coded).unify_dictionaries().chunks]
        numbers = [each.cast(pa.float64()).to_numpy(zero_copy_only=False) for each in codes]
        ids = np.concatenate(numbers)  # NaN where one is missing
        return People.of(filled_down(ids, ~np.isnan(ids), layout)).of_column(name)


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


def _whole_numbers(cells: pa.Array) -> pa.Array | None:
    """Return texts that are whole numbers, each in the one form that is its own, as numbers; None for other cells."""
    if not is_text(cells.type) or pa.types.is_dictionary(cells.type):
        return None
    text = as_text(cells)
    plain = pc.all(pc.match_substring_regex(text, r"^(?:0|[1-9]\d{0,14})$")).as_py()
    return text.cast(pa.int64()) if plain else None


def _encoded(cells: pa.Array) -> pa.DictionaryArray:
    """Return ids as numbers and the ids of these numbers, null where one is missing."""
    held = cells.dictionary if pa.types.is_dictionary(cells.type) else cells
    ids = cleaned(held)
    if is_text(ids.type):
        ids = without(ids, [*MISSING, *NOTHING])
    ids = ids.dictionary_encode()
    return ids if held is cells else pa.DictionaryArray.from_arrays(ids.indices.take(cells.indices), ids.dictionary)
