"""Parquet files in which Arrow does not know the type of a column, as 128-bit integers that polars writes.

The footer of such a file holds a schema of Arrow's in base64, and Arrow refuses the whole file for one type in it. The
file is read as if that type were another one, and the column is named as one that cannot be read; all others are. The
schema is a flatbuffer: tables whose slots are found by offsets (Schema.fbs of Arrow's format).
"""

from __future__ import annotations

import base64
import re
import struct
from collections.abc import Iterator

import pyarrow as pa

KEY = b"ARROW:schema"
END = 8  # bytes behind the footer: its length and a mark
LARGEST_FOOTER = 1 << 26  # bytes
CONTINUATION = b"\xff\xff\xff\xff"
NONE, INTEGER, LAST_KNOWN = 1, 2, 26
"""Numbers of types: that of nulls, of integers, and the last one of this version of Arrow's format."""
HEADER, FIELDS = 2, 1  # slots of a message, of a schema
TYPE_NUMBER, TYPE, CHILDREN = 2, 3, 5  # of a field
WIDTH, SIGNED = 0, 1  # of the type of integers
WIDTHS = (8, 16, 32, 64)  # in bits


class WithoutUnknownTypes:
    """A readable file whose footer names only types that Arrow knows; `unknown` are the others, by the column."""

    closed = False

    def __init__(self, file: pa.NativeFile) -> None:
        self._file, self._at = file, 0
        self._size = int(file.size())
        file.seek(max(self._size - END, 0))
        length = min(int.from_bytes(bytes(file.read(4)), "little"), self._size - END, LARGEST_FOOTER)
        self._start = self._size - END - length
        file.seek(self._start)
        self._end, self.unknown = without_unknown(bytes(file.read(length + END)))

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


def without_unknown(footer: bytes) -> tuple[bytes, dict[int, str]]:
    """Return a footer of the same length without types that Arrow does not know, and these by their column."""
    found = re.search(re.escape(KEY) + rb".{1,8}?([A-Za-z0-9+/]{64,}={0,2})", footer, re.DOTALL)
    if found is None:
        return footer, {}
    schema = bytearray(base64.b64decode(found[1]))
    start = 8 if schema.startswith(CONTINUATION) else 4
    top = _there(schema, _slot(schema, _there(schema, start), HEADER))
    unknown: dict[int, str] = {}
    for column, field in enumerate(_listed(schema, _slot(schema, top, FIELDS))):
        for name in _replaced(schema, field):
            unknown.setdefault(column, name)
    start, end = found.span(1)
    return footer[:start] + base64.b64encode(bytes(schema)) + footer[end:], unknown


def _replaced(schema: bytearray, field: int) -> Iterator[str]:
    """Replace the types of a field, and of those within it, that Arrow does not know; yield their names."""
    at = _slot(schema, field, TYPE_NUMBER)
    number = schema[at] if at else 0
    if number > LAST_KNOWN:
        schema[at] = NONE
        yield f"number {number} of Arrow's"
    elif number == INTEGER:
        held = _there(schema, _slot(schema, field, TYPE))
        wide, signed = _slot(schema, held, WIDTH), _slot(schema, held, SIGNED)
        width = struct.unpack_from("<i", schema, wide)[0] if wide else 0
        if wide and width not in WIDTHS:
            struct.pack_into("<i", schema, wide, WIDTHS[-1])
            yield f"{'int' if signed and schema[signed] else 'uint'}{width}"
    for child in _listed(schema, _slot(schema, field, CHILDREN)):
        yield from _replaced(schema, child)


def _there(schema: bytearray, at: int) -> int:
    """Return the place to which an offset leads."""
    return int(at + struct.unpack_from("<I", schema, at)[0])


def _slot(schema: bytearray, table: int, slot: int) -> int:
    """Return the place of a slot of a table, 0 where it is left out."""
    layout = table - struct.unpack_from("<i", schema, table)[0]
    at = 4 + 2 * slot
    offset = struct.unpack_from("<H", schema, layout + at)[0] if at < struct.unpack_from("<H", schema, layout)[0] else 0
    return int(table + offset) if offset else 0


def _listed(schema: bytearray, at: int) -> Iterator[int]:
    """Yield the places of the tables of a list; none where the slot is left out."""
    if at:
        start = _there(schema, at)
        for k in range(struct.unpack_from("<I", schema, start)[0]):
            yield _there(schema, start + 4 + 4 * k)
