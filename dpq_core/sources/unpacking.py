"""Compressed text, unpacked as it is read: gzip, bzip2, Zstandard and LZ4, known by their first bytes.

A small file can unpack to a huge one. What is unpacked is read in small blocks and never kept, so such a file costs
time, not memory; MOST_FOLD ends it.
"""

from __future__ import annotations

import bz2
import gzip
import re
from collections.abc import Callable
from typing import Protocol

import pyarrow as pa

from ..errors import DataError

MOST_FOLD = 200  # times its own size that a file may unpack to; text packs 3 to 20 fold
ALWAYS_UNPACKED = 1 << 28  # bytes that any file may unpack to


class Readable(Protocol):
    """What an unpacked file can do."""

    def read(self, size: int, /) -> bytes:
        """Up to so many bytes; none at the end. Raises where the file is cut short."""


UNPACKERS: tuple[tuple[re.Pattern[bytes], Callable[[pa.NativeFile], Readable]], ...] = (
    (re.compile(rb"\x1f\x8b"), lambda file: gzip.GzipFile(fileobj=file)),  # Arrow's own would miss a cut file
    (re.compile(rb"BZh[1-9]1AY&SY"), bz2.BZ2File),
    (re.compile(rb"\x28\xb5\x2f\xfd"), lambda file: pa.CompressedInputStream(file, "zstd")),
    (re.compile(rb"\x04\x22\x4d\x18"), lambda file: pa.CompressedInputStream(file, "lz4")),
)


def text_stream(file: pa.NativeFile) -> pa.NativeFile:
    """The file itself, or its content where it is compressed. Reading raises DataError beyond MOST_FOLD."""
    start = bytes(file.read(10))
    file.seek(0)
    for magic, unpack in UNPACKERS:
        if magic.match(start):
            most = max(MOST_FOLD * file.size(), ALWAYS_UNPACKED)
            return pa.PythonFile(_Limited(unpack(file), most), "r")
    return file


class _Limited:
    """A readable file that ends in an error beyond so many bytes."""

    closed = False

    def __init__(self, file: Readable, most: int) -> None:
        self.file, self.left = file, most

    def read(self, size: int) -> bytes:
        block = bytes(self.file.read(size))
        self.left -= len(block)
        if self.left < 0:
            raise DataError(f"The file unpacks to more than {MOST_FOLD} times its size; unpack it before reading it.")
        return block

    def close(self) -> None:
        """Nothing: who opened the packed file closes it."""
