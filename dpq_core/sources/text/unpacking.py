"""Compressed text, unpacked as it is read: gzip, bzip2, Zstandard and LZ4, known by their first bytes.

`Watched` leaves out the blank lines at the end, and remembers what only the end of a stream shows. What is unpacked is
read in small blocks and never kept, so a small file that unpacks to a huge one costs time; MOST_FOLD ends it.
"""

from __future__ import annotations

import bz2
import gzip
import re
from collections.abc import Callable
from typing import Protocol

import pyarrow as pa

from ...errors import DataError, Disclosure
from .quotes import QuoteWatch

MOST_FOLD = 200  # times its own size that a file may unpack to; text packs 3 to 20 fold
MOST_BLANK = 1 << 22  # bytes of blank lines at the end, which are held until something follows
TAIL = 1 << 16  # bytes at the end of a text that are looked at for a total below the records
ALWAYS_UNPACKED = 1 << 26  # bytes that any file may unpack to


class Readable(Protocol):
    """What an unpacked file can do."""

    def read(self, size: int, /) -> bytes:
        """Return up to `size` bytes; none at the end. Raises where the file is cut short."""


class Stream:
    """What pyarrow reads as a file; nothing is to be closed, since the file is closed where it was opened."""

    closed = False

    def close(self) -> None:
        """Do nothing."""


UNPACKERS: tuple[tuple[re.Pattern[bytes], Callable[[pa.NativeFile], Readable]], ...] = (
    (re.compile(rb"\x1f\x8b"), lambda file: gzip.GzipFile(fileobj=file)),  # Arrow's own would miss a cut file
    (re.compile(rb"BZh[1-9]1AY&SY"), bz2.BZ2File),
    (re.compile(rb"\x28\xb5\x2f\xfd"), lambda file: pa.CompressedInputStream(file, "zstd")),
    (re.compile(rb"\x04\x22\x4d\x18"), lambda file: pa.CompressedInputStream(file, "lz4")),
)


def text_stream(file: pa.NativeFile) -> pa.NativeFile:
    """Return the file itself, or its content where it is compressed. Reading raises DataError beyond MOST_FOLD."""
    start = bytes(file.read(10))
    file.seek(0)
    for magic, unpack in UNPACKERS:
        if magic.match(start):
            most = max(MOST_FOLD * file.size(), ALWAYS_UNPACKED)
            return pa.PythonFile(_Limited(unpack(file), most), "r")
    return file


class Watched(Stream):
    """A stream of text without the blank lines at its end, which are no records.

    It remembers its last bytes, how many came before them, and what its quotes are like.
    """

    def __init__(self, file: Readable, separator: str) -> None:
        self.before, self.tail, self.quotes = 0, b"", QuoteWatch(separator)
        self._file, self._blank = file, b" \t\r\n".replace(separator.encode(), b"")
        self._ready, self._held, self._ended = b"", b"", False

    def read(self, size: int) -> bytes:
        """Return up to `size` next bytes, none at the end; they do not end between the two that end a line."""
        while not self._ready and not self._ended:
            block = bytes(self._file.read(max(size - len(self._held), 1)))
            self._ended = not block
            self._see(block)
            text = self._held + block if self._held else block  # a block is not copied without need
            end = len(text.rstrip(self._blank))
            self._ready, self._held = text[:end], text[end:]
            if len(self._held) > MOST_BLANK:
                raise DataError("The file holds a very long run of blank lines; delete it.", discloses=Disclosure.SHAPE)
        ready, self._ready = self._ready, b""
        if len(ready) > size:
            cut = size - 1 if size > 1 and ready[size - 1 : size + 1] == b"\r\n" else size
            ready, self._ready = ready[:cut], ready[cut:]
        return ready

    def _see(self, block: bytes) -> None:
        self.quotes.see(block or b"\n")
        tail = (self.tail + block[-TAIL:])[-TAIL:]
        self.before += len(self.tail) + len(block) - len(tail)
        self.tail = tail


class _Limited(Stream):
    """A readable file that ends in an error beyond a number of bytes."""

    def __init__(self, file: Readable, most: int) -> None:
        self.file, self.left = file, most

    def read(self, size: int) -> bytes:
        block = bytes(self.file.read(size))
        self.left -= len(block)
        if self.left < 0:
            raise DataError(
                f"The file unpacks to more than {MOST_FOLD} times its size; unpack it before reading it.",
                discloses=Disclosure.SIZE,
            )
        return block
