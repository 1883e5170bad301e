"""The characters of a text file: one encoding for all of its bytes, none of which is replaced.

Claim. Two cells hold the same text only if the encoding of the file gives both the same characters. A byte that it does
not have ends the reading with an error: replaced by a sign, two persons or two groups could become one.

A file is UTF-16 by its mark, UTF-8 if all of its bytes are, and else Windows-1252 if that has all of its bytes.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from itertools import chain

import pyarrow as pa
import pyarrow.compute as pc

from ...errors import DataError, Disclosure, Remedy
from ..formats.known import GUESSED, UTF_8, named
from ..formats.reader import Opener
from .unpacking import text_blocks

MARKS = {codecs.BOM_UTF8: UTF_8, codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
SAMPLE = 1 << 20
"""Bytes at the start of a file that tell its encoding where not all are read for that."""
ONE_BYTE = "\x1f"
"""A separator that is not of ASCII becomes this character, which text does not contain."""
HARD_BLANK = "\u00a0".encode()


def encoding_of(open_file: Opener, said: str, *, whole: bool) -> str:
    """Return the encoding of a text file: that which was said, or the one that is found.

    Raises DataError where a byte does not belong to it; without `whole` only the start is looked at.
    """
    with open_file() as file:
        start = next(text_blocks(file), b"")
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
        left = SAMPLE
        for block in in_utf_8(file, encoding, name=name, again=open_file):
            left -= len(block)
            if not whole and left <= 0:
                return


def in_utf_8(
    file: pa.NativeFile, encoding: str, separator: str = "", *, name: str = "", again: Opener | None = None
) -> Iterator[bytes]:
    """Yield the text of a file, unpacked, as UTF-8. Raises DataError at the first byte that its encoding does not have.

    `separator`: one that is not of ASCII becomes ONE_BYTE, since libraries want one byte. `again` opens the file anew,
    to find the row of a wrong byte.
    """
    decoder, before, within = codecs.getincrementaldecoder(encoding)(), 0, False
    same = encoding == UTF_8 and separator.isascii()
    for block in chain(text_blocks(file), [b""]):
        try:
            if same and not within and block.isascii() and block:
                text = block
            else:
                decoded = decoder.decode(block, not block)
                within = bool(decoder.getstate()[0])  # a character, whose other bytes come next
                if not separator.isascii():
                    decoded = decoded.replace(separator, ONE_BYTE)
                text = block if same else decoded.encode()
        except UnicodeDecodeError as error:
            here = before + len(block) - len(error.object) + error.start
        except UnicodeError:  # half a character outside the basic plane
            here = before
        else:
            before += len(block)
            if text:
                yield text
            continue
        raise DataError(
            f"The file is not {name or named(encoding)}: a byte of it has no character there. Say which encoding the "
            "file has, such as shift-jis or windows-1250.",
            discloses=Disclosure.FORMAT, row=_row_of(here, encoding, again) if again else None, byte=1 + here,
            remedies=(Remedy("encoding"),),
        ) from None  # fmt: skip


def start_of(blocks: Iterable[bytes], size: int) -> bytes:
    """Return the first bytes of a text."""
    start = b""
    for block in blocks:
        start += block
        if len(start) >= size:
            break
    return start[:size]


def _row_of(place: int, encoding: str, open_file: Opener) -> int:
    """Return the row of a byte; ends of lines are of both kinds."""
    decoder, breaks, returns = codecs.getincrementaldecoder(encoding)("ignore"), 0, 0
    with open_file() as file:
        for block in text_blocks(file):
            text = decoder.decode(block[:place])
            place, breaks, returns = place - len(block), breaks + text.count("\n"), returns + text.count("\r")
            if place <= 0:
                break
    return 1 + max(breaks, returns)


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
