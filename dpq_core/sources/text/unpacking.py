"""The bytes of a text file, block by block: gzip, bzip2, Zstandard and LZ4 are unpacked, known by their first bytes.

`Watched` leaves out the blank lines at the end, and remembers what only the end of a text shows. What is unpacked is
read in blocks and never kept, so a small file that unpacks to a huge one costs time; MOST_FOLD ends it.
"""

from __future__ import annotations

import bz2
import gzip
import re
from collections.abc import Callable, Iterable, Iterator

import pyarrow as pa

from ...errors import DataError, Disclosure
from .quotes import QuoteWatch

BLOCK = 3 << 20
"""Bytes that are read, unpacked and decoded at once: fewer than pyarrow asks for, so that mostly none is copied."""
MOST_FOLD = 200  # times its own size that a file may unpack to; text packs 3 to 20 fold
MOST_BLANK = 1 << 22  # bytes of blank lines at the end, which are held until something follows
TAIL = 1 << 16  # bytes at the end of a text that are looked at for a total below the records
ALWAYS_UNPACKED = 1 << 26  # bytes that any file may unpack to


UNPACKERS: tuple[tuple[re.Pattern[bytes], Callable[[pa.NativeFile], pa.NativeFile]], ...] = (
    (re.compile(rb"\x1f\x8b"), lambda file: gzip.GzipFile(fileobj=file)),  # Arrow's own would miss a cut file
    (re.compile(rb"BZh[1-9]1AY&SY"), bz2.BZ2File),
    (re.compile(rb"\x28\xb5\x2f\xfd"), lambda file: pa.CompressedInputStream(file, "zstd")),
    (re.compile(rb"\x04\x22\x4d\x18"), lambda file: pa.CompressedInputStream(file, "lz4")),
)


def unpacker_of(file: pa.NativeFile) -> Callable[[pa.NativeFile], pa.NativeFile] | None:
    """Return what unpacks a file, which is at its start and stays there; None for plain text."""
    start = bytes(file.read(10))
    file.seek(0)
    return next((unpack for magic, unpack in UNPACKERS if magic.match(start)), None)


def text_blocks(file: pa.NativeFile) -> Iterator[bytes]:
    """Yield the bytes of a file, or of its content where it is compressed. Raises DataError beyond MOST_FOLD."""
    unpack = unpacker_of(file)
    left = max(MOST_FOLD * file.size(), ALWAYS_UNPACKED)
    text = unpack(file) if unpack else file
    while block := bytes(text.read(BLOCK)):
        left -= len(block)
        if left < 0:
            raise DataError(
                f"The file unpacks to more than {MOST_FOLD} times its size; unpack it before reading it.",
                discloses=Disclosure.SIZE,
            )
        yield block


class TextFile:
    """Blocks of a text as pyarrow reads a file; nothing is to be closed, since that is done where it was opened."""

    closed = False

    def __init__(self, blocks: Iterable[bytes]) -> None:
        self._blocks, self._ready = iter(blocks), b""

    def read(self, size: int) -> bytes:
        """Return up to `size` next bytes, none at the end; they do not end between the two that end a line."""
        ready = self._ready
        while len(ready) <= size // 2 and (block := next(self._blocks, b"")):
            ready = ready + block if ready else block
        cut = size - 1 if size > 1 and ready[size - 1 : size + 1] == b"\r\n" else size
        ready, self._ready = (ready[:cut], ready[cut:]) if len(ready) > size else (ready, b"")
        return ready

    def close(self) -> None:
        """Do nothing."""


class Watched:
    """Blocks of a text without the blank lines at its end, which are no records.

    It remembers the last bytes, how many came before them, and what the quotes are like.
    """

    def __init__(self, blocks: Iterable[bytes], separator: str) -> None:
        self.before, self.tail, self.quotes = 0, b"", QuoteWatch(separator)
        self._blocks, self._blank = blocks, b" \t\r\n".replace(separator.encode(), b"")

    def __iter__(self) -> Iterator[bytes]:
        """Yield the blocks, of which none ends in a blank."""
        held = b""
        for block in self._blocks:
            self._see(block)
            text = held + block if held else block  # a block is not copied without need
            end = len(text.rstrip(self._blank))
            held = text[end:]
            if len(held) > MOST_BLANK:
                raise DataError("The file holds a very long run of blank lines; delete it.", discloses=Disclosure.SHAPE)
            if end:
                yield text[:end]
        self.quotes.see(b"\n")

    def _see(self, block: bytes) -> None:
        self.quotes.see(block)
        tail = (self.tail + block[-TAIL:])[-TAIL:]
        self.before += len(self.tail) + len(block) - len(tail)
        self.tail = tail
