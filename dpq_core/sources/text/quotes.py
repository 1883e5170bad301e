"""Quotes of a text that do not hold cells for certain: they would join rows, and what is joined is a record less.

A quote opens a cell at its start and closes it at its end. An inch mark at the start of a cell (`"5 in`) opens one that
ends at the next inch mark, rows below; text then follows the closing quote. A ditto mark (`"` alone) does the same and
leaves no such trace, but every line that it swallows has as many separators as a row. Both are refused, since only a
person knows: `find_layout(quoting=)`. `QuoteWatch` looks at all bytes as they are read, and only where something may be
wrong does second_look.py look at the rows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...errors import Remedy

QUOTE, LINE, RETURN = b'"\n\r'
PIECE = 1 << 16  # bytes looked at at a time, to stay in the processor's cache
BEHIND = "Text follows the quote that closes a cell; say whether quotes hold cells (`quoting`), or double them inside."
SWALLOWED = (
    "A quote opens a cell that ends some rows below, and each of these lines could be a row; say whether quotes hold "
    "cells (`quoting`)."
)
AS_TEXT = Remedy("quoting", False)
AS_QUOTES = Remedy("quoting", True)


class QuoteWatch:
    """Quotes of a text that is seen block by block."""

    def __init__(self, separator: str) -> None:
        self.count = 0
        self.doubtful = False
        """Whether some quote is not where it should be, or holds a line break: worth a second look."""
        self._around = is_around(separator)
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
        inner = text[1:-1]
        is_quote = inner == QUOTE
        opened, found = self.count % 2, int(np.count_nonzero(is_quote))
        self.count += found
        if self.doubtful or not (found or opened):
            return
        is_break = (inner == LINE) | (inner == RETURN)
        special = np.flatnonzero(is_quote | is_break)
        of_quotes = is_quote[special]
        seen = np.cumsum(of_quotes, dtype=np.uint8)[~of_quotes]  # quotes above each break; 256 of them are none: even
        quotes = special[of_quotes] + 1
        before, behind = text[quotes[opened::2] - 1], text[quotes[1 - opened :: 2] + 1]
        well_placed = self._around[before].all() and self._around[behind].all()
        self.doubtful = bool(((seen + opened) & 1).any()) or not well_placed


def is_around(separator: str) -> NDArray[np.bool_]:
    """Return for each byte whether it may precede a quote that opens a cell, and follow one that closes it."""
    found = np.zeros(256, bool)
    found[list(f'{separator}\r\n"'.encode())] = True
    return found
