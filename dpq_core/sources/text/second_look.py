"""Look at the quotes of a text a second time, row by row, where `QuoteWatch` found that some may hold no cells.

Most rows need no look. A row of one line is as it should be if none of its quotes stands where a cell begins, for then
they are characters; and if their number is even and each has a separator, an end of the line or another quote on its
outer side. All lines of a block are judged at once; only the others are gone through, as `csv.reader` does.

Quotes that hold no cells would join rows, and what is joined is a record less. A quote opens a cell at its start and
closes it at its end. An inch mark at the start of a cell (`"5 in`) opens one that ends at the next inch mark, rows
below; text then follows the closing quote. A ditto mark (`"` alone) does the same and leaves no such trace, but every
line that it swallows has as many separators as a row. Both are refused, since only a person knows:
`find_layout(quoting=)`. `QuoteWatch` looks at all bytes as they are read, and only where something may be wrong does
second_look.py look at the rows.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import Integers
from ...errors import DataError, Disclosure, Remedy

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


LONGEST_CELL = 131_072
"""Characters between quotes that close somewhere; more is no cell, as `csv` has it."""


class SecondLook(NamedTuple):
    """What was found of the quotes of a text."""

    error: DataError | None
    """Of the first quote that may be no quote; None where all hold cells for certain."""
    may_be_open: bool
    """Whether the last quote may never be closed."""


def look_again(blocks: Iterable[bytes], separator: str, width: int, first_row: int) -> SecondLook:
    """Return the error of the first quote that may be no quote, and whether one is never closed.

    blocks: the table in UTF-8, from its first row on, which a person calls `first_row`.
    """
    row, around, used = first_row, is_around(separator), _Row(separator.encode(), width)
    for block in _whole_lines(blocks):
        ends, doubtful = _lines(np.frombuffer(block, np.uint8), around)
        at, lines, worth = 0, ends.size, [*doubtful.tolist(), ends.size]
        while at < lines:
            if not used.quoted:
                seen = worth[bisect_left(worth, at)]
                row, at = row + seen - at, seen
                if at == lines:
                    break
            message = used.take(block[int(ends[at - 1]) if at else 0 : int(ends[at])])
            if message:
                return SecondLook(_refusal(message, row), may_be_open=True)
            at += 1
            row += not used.quoted
    return SecondLook(None, may_be_open=used.quoted)


class _Row:
    """The lines of a row that is gone through; it is the next one once no quote of it is open."""

    def __init__(self, separator: bytes, width: int) -> None:
        self._separator, self._width = separator, width
        self.quoted = False
        """Whether a quote is open at the end of the lines so far."""
        self._lines = self._inside = 0
        self._each_a_row = True

    def take(self, line: bytes) -> str:
        """Take the next line; return what is wrong with a quote, "" where nothing is."""
        if not self.quoted:
            self._lines, self._inside, self._each_a_row = 0, 0, self._width > 1
        self._lines += 1
        self._each_a_row &= line.count(self._separator) == self._width - 1
        self._inside += _length(line) if self.quoted else 0
        if self._inside > LONGEST_CELL or not self._go_through(line):
            return BEHIND
        return SWALLOWED if self._lines > 1 and self._each_a_row and not self.quoted else ""

    def _go_through(self, line: bytes) -> bool:
        """Return whether only what ends a cell follows each closing quote."""
        at = 0
        while True:
            if self.quoted:
                at = line.find(b'"', at) + 1
                if not at:
                    return True
                behind = line[at : at + 1]
                if behind == b'"':
                    at += 1
                    continue
                self.quoted = False
                if behind not in (self._separator, b"\r", b"\n", b""):
                    return False
            elif line[at : at + 1] == b'"':
                self.quoted, at = True, at + 1
                continue
            at = line.find(self._separator, at) + 1
            if not at:
                return True


def _length(line: bytes) -> int:
    return len(line) if line.isascii() else len(line.decode("utf-8", "replace"))


def _refusal(message: str, row: int) -> DataError:
    return DataError(message, discloses=Disclosure.SHAPE, row=row, remedies=(AS_TEXT, AS_QUOTES))


def _whole_lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the same bytes, cut behind ends of lines; one is put behind the last line if it has none."""
    held = b""
    for block in blocks:
        end = block.rfind(b"\n") + 1
        if not end:  # lines that end with "\r", or a long one
            end = block.rfind(b"\r", 0, len(block) - 1) + 1
        if end:
            yield held + block[:end]
            held = block[end:]
        else:
            held += block
    if held:
        yield held if held.endswith((b"\n", b"\r")) else held + b"\n"


def _lines(text: NDArray[np.uint8], around: NDArray[np.bool_]) -> tuple[Integers, Integers]:
    """Return where the lines end, and those whose quotes are not as they should be in a row of one line."""
    is_quote, is_line, is_return = text == QUOTE, text == LINE, text == RETURN
    is_return[:-1] &= ~is_line[1:]  # two bytes that end one line
    special = np.flatnonzero(is_quote | is_line | is_return)
    of_quotes = is_quote[special]
    ends, quotes = special[~of_quotes] + 1, special[of_quotes]
    if not quotes.size:
        return ends, quotes
    before_end = np.cumsum(of_quotes)[~of_quotes]
    first = np.concatenate([[0], before_end[:-1]])
    line = np.flatnonzero(of_quotes) - np.arange(quotes.size)
    before = text[quotes - 1]
    before[0] = before[0] if quotes[0] else LINE
    opens = ((np.arange(quotes.size) - first[line]) & 1) == 0
    outer = np.where(opens, before, text[quotes + 1])  # a line ends behind the last one
    doubtful = ((before_end - first) & 1) == 1
    doubtful[line[~around[outer]]] = True
    at_start = np.zeros(ends.size, bool)
    at_start[line[around[before] & (before != QUOTE)]] = True
    return ends, np.flatnonzero(doubtful & at_start)
