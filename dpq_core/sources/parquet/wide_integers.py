"""Parquet files in which Arrow does not know the type of a column: integers of 128 bits, as polars writes them.

The footer of such a file holds a schema of Arrow's in base64, and Arrow refuses the whole file for one width in it. The
file is read as if that width were 64. The cells themselves lie in a type that holds no numbers, so that this column is
refused by itself, and all others are read.
"""

from __future__ import annotations

import base64
import re

import pyarrow as pa

KEY = b"ARROW:schema"
WIDE, NARROW = ((bits).to_bytes(4, "little") for bits in (128, 64))
END = 8  # bytes behind the footer: its length and a mark
LARGEST_FOOTER = 1 << 26  # bytes


class WithoutWideIntegers:
    """A readable file whose footer names no integer of 128 bits."""

    closed = False

    def __init__(self, file: pa.NativeFile) -> None:
        self._file, self._at = file, 0
        self._size = int(file.size())
        file.seek(max(self._size - END, 0))
        length = min(int.from_bytes(bytes(file.read(4)), "little"), self._size - END, LARGEST_FOOTER)
        self._start = self._size - END - length
        file.seek(self._start)
        self._end = narrowed(bytes(file.read(length + END)))

    def seekable(self) -> bool:
        """Return that it can be read anywhere."""
        return True

    def readable(self) -> bool:
        """Return that it can be read."""
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        """Go to a place, from the start, from here or from the end."""
        self._at = offset + (0, self._at, self._size)[whence]
        return self._at

    def tell(self) -> int:
        """Return the place."""
        return self._at

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes."""
        end = self._size if size < 0 else min(self._at + size, self._size)
        self._file.seek(min(self._at, self._start))
        before = bytes(self._file.read(max(min(end, self._start) - self._at, 0)))
        behind = self._end[max(self._at - self._start, 0) : max(end - self._start, 0)]
        self._at = max(end, self._at)
        return before + behind

    def close(self) -> None:
        """Do nothing: the file is closed where it was opened."""


def narrowed(footer: bytes) -> bytes:
    """Return a footer of the same length in which Arrow's schema has widths of 64 bits in place of 128."""
    found = re.search(re.escape(KEY) + rb".{1,8}?([A-Za-z0-9+/]{64,}={0,2})", footer, re.DOTALL)
    if found is None:
        return footer
    schema = bytearray(base64.b64decode(found[1]))
    for at in range(0, len(schema) - 3, 4):
        if schema[at : at + 4] == WIDE:
            schema[at : at + 4] = NARROW
    start, end = found.span(1)
    return footer[:start] + base64.b64encode(bytes(schema)) + footer[end:]
