"""One notation for a whole column of text cells, however these come in batches.

It fits every cell. Where two do, as for "1,234", 01/02/2024 and 3:45, what a person said decides; for "1,234" and
"1.234" so does the file, where it leaves no doubt (margins.py); else they are refused, as are texts such as a dash that
can mean zero or a missing value. Before the first open cell is read, the column is looked at from its top.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..arrays import Floats
from ..errors import DataError, Disclosure, Remedy
from . import dates
from .column import Kind, Values
from .numbers import (
    CELLS_TRIED_FIRST,
    MARKS,
    Notation,
    are_texts,
    contains,
    first_open,
    notations_of,
    plain_numbers,
    tidy,
)
from .reading import AS_WRITTEN, CHOICES, Reading

AMBIGUOUS = {
    "dates": "The dates can be read day first or month first; say which (`dates`), or write them like 2024-01-31.",
    "durations": "The durations can be hours and minutes or minutes and seconds; say which (`durations`), or write "
    "them like 1:30:00.",
    "decimal": "The points or commas in the numbers can separate thousands or decimals; say which is the decimal mark "
    "(`decimal`), or write thousands without a mark.",
}
"""By the setting of `Reading` that decides."""
OPEN_TEXT = (
    "A cell holds a dash or another text for nothing, which can mean zero or a missing value; say which (`zero` or "
    "`missing`)."
)

ORDERED: dict[Kind, str] = {"date": "dates", "duration": "durations"}
"""Kinds whose cells may fit two orders, by the setting that says which."""
BARE = r"^[ \t]*[+-]?[\d.,' ]*\d[\d.,' ]*$"  # a number without a unit

Chunks = Callable[[], Iterable[pa.Array]]  # opens the column at its first cell; called several times


class TextColumn:
    """A column of text cells, whose batches are read in its one notation.

    Takes the whole column, which can be opened anew, and the decimal mark of the file, "" where that is open. Reads up
    to the first batch that holds a value. Batches come from the top, none left out.
    """

    def __init__(self, chunks: Chunks, decimal: str = ".", reading: Reading = AS_WRITTEN) -> None:
        self._chunks: Chunks = lambda: (add_unit(fields, reading.unit) for fields in chunks())
        self._decimal, self._reading = decimal, reading
        self._fitting: Sequence[Notation] = notations_of(reading)
        possible = len(self._fitting)
        for fields in self._chunks():
            self._fitting, _ = _narrowed(self._fitting, tidy(fields[:CELLS_TRIED_FIRST], reading))
            rest = fields[CELLS_TRIED_FIRST:]
            if len(rest) and (len(self._fitting) == possible or self._is_open(rest)):
                self._fitting, _ = _narrowed(self._fitting, tidy(rest, reading))
            if len(self._fitting) < possible:
                return

    @property
    def meaning(self) -> tuple[Kind, str]:
        """Return kind and unit of the values: numbers without one where every cell is missing."""
        return self._reading.meaning(self._fitting[0].kind, self._fitting[0].unit)

    @property
    def reading(self) -> Reading:
        """Return how the cells that were seen are read: what was said, and what was found of their notation."""
        first = self._fitting[0]
        if first.kind == "date":
            return replace(self._reading, dates=self._reading.dates or dates.order_of(first.pattern))
        if first.kind == "duration":
            return replace(self._reading, durations=self._reading.durations or first.order)
        mark = first.decimal if len({each.decimal for each in self._fitting}) == 1 else self._decimal or first.decimal
        return replace(self._reading, decimal=self._reading.decimal or mark)

    def numbers(self, fields: pa.Array) -> Floats:
        """Return the numbers of some of the cells, NaN where one is missing.

        Raises BadField at a position in these cells, or DataError.
        """
        fields = add_unit(fields, self._reading.unit)
        return self._reading.values(self._written(fields), self._fitting[0].kind)

    def _written(self, fields: pa.Array) -> Floats:
        first = self._fitting[0]
        if first.kind == "number":
            plain = plain_numbers(fields, first.decimal, self._reading)
            if plain is not None and (len(self._fitting) == 1 or not contains(fields, first.decimal)):
                return plain
        text = tidy(fields, self._reading)
        at, nothing = first_open(fields, self._reading)
        if nothing and first.kind != "date":
            self._written(fields[:at])  # a mistake above is reported first, however the column is cut
            ways = Remedy("zero", nothing), Remedy("missing", nothing)
            raise DataError(OPEN_TEXT, discloses=Disclosure.NOTATION, remedies=ways)
        if self._is_open(text):  # no cell above tells more, since all of them fit what is left
            self._fitting, _ = _narrowed(self._fitting, text)
        if self._is_open(text):
            self._fitting = [self._chosen()]
        if self._reading.zero and self._fitting[0].kind == "date":
            raise DataError("This column holds dates: no text can mean zero.", discloses=Disclosure.KIND)
        numbers = self._fitting[0].values(text)
        return np.where(are_texts(fields, self._reading.zero), 0.0, numbers) if self._reading.zero else numbers

    def _chosen(self) -> Notation:
        """Return the notation that fits the column, or the longest part of it from its top. Raises DataError."""
        fitting: Sequence[Notation] = notations_of(self._reading)
        decimal, marked = self._reading.decimal or self._decimal, False
        for chunk in self._chunks():
            for piece in (chunk[:CELLS_TRIED_FIRST], chunk[CELLS_TRIED_FIRST:]):  # the first few mostly decide
                text = tidy(piece, self._reading)
                fitting, every_field_fits = _narrowed(fitting, text)
                if len(fitting) == 1 or not every_field_fits:
                    return fitting[0]
                marked = marked or any(contains(text, mark) for mark in MARKS)
        setting = ORDERED.get(fitting[0].kind, "decimal" if marked and not decimal else "")
        if setting:
            ways = tuple(Remedy(setting, each) for each in CHOICES[setting])
            raise DataError(AMBIGUOUS[setting], discloses=Disclosure.NOTATION, remedies=ways)
        return next((each for each in fitting if each.decimal == decimal), fitting[0])

    def _is_open(self, fields: pa.Array) -> bool:
        """Return whether the meaning of these cells depends on others, or on what a person says."""
        marked = self._fitting[0].kind in ORDERED or any(contains(fields, mark) for mark in MARKS)
        return len(self._fitting) > 1 and marked


def add_unit(fields: pa.Array, unit: str) -> pa.Array:
    """Return text cells with a unit behind each number that has none; "" adds nothing."""
    if not unit:
        return fields
    behind, between = (pa.scalar(part.encode()).cast(fields.type) for part in (unit, ""))
    in_unit = pc.binary_join_element_wise(fields, behind, between)
    return pc.if_else(pc.match_substring_regex(fields, BARE), in_unit, fields)


def parse_fields(fields: pa.Array, *, decimal: str = ".", reading: Reading = AS_WRITTEN) -> Values:
    """Return the numbers of a column of text cells, with their kind and unit.

    decimal: the decimal mark of the file, "" where it is open. Raises BadField or DataError.
    """
    column = TextColumn(lambda: [fields], decimal, reading)
    return Values(column.numbers(fields), *column.meaning, column.reading)


def _narrowed(fitting: Sequence[Notation], fields: pa.Array) -> tuple[list[Notation], bool]:
    """Return those notations that fit all of the tidy cells, or else most from the top, and which of both it is."""
    misfits = {notation: notation.first_misfit(fields) for notation in fitting}
    left = [notation for notation in fitting if misfits[notation] < 0]
    longest = max(misfits.values())
    return left or [notation for notation in fitting if misfits[notation] == longest], bool(left)
