"""Text cells to float64 batch by batch, when the whole column is never there: the first batches fix the notation.

The rules are those of numbers.py, and a column that both can read gets the same numbers from both. Here a later batch
cannot change how earlier ones were read, so a column is refused where the whole of it would have told more: dates whose
first batch can be read in two ways, or "3,14" after "1,234".
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from .column import Kind
from .numbers import MARKS, NOT_A_VALUE, NOTATIONS, ODD_ONE, BadCell, Notation, choose_notation, plain_numbers, tidy


class StreamedCells:
    """The notation of one column so far, and the numbers of its next cells.

    Cells of digits alone leave the decimal mark open: they are the same number whatever it is.
    """

    def __init__(self, semicolon: bool) -> None:
        self.semicolon = semicolon
        self.notation: Notation | None = None
        self.seen = False  # a cell that is not missing
        self._no_commas = False

    @property
    def kind(self) -> Kind:
        """What the cells mean; a number where only digits or nothing was seen."""
        return self.notation.kind if self.notation else "number"

    @property
    def unit(self) -> str:
        """The unit of that notation; "" for a plain number."""
        return self.notation.unit if self.notation else ""

    def numbers(self, cells: pa.Array) -> NDArray[np.float64]:
        """The numbers of the next cells, NaN where one is missing; raises BadCell at a position, or AmbiguousDates."""
        if self._no_commas and _contains(cells, ","):
            raise BadCell(0, ODD_ONE)
        if self.notation is None:
            plain = plain_numbers(cells, ".")
            if plain is not None and not _contains(cells, "."):
                self.seen = self.seen or not np.isnan(plain).all()
                return plain
            self._choose(cells)
        assert self.notation is not None, "it has just been chosen"
        if self.notation.kind == "number":
            plain = plain_numbers(cells, self.notation.decimal)
            if plain is not None:
                return plain
        text = tidy(cells)
        misfit = self.notation.first_misfit(text)
        if misfit >= 0:
            cell = text.slice(misfit, 1)
            known = any(notation.first_misfit(cell) < 0 for notation in NOTATIONS)
            raise BadCell(misfit, ODD_ONE if known else NOT_A_VALUE)
        return self.notation.values(text)

    def settled(self) -> StreamedCells:
        """A copy that decides nothing more: for parts that are read apart and must agree. The point is the default."""
        copy = StreamedCells(self.semicolon)
        copy.notation, copy.seen = self.notation or NOTATIONS[0], True
        copy._no_commas = self._no_commas if self.notation else self.semicolon
        return copy

    def _choose(self, cells: pa.Array) -> None:
        notation = choose_notation(lambda: [cells], self.semicolon)
        if self.seen and notation.kind != "number":
            raise BadCell(0, ODD_ONE)
        self.notation, self.seen = notation, True
        marked = notation.kind in ("number", "money", "percent")
        # With commas in it the whole column might have got a decimal comma.
        self._no_commas = self.semicolon and marked and notation.decimal == MARKS[0] and not _contains(cells, ",")


def _contains(cells: pa.Array, mark: str) -> bool:
    return bool(pc.any(pc.match_substring(cells, mark)).as_py())
