"""What the Excel reader would not survive, found before it opens a workbook.

That reader reserves the whole used rectangle of a sheet at once, and gives every cell its own copy of a shared text. So
every part is unpacked here first, block by block, and measured; nothing that a part says of its size or name is
believed. The search for tags may find too many, never too few.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from ...arrays import Integers
from ...errors import DataError, Disclosure

MAX_EXCEL_BYTES = 600_000_000  # unpacked
MAX_EXCEL_CELLS = 25_000_000  # the Excel reader takes 32 bytes for each cell of the used rectangle, empty or not
ALWAYS_USED = 2_000_000  # cells of the used rectangle that any sheet may have
MOST_EMPTY = 20  # times as many cells may lie in the used rectangle as the sheet writes
MAX_PARTS = 10_000  # of the archive; a workbook has some dozens
MAX_SHARED_TEXTS = 20_000_000
MAX_TEXT_BYTES = 1_000_000_000  # of shared texts, each counted as often as cells show it
TOO_MUCH_TEXT = "The cells of the workbook hold too much text; save the sheet as CSV."
LONGEST_PIECE = 1 << 22  # bytes without a tag; Excel lets a cell hold 32,767 characters
BLOCK = 1 << 22  # bytes unpacked at once
ADDRESS = re.compile(rb"""\sr\s*=\s*["']([A-Za-z]{0,3})(\d{1,10})["']""")
ROW_OR_CELL = re.compile(rb"<(?:[\w.-]+:)?(row|c)(?=[\s/>])")
SHARED_TEXT = re.compile(rb"<(?:[\w.-]+:)?si(?=[\s/>])")
# Possessive, and with an end of its own for what is cut off: what was read once is never read again.
VALUE = re.compile(rb"<(?:[\w.-]+:)?v(?:\s[^>]*+)?+(?:>([^<]*+)(?:<([!?]?)|\Z)|\Z)")


@dataclass
class Measures:
    """What was found in one part of a workbook."""

    letters: set[bytes] = field(default_factory=set)
    height: int = 0
    rows: int = 0
    cells: int = 0
    run: int = 0
    longest_run: int = 0
    """Cells of a row: they need no address."""
    texts: list[Integers] = field(default_factory=list)
    """Where shared texts begin, in bytes from the start of the part."""
    size: int = 0

    @property
    def area(self) -> int:
        """Return the number of cells of the used rectangle; at most four times too few where addresses are left out."""
        width = max(map(column_number, self.letters), default=0)
        return max(width, self.longest_run, 1) * max(self.height, self.rows)

    def add(self, piece: bytes) -> None:
        """Count the rows, cells and shared texts of the next piece."""
        found = ADDRESS.findall(piece)
        self.letters.update(letter.upper() for letter, _ in found)
        self.height = max([self.height, *(int(row) for _, row in found)])
        first, *others = b"".join(ROW_OR_CELL.findall(piece)).split(b"row")
        runs = [self.run + len(first), *map(len, others)]
        self.rows, self.run, self.longest_run = self.rows + len(others), runs[-1], max(self.longest_run, *runs)
        self.cells += sum(runs) - runs[0] + len(first)
        begins = [match.start() for match in SHARED_TEXT.finditer(piece)]
        self.texts.append(np.array(begins, dtype=np.int64) + self.size)
        self.size += len(piece)


def check_workbook(file: pa.NativeFile) -> None:
    """Raise DataError for a file that is no workbook, or an Excel one too large to be opened. O(bytes unpacked)."""
    with zipfile.ZipFile(file) as archive:
        names = archive.namelist()
        parts, is_document = archive.infolist(), "content.xml" in names
        if "xl/workbook.xml" not in names and not is_document:
            raise DataError(
                "The file is a zip archive, not a workbook; unpack it, or save the sheet as .xlsx.",
                discloses=Disclosure.FORMAT,
            )
        if len(parts) > MAX_PARTS:
            raise DataError("The workbook holds too many parts; save the sheet as CSV.", discloses=Disclosure.SIZE)
        if is_document:
            return
        found: list[Measures] = []
        left = MAX_EXCEL_BYTES
        for part in parts:
            found.append(_measure(archive, part, left))
            left -= found[-1].size
        if sum(sum(map(len, each.texts)) for each in found) > MAX_SHARED_TEXTS:
            raise DataError(
                f"The workbook holds more than {MAX_SHARED_TEXTS:,} texts; save the sheet as CSV.",
                discloses=Disclosure.SIZE,
            )
        lengths = max(
            (np.diff(np.concatenate([*each.texts, [each.size]])) for each in found),
            key=lambda each: int(each.max(initial=0)),
        )
        if sum(each.cells for each in found) * int(lengths.max(initial=0)) > MAX_TEXT_BYTES:
            _check_texts(archive, lengths)


def _measure(archive: zipfile.ZipFile, part: zipfile.ZipInfo, most: int) -> Measures:
    found = Measures()
    for piece in _pieces(archive, part):
        found.add(piece)
        if found.size > most:
            raise too_large()
    check_area(found.area, found.cells)
    return found


def too_large() -> DataError:
    """Return the refusal of a workbook that unpacks to too many bytes."""
    sentence = f"The workbook unpacks to more than {MAX_EXCEL_BYTES:,} bytes; save the sheet as CSV."
    return DataError(sentence, discloses=Disclosure.SIZE)


def check_area(area: int, cells: int) -> None:
    """Raise DataError where the used rectangle of a sheet is too large for the cells that it writes."""
    if area > min(MAX_EXCEL_CELLS, max(ALWAYS_USED, MOST_EMPTY * cells)):
        raise DataError(
            "The used area of the sheet is too large; delete stray cells far from the data or save as CSV.",
            discloses=Disclosure.SIZE,
        )


def _check_texts(archive: zipfile.ZipFile, lengths: Integers) -> None:
    """Add up the texts that cells show; a cell that is not clearly a number counts as the longest."""
    longest, total = int(lengths.max()), 0
    for part in archive.infolist():
        for piece in _pieces(archive, part):
            for content, unusual in VALUE.findall(piece):
                total += longest if unusual else _length_shown(content, lengths, longest)
            if total > MAX_TEXT_BYTES:
                raise DataError(TOO_MUCH_TEXT, discloses=Disclosure.SIZE)


def _length_shown(content: bytes, lengths: Integers, longest: int) -> int:
    if content.isdigit() and len(content) < 10:
        return int(lengths[int(content)]) if int(content) < len(lengths) else 0
    try:
        float(content or b"0")
    except ValueError:
        return longest
    return longest if content[:1] in b"+ \t\r\n" and content else 0


def _pieces(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> Iterator[bytes]:
    """Yield a part in pieces that end before a tag, so that no tag is cut; two bytes of that tag come along."""
    part.file_size = MAX_EXCEL_BYTES + BLOCK  # else the archive stops where the part says that it ends
    tail = b""
    with archive.open(part) as content:
        while block := content.read(BLOCK):
            whole = tail + block
            cut = max(whole.rfind(b"<", 0, len(whole) - 1), 0)
            tail = whole[cut:]
            if len(tail) > LONGEST_PIECE:
                raise DataError(
                    "The workbook holds something too long for a cell; save the sheet as CSV.",
                    discloses=Disclosure.SIZE,
                )
            yield whole[: cut + 2] if cut else b""
    yield tail


def column_number(letters: bytes) -> int:
    """Return the number of a column by its letters, from 1."""
    number = 0
    for letter in letters.upper():
        number = 26 * number + letter - ord("A") + 1
    return number
