"""Quotes of a text that do not hold cells for certain: they would join rows, and what is joined is a record less.

A quote opens a cell at its start and closes it at its end. An inch mark at the start of a cell (`"5 in`) opens one that
ends at the next inch mark, rows below; text then follows the closing quote. A ditto mark (`"` alone) does the same and
leaves no such trace, but every line that it swallows has as many separators as a row. Both are refused, since only a
person knows: `find_layout(quoting=)`. `QuoteWatch` looks at all bytes as they are read, and only where something may be
wrong `doubtful_quote` looks at the rows.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from ...errors import DataError, Disclosure, Way

QUOTE = ord('"')
PIECE = 1 << 16  # bytes looked at at a time, to stay in the processor's cache
BEHIND = "Text follows the quote that closes a cell; say whether quotes hold cells (`quoting`), or double them inside."
SWALLOWED = (
    "A quote opens a cell that ends some rows below, and each of these lines could be a row; say whether quotes hold "
    "cells (`quoting`)."
)
AS_TEXT = Way("quoting", False)
AS_QUOTES = Way("quoting", True)


class QuoteWatch:
    """Quotes of a text that is seen block by block."""

    def __init__(self, separator: str) -> None:
        self.count = 0
        self.doubtful = False
        """Whether some quote is not where it should be, or holds a line break: worth a second look."""
        self._around = np.frombuffer(f'{separator}\r\n"'.encode(), np.uint8)
        self._held = np.frombuffer(b"\n", np.uint8)  # the last byte that was judged, and one whose neighbour is to come

    def see(self, block: bytes) -> None:
        """Look at the next bytes."""
        bytes_ = np.frombuffer(block, np.uint8)
        for start in range(0, bytes_.size, PIECE):
            text = np.concatenate([self._held, bytes_[start : start + PIECE]])
            self._judge(text)
            self._held = text[-2:]

    def end(self) -> None:
        """Look at the last byte, behind which nothing comes."""
        self.see(b"\n")

    def _judge(self, text: NDArray[np.uint8]) -> None:
        """Look at all bytes but the first and the last, which have a neighbour on either side."""
        quotes = np.flatnonzero(text[1:-1] == QUOTE) + 1
        opened = self.count % 2
        self.count += quotes.size
        if self.doubtful or not (quotes.size or opened):
            return
        opens = (np.arange(quotes.size) + opened) % 2 == 0
        neighbours = np.where(opens, text[quotes - 1], text[quotes + 1])
        breaks = np.flatnonzero((text[1:-1] == ord("\n")) | (text[1:-1] == ord("\r"))) + 1
        inside = (np.searchsorted(quotes, breaks) + opened) % 2 == 1
        self.doubtful = bool(inside.any()) or not bool(np.isin(neighbours, self._around).all())


def doubtful_quote(lines: Iterable[str], separator: str, width: int, first_row: int) -> DataError | None:
    """Return the error of the first quote that may be no quote, None where all hold cells for certain.

    lines: those of the table, from its first row on, which a person calls `first_row`. Slow.
    """
    used: list[str] = []
    reader = csv.reader(_noted(lines, used), delimiter=separator, strict=True)
    row = first_row
    try:
        for _ in reader:
            if len(used) > 1 and width > 1 and all(line.count(separator) == width - 1 for line in used):
                return DataError(SWALLOWED, discloses=Disclosure.SHAPE, row=row, ways=(AS_TEXT, AS_QUOTES))
            used.clear()
            row += 1
    except csv.Error:
        return DataError(BEHIND, discloses=Disclosure.SHAPE, row=row, ways=(AS_TEXT, AS_QUOTES))
    return None


def _noted(lines: Iterable[str], used: list[str]) -> Iterator[str]:
    """Yield the lines, and note each."""
    for line in lines:
        used.append(line)
        yield line
