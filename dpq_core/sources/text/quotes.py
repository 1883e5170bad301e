"""Quotes of a text that may hold no cells: what they would join is refused, since it is a record less.

An inch mark at the start of a cell (`"5 in`) opens one that ends at the next inch mark, rows below; text then follows
the closing quote. A ditto mark (`"` alone) leaves no such trace, but every line that it swallows has as many separators
as a row. Only a person knows: `find_layout(quoting=)`. `QuoteWatch` looks at all bytes as they are read.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from ...errors import DataError, Disclosure, Remedy

QUOTE, LINE, RETURN = b'"\n\r'
PIECE = 1 << 16  # bytes looked at at a time, to stay in the processor's cache
LINES = re.compile("\r\n|\r|\n")
END = "\x1e"  # a line by itself, if no quote is open above it
UNCLOSED = "A row opens a quote that is never closed; close or delete it, or say that quotes hold no cells (`quoting`)."
TOO_LONG = (
    "A quote opens a cell that is longer than any; close or delete it, or say whether quotes hold cells (`quoting`)."
)
BEHIND = "Text follows the quote that closes a cell; say whether quotes hold cells (`quoting`), or double them inside."
SWALLOWED = (
    "A quote opens a cell that ends some rows below, and each of these lines could be a row; say whether quotes hold "
    "cells (`quoting`)."
)


class QuoteWatch:
    """Quotes of a text that is seen block by block."""

    def __init__(self, separator: str) -> None:
        self.count = 0
        self.doubtful = False
        """Whether some quote is not where it should be, or holds a line break."""
        self._around = np.zeros(256, bool)  # what may precede a quote that opens a cell, and follow one that closes it
        self._around[list(f'{separator}\r\n"'.encode())] = True
        self._held = np.frombuffer(b"\n", np.uint8)  # the last byte that was judged, and one whose neighbour is to come

    def see(self, block: bytes) -> None:
        """Look at the next bytes; at the end they are a line break."""
        bytes_ = np.frombuffer(block, np.uint8)
        if len(block) > 2 and not self.count % 2 and b'"' not in block and bytes(self._held).find(b'"') < 0:
            self._held = bytes_[-2:].copy()
            return
        for start in range(0, bytes_.size, PIECE):
            text = np.concatenate([self._held, bytes_[start : start + PIECE]])
            self._judge(text)
            self._held = text[-2:]

    def _judge(self, text: NDArray[np.uint8]) -> None:
        """Look at all bytes but the first and the last, which have a neighbour on either side."""
        inner = text[1:-1]
        is_quote = inner == QUOTE
        opened, found = self.count % 2, int(np.count_nonzero(is_quote))
        self.count += found
        if self.doubtful or not (found or opened):
            return
        special = np.flatnonzero(is_quote | (inner == LINE) | (inner == RETURN))
        at = np.flatnonzero(is_quote[special])  # among breaks: where none is in quotes, those of a cell are neighbours
        pairs = np.concatenate([[-1] * opened, at, [special.size] * (self.count % 2)])
        quotes = special[at] + 1
        before, behind = text[quotes[opened::2] - 1], text[quotes[1 - opened :: 2] + 1]
        well_placed = self._around[before].all() and self._around[behind].all()
        self.doubtful = bool((np.diff(pairs)[::2] > 1).any()) or not well_placed


def wrong_quote(lines: Iterable[str], separator: str, width: int, first_row: int, *, certain: bool) -> DataError | None:
    """Return the error of the first quote that may be no quote; None where all hold cells.

    lines: of the table, of which a person calls the first row `first_row`. certain: whether a person said that quotes
    hold cells; then only one that is never closed is wrong.
    """
    row, record, above = first_row, [END], 0
    reader = csv.reader(chain(lines, (END,)), delimiter=separator, strict=not certain)
    try:
        for record in reader:
            if reader.line_num > above + 1 and width > 1 and not certain:
                cut = LINES.split(separator.join(record))
                if all(line.count(separator) == width - 1 for line in cut):
                    return _refusal(SWALLOWED, row)
            above = reader.line_num
            row += 1
    except csv.Error as error:
        of_error = {"unexpected end": UNCLOSED, "field larger": TOO_LONG}
        return _refusal(next((said for words, said in of_error.items() if words in str(error)), BEHIND), row)
    return None if record == [END] else _refusal(UNCLOSED, row - 1)


def _refusal(message: str, row: int) -> DataError:
    ways = (Remedy("quoting", False),) if message == UNCLOSED else (Remedy("quoting", False), Remedy("quoting", True))
    return DataError(message, discloses=Disclosure.SHAPE, row=row, remedies=ways)
