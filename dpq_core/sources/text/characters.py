"""The characters of a text file: one encoding for all of its bytes, none of which is replaced.

Claim. Two cells hold the same text only if the encoding of the file gives both the same characters. A byte that it does
not have ends the reading with an error: replaced by a sign, two persons or two groups could become one.

A file is UTF-16 by its mark, UTF-8 if all of its bytes are, and else Windows-1252 if that has all of its bytes.
"""

from __future__ import annotations

import codecs

import pyarrow as pa
import pyarrow.compute as pc

from ...errors import DataError, Disclosure, Remedy
from ..formats.encodings import GUESSED, UTF_8, named
from ..formats.reader import Opener
from .unpacking import Readable, Stream, text_stream

MARKS = {codecs.BOM_UTF8: UTF_8, codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
SAMPLE = 1 << 20
"""Bytes at the start of a file that tell its encoding where not all are read for that."""
BLOCK = 1 << 20
"""Bytes that are decoded at once."""
ONE_BYTE = "\x1f"
"""A separator that is not of ASCII becomes this character, which text does not contain."""
HARD_BLANK = "\u00a0".encode()


def encoding_of(open_file: Opener, said: str, *, whole: bool) -> str:
    """Return the encoding of a text file: that which was said, or the one that is found.

    Raises DataError where a byte does not belong to it; without `whole` the first SAMPLE bytes are looked at.
    """
    with open_file() as file:
        start = bytes(text_stream(file).read(4))
    marked = next((encoding for mark, encoding in MARKS.items() if start.startswith(mark)), "")
    if said == "utf-16":
        said = marked if marked.startswith(said) else "utf-16-le"
    if said or marked:
        _read_through(open_file, said or marked, named(said or marked), whole=whole)
        return said or marked
    try:
        _read_through(open_file, UTF_8, named(UTF_8), whole=whole)
    except DataError:
        _read_through(open_file, GUESSED, f"{named(UTF_8)} or {named(GUESSED)}", whole=whole)
        return GUESSED
    return UTF_8


def _read_through(open_file: Opener, encoding: str, name: str, *, whole: bool) -> None:
    with open_file() as file:
        characters = Characters(text_stream(file), encoding, name, again=open_file)
        left = SAMPLE
        while (whole or left > 0) and (block := characters.read(BLOCK)):
            left -= len(block)


class Characters(Stream):
    """A stream of text as UTF-8; reading raises DataError at the first byte that its encoding does not have."""

    def __init__(
        self, file: Readable, encoding: str, name: str = "", separator: str = "", again: Opener | None = None
    ) -> None:
        """`again` opens the file anew, to find the row of a wrong byte."""
        self._file, self._encoding, self._name = file, encoding, name or named(encoding)
        self._separator = "" if separator.isascii() else separator  # libraries want one byte
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._before, self._again = 0, again
        self._ready, self._ended = b"", False
        self._within = False  # a character, whose other bytes come next

    def read(self, size: int) -> bytes:
        """Return the next bytes, none at the end."""
        while len(self._ready) < size and not self._ended:
            block = bytes(self._file.read(size))
            self._ended = not block
            found = self._in_utf_8(block)
            self._ready = self._ready + found if self._ready else found
        ready, self._ready = self._ready, b""
        if len(ready) > size:
            ready, self._ready = ready[:size], ready[size:]
        return ready

    def _in_utf_8(self, block: bytes) -> bytes:
        try:
            found = self._decoded(block)
        except UnicodeDecodeError as error:
            here = self._before + len(block) - len(error.object) + error.start
        except UnicodeError:  # half a character outside the basic plane
            here = self._before
        else:
            self._before += len(block)
            return found
        name = self._name
        raise DataError(
            f"The file is not {name}: a byte of it has no character there. Say which encoding the file has, such as "
            "shift-jis or windows-1250.",
            discloses=Disclosure.FORMAT, row=self._row_of(here), byte=1 + here,
            remedies=(Remedy("encoding"),),
        ) from None  # fmt: skip

    def _decoded(self, block: bytes) -> bytes:
        if self._separator:
            return self._decoder.decode(block, not block).replace(self._separator, ONE_BYTE).encode()
        if self._encoding != UTF_8:
            return self._decoder.decode(block, not block).encode()
        if self._within or not block.isascii():
            self._decoder.decode(block, not block)
            self._within = bool(self._decoder.getstate()[0])
        return block

    def _row_of(self, place: int) -> int | None:
        """Return the row of a byte, None where the file cannot be opened again; ends of lines are of both kinds."""
        if self._again is None:
            return None
        decoder, breaks, returns = codecs.getincrementaldecoder(self._encoding)("ignore"), 0, 0
        with self._again() as file:
            stream = text_stream(file)
            while place > 0 and (block := bytes(stream.read(min(place, BLOCK)))):
                text = decoder.decode(block)
                place, breaks, returns = place - len(block), breaks + text.count("\n"), returns + text.count("\r")
        return 1 + max(breaks, returns)


def in_utf_8(file: pa.NativeFile, encoding: str, separator: str = "") -> pa.NativeFile:
    """Return the text of a file, unpacked, as UTF-8."""
    return pa.PythonFile(Characters(text_stream(file), encoding, separator=separator), "r")


def refuse_hard_blanks(cells: pa.Array, first_row: int) -> None:
    """Raise DataError where a cell of ids or groups has the byte that is a blank in Windows-1252 and not in others.

    Blanks are left out of names. In a file whose encoding was guessed the byte may be a letter: á in cp850, half of a
    character in GBK.
    """
    odd = pc.index(pc.match_substring(cells.cast(pa.binary()), HARD_BLANK), True).as_py()
    if odd >= 0:
        raise DataError(
            "The file is not UTF-8, and a cell of this column has a byte that is a blank in Windows-1252 and a "
            "letter in other encodings. Say which encoding the file has, such as windows-1252 or cp850.",
            discloses=Disclosure.CELL,
            row=first_row + odd,
            remedies=(Remedy("encoding"),),
        )
