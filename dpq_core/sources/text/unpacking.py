"""The bytes of a text file, block by block: gzip, bzip2, Zstandard and LZ4 are unpacked, known by their first bytes.

`Watched` leaves out the blank lines at the end, and remembers what only the end of a text shows. What is unpacked is
read in blocks and never kept, so a small file that unpacks to a huge one costs time; MOST_FOLD ends it.

Quotes that may hold no cells: what they would join is refused, since it is a record less. An inch mark at the start of
a cell (`"5 in`) opens one that ends at the next inch mark, rows below; text then follows the closing quote. A ditto
mark (`"` alone) leaves no such trace, but every line that it swallows has as many separators as a row. Only a person
knows: `find_layout(quoting=)`. `QuoteWatch` looks at all bytes as they are read.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ...errors import DataError, Disclosure, Remedy

QUOTE = b'"'
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
ODD = (
    "A row does not have as many cells as the first row; put cells with the separator in quotes, fill up short rows, "
    "and delete titles, notes and separators at the ends of rows."
)


class QuoteWatch:
    """Quotes of a text that is seen block by block."""

    def __init__(self, separator: str) -> None:
        self.count = 0
        self.doubtful = False
        """Whether some quote is not where it should be, or holds a line break."""
        end = rf"\r\n\x{ord(separator):02x}"
        self._lines = rf'\A(?:(?:[^"{end}]*|"(?:[^"\r\n]|"")*")[{end}])*\z'
        self._held = b""  # of a line whose end is to come

    def see(self, block: bytes) -> None:
        """Look at the next bytes; at the end they are a line break."""
        self.count += block.count(QUOTE)
        cut = max(block.rfind(b"\n"), block.rfind(b"\r")) + 1
        if cut and not self.doubtful and (QUOTE in self._held or QUOTE in block[:cut]):
            lines = pa.array([self._held + block[:cut]], pa.binary())
            self.doubtful = not pc.match_substring_regex(lines, self._lines)[0].as_py()
        self._held = block[cut:] if cut else self._held + block


def dialect(separator: str, quoting: bool | None) -> dict[str, Any]:
    """Return the settings of the reader of the standard library."""
    return {"delimiter": separator, "quoting": csv.QUOTE_NONE if quoting is False else csv.QUOTE_MINIMAL}


def first_fault(
    lines: Iterable[str], separator: str, width: int, first_row: int, quoting: bool | None, *, are_even: bool
) -> DataError | None:
    """Return the error of the first quote that may be no quote; else, unless rows are even, that of the first odd one.

    lines: of the table, of which a person calls the first row `first_row`. quoting: whether quotes hold cells, as a
    person said; then only one that is never closed is wrong.
    """
    row, record, above = first_row, [END], 0
    odd: int | None = None
    reader = csv.reader(chain(lines, (END,)), strict=quoting is None, **dialect(separator, quoting))
    try:
        for record in reader:
            if reader.line_num > above + 1 and width > 1 and quoting is None:
                cut = LINES.split(separator.join(record))
                if all(line.count(separator) == width - 1 for line in cut):
                    return _refusal(SWALLOWED, row)
            if odd is None and record and record != [END] and len(record) != width:
                odd = row
            above = reader.line_num
            row += 1
    except csv.Error as error:
        of_error = {"unexpected end": UNCLOSED, "field larger": TOO_LONG}
        if quoting is not False:
            return _refusal(next((said for words, said in of_error.items() if words in str(error)), BEHIND), row)
    if quoting is not False and record != [END]:
        return _refusal(UNCLOSED, row - 1)
    return None if odd is None or are_even else DataError(ODD, discloses=Disclosure.SHAPE, row=odd)


def _refusal(message: str, row: int) -> DataError:
    ways = (Remedy("quoting", False),) if message == UNCLOSED else (Remedy("quoting", False), Remedy("quoting", True))
    return DataError(message, discloses=Disclosure.SHAPE, row=row, remedies=ways)


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
