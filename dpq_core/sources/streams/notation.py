"""Text cells to float64 batch by batch, when the whole column is never there: the first batches fix the notation.

The rules are those of numbers.py, and a column that both can read gets the same numbers from both. Here a later batch
cannot change how earlier ones were read, so a column is refused where the whole of it would have told more: dates whose
first batch can be read in two ways, "3,14" after "1,234", or points after cells that left the mark open.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from ...arrays import Floats
from ..column import Kind
from ..numbers import NOT_A_VALUE, NOTATIONS, ODD_ONE, BadCell, Notation, choose_notation, contains, plain_numbers, tidy


class StreamedCells:
    """The notation of one column so far, and the numbers of its next cells.

    Cells of digits alone leave the decimal mark open: they are the same number whatever it is. `decimal` is that of
    the files, as in `parse_cells`.
    """

    def __init__(self, decimal: str) -> None:
        self.decimal = decimal
        self.notation: Notation | None = None
        self.seen = False  # a cell that is not missing
        self._no_points = False

    @property
    def kind(self) -> Kind:
        """What the cells mean; a number where only digits or nothing was seen."""
        return self.notation.kind if self.notation else "number"

    @property
    def unit(self) -> str:
        """The unit of that notation; "" for a plain number."""
        return self.notation.unit if self.notation else ""

    def numbers(self, cells: pa.Array) -> Floats:
        """The numbers of the next cells, NaN where one is missing; raises BadCell at a position, or Ambiguous."""
        if self._no_points and contains(cells, "."):
            raise BadCell(0, ODD_ONE)
        if self.notation is None:
            plain = plain_numbers(cells, ".")
            if plain is not None and not contains(cells, "."):
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
        """A copy that decides nothing more: for parts that are read apart and must agree."""
        copy = StreamedCells(self.decimal)
        mark = self.decimal or ","
        copy.notation = self.notation or next(each for each in NOTATIONS if each.decimal == mark)
        copy.seen = True
        copy._no_points = self._no_points if self.notation else self.decimal == ""
        return copy

    def _choose(self, cells: pa.Array) -> None:
        notation = choose_notation(lambda: [cells], self.decimal)
        if self.seen and notation.kind != "number":
            raise BadCell(0, ODD_ONE)
        self.notation, self.seen = notation, True
        # What points would mean is then still open.
        self._no_points = self.decimal == "" and notation.decimal == "," and not contains(cells, ",")
