"""What is made of the cells of a table, batch by batch: numbers of values, persons of ids, groups of names.

No id is kept. Ids are compared as those of frames (`people.coded`). Names are texts as `name_in_file` has them: 1 and
1.0 are "1", TRUE is "true" and midnight is its day. Only a blank cell has no group: NA, None and a dash may be one,
Namibia for instance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import Generic, NamedTuple, ParamSpec, TypeVar, cast

import numpy as np
import pyarrow as pa

from ..arrays import Flags, Floats, Integers, with_room
from ..errors import DataError, Disclosure, ParameterError, Remedy, beginning
from ..groups.cells import distinct
from ..groups.names import GroupColumn, GroupName
from ..people.coded import coded, is_text
from ..people.ids import Codes, People
from ..progress import unheard
from ..texts import name_in_file
from .column import NumberColumn, Progress, check_rows, clearly, only_clear_errors
from .formats.known import format_of_layout
from .formats.reader import CellTable, Layout, Place, clear_fields
from .header import find_columns
from .notation import TextColumn
from .reading import AS_WRITTEN, Reading

FEWEST_ROWS, WAYS = 8, (True, False)
BLOCKS = (
    "Most rows of this column of ids or groups are blank, as if each were written on the first row of a block; say "
    "whether it holds for the rows below (`fill_down`)."
)
MIXED = "The files do not hold the same kind of values in this column; read them one by one."
C = TypeVar("C", bound=NumberColumn | DataError)
P = ParamSpec("P")
R = TypeVar("R")


class Rows(NamedTuple, Generic[C]):
    """Columns of rows, with the persons and the groups behind the rows."""

    columns: list[C]
    """Each in the order of the rows; of a file one that cannot be read is replaced by its error."""
    people: People | None
    groups: list[GroupColumn]

    def readable(self) -> Rows[NumberColumn]:
        """Return the same. Raises DataError where a column cannot be read."""
        for each in self.columns:
            if isinstance(each, DataError):
                raise each
        return cast("Rows[NumberColumn]", self)

    def in_order(self: Rows[NumberColumn], order: Integers) -> Rows[NumberColumn]:
        """Return the same rows in another order."""
        columns = [replace(each, values=each.values[order]) for each in self.columns]
        people = self.people and replace(self.people, codes=self.people.codes[order], ordered=None)
        return Rows(columns, people, [replace(each, codes=each.codes[order]) for each in self.groups])


def rows_of(
    table: CellTable, columns: Sequence[str], layout: Layout, person: str = "",
    by: Mapping[str, Sequence[GroupName] | None] | None = None, readings: Mapping[str, Reading] | None = None, *,
    progress: Progress | None = None,
) -> Rows[NumberColumn | DataError]:  # fmt: skip
    """Read columns of a table, and those of ids and groups, if they are named, in one pass, as `files.read_rows`."""
    by, readings = by or {}, readings or {}
    places = iter(find_columns([*columns, *by, *([person] if person else [])], layout.names))
    values = [Numbers(table, Place(*next(places), readings.get(name, AS_WRITTEN))) for name in columns]
    names = [Names(table, Place(*next(places), use="names"), checked_list(listed)) for listed in by.values()]
    ids = [Ids(table, Place(*each, use="ids")) for each in places]
    _fill(table, [*names, *ids, *values], progress or unheard)
    pa.default_memory_pool().release_unused()  # of cells that are numbers now: as much as two columns
    found = [each.column() for each in values]
    if len(values) == 1:
        values[0].check()
    people = [each.people(layout) for each in ids]
    return Rows(found, people[0] if people else None, [each.groups(layout) for each in names])


def _fill(table: CellTable, takers: Sequence[Taker], progress: Progress) -> None:
    """Give columns their cells, in one pass. Raises DataError for ids and names.

    What is wrong with rows is the error of all, and is named before a cell.
    """
    for each in takers:
        if not isinstance(each, Numbers):
            each.check()
    taking = [each for each in takers if each.error is None]
    try:
        for batch in clearly(table.batches([each.place for each in taking], progress)) if taking else ():
            if all(each.error for each in taking):
                return  # a batch later
            for each, cells in zip(taking, batch, strict=True):
                each.take(cells)
                if not isinstance(each, Numbers):
                    each.check()
    except DataError as error:
        for each in taking:
            each.error = error


class Taker:
    """What takes the cells of one column, batch by batch, until an error ends that."""

    def __init__(self, table: CellTable, place: Place) -> None:
        self.table, self.place, self.rows = table, place, 0
        self.error: DataError | None = None
        self.attempt(self.find)

    def find(self) -> None:
        """Find the column. Raises DataError."""
        self.found = self.table.find_column(self.place)
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

    text: TextColumn | None = None

    def find(self) -> None:
        """Find the column, and keep room for a known number of rows: no column is in memory twice."""
        super().find()
        self._numbers = np.empty(self.found.rows or 0)

    def read(self, cells: pa.Array) -> None:
        """Read the next cells. Raises DataError with the row."""
        part = self.numbers(cells, self.rows)
        self._numbers = with_room(self._numbers, self.rows + len(part))
        self._numbers[self.rows : self.rows + len(part)] = part

    def numbers(self, cells: pa.Array, row: int) -> Floats:
        """Return the numbers of cells, of which the first is in this row, counted from 0. Raises DataError."""
        called, first = self.found.place_of(row)
        with beginning(called), clear_fields(lambda at: first + at):
            if not is_text(cells.type):
                return self.found.values(cells, self.place.reading)
            if self.text is None:  # the first cells mostly tell the notation: they are read once
                self.look(cells)
            assert self.text is not None, "it was looked at"
            return self.text.numbers(cells)

    def look(self, first: pa.Array | None = None) -> None:
        """Find the notation of text by its first cells, which may be known. Raises DataError."""

        def chunks() -> Iterator[pa.Array]:
            texts = (cells for (cells,) in self.table.batches([self.place], None) if is_text(cells.type))
            return texts if first is None else chain([first], islice(texts, 1, None))

        self.text = TextColumn(chunks, self.found.decimal, self.place.reading)
        if self.found.typed is not None and self.text.meaning != self.found.meaning(self.place.reading):
            raise DataError(MIXED, discloses=Disclosure.PARTS)

    def made(self, numbers: Floats) -> NumberColumn:
        """Return numbers as a column, with what was found of the cells that were seen."""
        found, text, said = self.found, self.text, self.place.reading
        kind, unit = found.meaning(said) if text is None else text.meaning
        reading = text.reading if text is not None else found.told or said
        return NumberColumn(self.place.label, numbers, kind, unit, reading, found.declares, found.notes, found.encoding)

    def column(self) -> NumberColumn | DataError:
        """Return the column, once all cells were taken, or what ended the reading."""
        if self.error is None and self.found.rows is None and not self.rows:
            self.error = DataError("The file has a header but no rows below it.", discloses=Disclosure.EMPTY)
        made = None if self.error else self.attempt(self.made, self._numbers[: self.rows])
        return cast("DataError", self.error) if made is None else made


class ColumnStream:
    """One column, read anew each time it is iterated over: float64 batches, NaN where a cell is missing.

    kind, unit   as in `NumberColumn`
    rows         how many there are, or None where only reading shows it (text); private where n is
    """

    def __init__(self, table: CellTable, place: Place, progress: Progress | None) -> None:
        """Find the column, and read the first cells of text. Raises DataError."""
        self._reader, self._progress = Numbers(table, place), progress
        self._reader.check()
        found = self._reader.found
        if found.typed is None or found.mixed:
            self._reader.look()
        column = self.without_values()
        self.name, self.kind, self.unit, self.rows = column.name, column.kind, column.unit, found.rows

    def without_values(self) -> NumberColumn:
        """Return a column without values that knows how cells are read, from the cells seen so far."""
        return self._reader.made(np.empty(0))

    def __iter__(self) -> Iterator[Floats]:
        """Yield the batches, in the order of the rows. Raises DataError."""
        return clearly(self._batches())

    def _batches(self) -> Iterator[Floats]:
        row, coming = 0, self._reader.table.batches([self._reader.place], self._progress)
        for (cells,) in coming:
            try:
                numbers = self._reader.numbers(cells, row)
            except DataError:
                next(coming, None)  # name what is wrong with rows first
                raise
            row += len(cells)
            yield numbers


class Ids(Taker):
    """The persons behind rows."""

    def find(self) -> None:
        """Find the column."""
        super().find()
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
    """The groups of rows, 4 bytes a row; once all cells were taken, no name that is not in the list is kept."""

    def __init__(self, table: CellTable, place: Place, listed: Sequence[GroupName] | None) -> None:
        """`listed` is a list that `checked_list` has passed."""
        self._listed, self._codes, self._found = listed, np.empty(0, np.int32), dict[str, int]()
        super().__init__(table, place)

    def read(self, cells: pa.Array) -> None:
        """Code the next cells. Raises DataError."""
        (which, texts), places = distinct(cells), self._found
        of_text = [-1 if text is None else places.setdefault(text, len(places)) for text in texts]
        self._codes = with_room(self._codes, self.rows + len(which))
        np.take(np.array([*of_text, -1], np.int32), which, out=self._codes[self.rows : self.rows + len(which)])

    def groups(self, layout: Layout) -> GroupColumn:
        """Return the groups. Raises DataError, also where names seem to be written on the first row of a block only."""
        self.check()
        codes, possible = self._codes[: self.rows], self.found.possible
        codes = filled_down(codes, codes >= 0, layout)
        if self._listed is None:
            return GroupColumn(codes, tuple(self._found), possible)
        exact = {name_in_file(str(name)): at for at, name in enumerate(self._listed)}
        alike = possible.places(self._listed)
        of_text = [exact.get(text, alike.get(possible.key(text), -1)) for text in self._found]
        return GroupColumn(np.array([*of_text, -1], np.int32)[codes], tuple(self._listed), possible)


def checked_list(names: Sequence[GroupName] | None) -> tuple[GroupName, ...] | None:
    """Return listed names. Raises ParameterError where two are one in a file, or one is blank."""
    if names is None:
        return None
    in_file = {name_in_file(str(name)) for name in names}
    if None in in_file or len(in_file) < len(names):
        raise ParameterError("names", "must be different from each other in a file, and none of them blank.")
    return tuple(names)


def filled_down(codes: Codes, there: Flags, layout: Layout) -> Codes:
    """Return ids or groups of rows, those of the first row of a block also in the rows below it, where that was said.

    there: whether a row has one. Raises DataError where nobody said it, and most rows have none below those that do.
    """
    said = layout.said.fill_down
    if said and len(codes):
        return codes[np.maximum.accumulate(np.where(there, np.arange(len(codes)), 0))]
    may_be = said is None and "fill_down" in format_of_layout(layout).settings and len(codes) >= FEWEST_ROWS
    if may_be and there[0] and 2 * np.count_nonzero(there) < len(codes) and np.all(np.diff(codes[there]) != 0):
        raise DataError(BLOCKS, discloses=Disclosure.NOTATION, remedies=tuple(Remedy("fill_down", way) for way in WAYS))
    return codes
