"""One notation for a whole column of text cells, however these come in batches.

The notation of a column fits every cell. Where two do, as for "1,234" and 01/02/2024, the decimal mark of the file
decides (margins.py finds it), else the point; dates that can be read both ways are refused. A file with ";" between its
columns may leave the mark open: then commas are decimal commas, and points alone are refused.

What "1,234" means may so depend on a cell far below. Before the first such cell is read, the column is looked at from
its top until one notation is left; all other cells are read as they come. Whole columns and streams share this rule.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from copy import copy
from itertools import chain

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..arrays import Floats
from .column import Kind, Values
from .numbers import FEW, MARKS, NOTATIONS, Ambiguous, BadField, Notation, contains, plain_numbers, tidy

AHEAD = 2  # chunks in flight between reading and casting

AMBIGUOUS_DATES = "The dates can be read day first or month first; write them like 2024-01-31."
AMBIGUOUS_POINTS = (
    "The points in the numbers can part thousands or decimals; write decimals with a comma, and thousands without a "
    "mark."
)

BARE = r"^[ \t]*[+-]?[\d.,' ]*\d[\d.,' ]*$"  # a number without a unit

Chunks = Callable[[], Iterable[pa.Array]]  # opens the column at its first cell; called up to four times


class TextColumn:
    """A column of text cells, whose batches are read in its one notation.

    Takes the whole column, which can be opened anew, and the decimal mark of the file, "" where that is open. Reads up
    to the first batch that holds a value. `in_order` says that batches come from the top, none left out.
    """

    in_order = True

    def __init__(self, chunks: Chunks, decimal: str = ".") -> None:
        self._chunks, self._decimal = chunks, decimal
        self._fitting: Sequence[Notation] = NOTATIONS
        for fields in chunks():
            self._fitting, _ = _narrowed(self._fitting, tidy(fields[:FEW]))
            rest = fields[FEW:]
            if len(rest) and (len(self._fitting) == len(NOTATIONS) or self._is_open(rest)):
                self._fitting, _ = _narrowed(self._fitting, tidy(rest))
            if len(self._fitting) < len(NOTATIONS):
                return

    @property
    def kind(self) -> Kind:
        """Return what the values are; numbers where every cell is missing."""
        return self._fitting[0].kind

    @property
    def unit(self) -> str:
        """Return the unit of the values; "" for plain numbers."""
        return self._fitting[0].unit

    def numbers(self, fields: pa.Array) -> Floats:
        """Return the numbers of some of the cells, NaN where one is missing.

        Raises BadCell at a position in these cells, or Ambiguous.
        """
        first = self._fitting[0]
        if first.kind == "number":
            plain = plain_numbers(fields, first.decimal)
            if plain is not None and (len(self._fitting) == 1 or not contains(fields, first.decimal)):
                return plain
        text = tidy(fields)
        if self._is_open(text) and self.in_order:  # no cell above tells more, since all of them fit what is left
            self._fitting, _ = _narrowed(self._fitting, text)
        if self._is_open(text):
            self._fitting = [choose_notation(self._chunks, self._decimal)]
        return self._fitting[0].values(text)

    def apart(self) -> TextColumn:
        """Return the same for batches in any order, as parts of the column are read in several processes."""
        other = copy(self)
        other.in_order = False
        return other

    def _is_open(self, fields: pa.Array) -> bool:
        """Return whether what these cells mean depends on others."""
        marked = self._fitting[0].kind == "date" or any(contains(fields, mark) for mark in MARKS)
        return len(self._fitting) > 1 and marked


def add_unit(fields: pa.Array, unit: str) -> pa.Array:
    """Return text cells with a unit behind each number that has none; "" adds nothing."""
    if not unit:
        return fields
    behind, between = (pa.scalar(part.encode()).cast(fields.type) for part in (unit, ""))
    in_unit = pc.binary_join_element_wise(fields, behind, between)
    return pc.if_else(pc.match_substring_regex(fields, BARE), in_unit, fields)


def choose_notation(chunks: Chunks, decimal: str) -> Notation:
    """Return the notation that fits a column, or the longest part of it from its top; raises Ambiguous."""
    if all(part is not None for part in _plain_parts(chunks, decimal or ",")):
        return next(notation for notation in NOTATIONS if notation.decimal == (decimal or ","))
    fitting: Sequence[Notation] = NOTATIONS
    commas = points = False
    for fields in _tidy_pieces(chunks):
        fitting, every_field_fits = _narrowed(fitting, fields)
        if len(fitting) == 1 or not every_field_fits:
            return fitting[0]
        commas = commas or contains(fields, ",")
        points = points or contains(fields, ".")
    if fitting[0].kind == "date":
        raise Ambiguous(AMBIGUOUS_DATES)
    if points and not (decimal or commas):
        raise Ambiguous(AMBIGUOUS_POINTS)
    return next(notation for notation in fitting if notation.decimal == (decimal or ","))


def parse_fields(chunks: Chunks, *, decimal: str = ".") -> Values:
    """Return the numbers of a column of text cells, with their kind and unit.

    decimal: the decimal mark of the file, "" where it is open. Raises BadCell (position in the column) or Ambiguous.
    """
    numbers = _plain_column(chunks, decimal or ",")
    if numbers is not None:
        return Values(numbers, "number", "")
    column = TextColumn(chunks, decimal)
    parts: list[Floats] = []
    start = 0
    for fields in chunks():
        try:
            parts.append(column.numbers(fields))
        except BadField as bad:
            bad.index += start
            raise
        start += len(fields)
    return Values(_joined(parts), column.kind, column.unit)


def _plain_column(chunks: Chunks, mark: str) -> Floats | None:
    """Return the numbers of a column whose cells are all plain with this decimal mark, else None."""
    parts = list(_plain_parts(chunks, mark))
    numbers = [part for part in parts if part is not None]
    return _joined(numbers) if len(numbers) == len(parts) else None


def _plain_parts(chunks: Chunks, mark: str) -> Iterator[Floats | None]:
    """Yield the numbers of the chunks as long as all cells are plain with this decimal mark, then None.

    A chunk is cast while the next one is being read.
    """
    waiting: deque[Future[Floats | None]] = deque()
    with ThreadPoolExecutor(1) as caster:
        for chunk in chain(chunks(), [None] * AHEAD):
            if chunk is not None:
                waiting.append(caster.submit(plain_numbers, chunk, mark))
            if waiting and (chunk is None or len(waiting) == AHEAD):
                part = waiting.popleft().result()
                yield part
                if part is None:
                    return


def _narrowed(fitting: Sequence[Notation], fields: pa.Array) -> tuple[list[Notation], bool]:
    """Return those notations that fit all of the tidy cells, or else most from the top, and which of both it is."""
    misfits = {notation: notation.first_misfit(fields) for notation in fitting}
    left = [notation for notation in fitting if misfits[notation] < 0]
    longest = max(misfits.values())
    return left or [notation for notation in fitting if misfits[notation] == longest], bool(left)


def _tidy_pieces(chunks: Chunks) -> Iterator[pa.Array]:
    """Yield the tidy cells, the first few of a chunk before its rest, since these mostly decide."""
    for chunk in chunks():
        yield from (tidy(piece) for piece in (chunk[:FEW], chunk[FEW:]) if len(piece))


def _joined(parts: list[Floats]) -> Floats:
    return np.concatenate(parts) if parts else np.empty(0)
