"""Blank lines of a text: each one above a record is a record whose answer is missing, those below the last are none.

A person who leaves the only answer blank makes a blank line. If it were passed over, that person would be missing from
the number of records, which is public where one person is replaced by another.
"""

from __future__ import annotations

import re
from functools import reduce
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ...arrays import Flags

BREAKS = b"\r\n"
PIECE = 1 << 16  # bytes looked at at a time, to stay in the processor's cache
LONGEST_INDENT = 1 << 16  # bytes of space at the start of a line; of more only the end is kept


class Stream(Protocol):
    """A text that is read block by block."""

    def read(self, size: int, /) -> bytes:
        """Return up to `size` bytes; none at the end."""


class InnerLines:
    """The same text with whitespace-only lines emptied, and without the blank lines at its end.

    Arrow, told not to ignore empty lines, makes a row of empty cells of each, for any number of columns; a line of
    spaces would be a row of too few. Inside quotes only whitespace changes. Of a run of blank lines the length is kept,
    so a long one takes no memory.
    """

    closed = False

    def __init__(self, text: Stream, separator: str) -> None:
        self._text = text
        self._spaces = b" \t".replace(separator.encode(), b"")
        self._only_spaces = re.compile(rb"^[%s]+(?=\n)" % self._spaces, re.MULTILINE)
        self._ready = b""  # to be handed out
        self._due = 0  # empty lines to be handed out before it
        self._held = 0  # blank lines that count once something follows
        self._indent = b""  # the start of a line that is blank so far
        self._at_start = True  # of a line
        self._after_return = False

    def read(self, size: int) -> bytes:
        """Return the next bytes, none at the end. Too few of them end a line: Arrow takes no row cut into three."""
        while not (self._due or self._ready):
            block = self._text.read(max(size - len(self._indent), 1))
            if not block:
                return b""
            self._take(block)
        if self._due:
            lines = min(self._due, size)
            self._due -= lines
            return b"\n" * lines
        ready, self._ready = self._ready[:size], self._ready[size:]
        return ready

    def close(self) -> None:
        """Do nothing: the file is closed where it was opened."""

    def _take(self, block: bytes) -> None:
        """Make ready what ends in a record, and hold back the blank lines below it."""
        new = block[1:] if self._after_return and block.startswith(b"\n") else block
        self._after_return = block.endswith(b"\r")
        text = self._indent + new
        filled = len(text.rstrip(self._spaces + BREAKS))
        end = 0
        if filled or not self._at_start:
            end = _end_of_line(text, filled)
            ready = self._emptied(text[:end])
            ready = ready[:-1] + b"\n" if ready.endswith(b"\r") else ready  # the "\n" that may follow is left out
            self._ready, self._due, self._held = ready, self._held, 0
            self._at_start = ready.endswith(b"\n")
        below = text[end:]
        self._held += _breaks(below)
        self._indent = below[max(below.rfind(b"\n"), below.rfind(b"\r")) + 1 :][-LONGEST_INDENT:]

    def _emptied(self, text: bytes) -> bytes:
        """Return the text with nothing on its whitespace-only lines."""
        spaces, breaks = _of(self._spaces, text), _of(BREAKS, text)
        begins = text[:1] in spaces or _holds(text, breaks, spaces)
        if not spaces or not begins or not _holds(text, spaces, breaks):
            return text
        return self._only_spaces.sub(b"", text.replace(b"\r\n", b"\n").replace(b"\r", b"\n"))


def _end_of_line(text: bytes, start: int) -> int:
    """Return the end of the first line break from `start` on, or of the text where there is none."""
    found = [at for mark in (b"\r", b"\n") if (at := text.find(mark, start)) >= 0]
    if not found:
        return len(text)
    first = min(found)
    return first + (2 if text.startswith(b"\r\n", first) else 1)


def _breaks(text: bytes) -> int:
    """Return how many lines end in the text."""
    return text.count(b"\n") + text.count(b"\r") - text.count(b"\r\n")


def _of(codes: bytes, text: bytes) -> bytes:
    """Return those of the bytes that are in the text."""
    return bytes(code for code in codes if code in text)


def _holds(text: bytes, ones: bytes, others: bytes) -> bool:
    """Return whether some byte is one of `ones` and the next one of `others`; much quicker than a pattern."""
    codes = np.frombuffer(text, np.uint8)
    for start in range(0, codes.size if ones and others else 0, PIECE):
        piece = codes[start : start + PIECE + 1]
        if bool((_among(piece[:-1], ones) & _among(piece[1:], others)).any()):
            return True
    return False


def _among(codes: NDArray[np.uint8], searched: bytes) -> Flags:
    """Return whether each byte is one of a few, the same shape."""
    return reduce(np.bitwise_or, [codes == code for code in searched])
