"""Quotes of a text that may hold no cells: what they would join is refused, since it is a record less.

An inch mark at the start of a cell (`"5 in`) opens one that ends at the next inch mark, rows below; text then follows
the closing quote. A ditto mark (`"` alone) leaves no such trace, but every line that it swallows has as many separators
as a row. Only a person knows: `find_layout(quoting=)`. `QuoteWatch` looks at all bytes as they are read.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from itertools import chain

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


def wrong_quote(lines: Iterable[str], separator: str, width: int, first_row: int, *, certain: bool) -> DataError | None:
    """Return the error of the first quote that may be no quote; None where all hold cells.

    lines: of the table, of which a person calls the first row `first_row`. certain: whether a person said that quotes
    hold cells; then only one that is never closed is wrong.
    """
    row, record, above = first_row, [END], 0
    reader = csv.reader(chain(lines, (END,)), delimiter=separator, strict=not certain)
    try:
        for record in reader:
            if reader.line_num > above + 1 and width > 1 and not certain:
                cut = LINES.split(separator.join(record))
                if all(line.count(separator) == width - 1 for line in cut):
                    return _refusal(SWALLOWED, row)
            above = reader.line_num
            row += 1
    except csv.Error as error:
        of_error = {"unexpected end": UNCLOSED, "field larger": TOO_LONG}
        return _refusal(next((said for words, said in of_error.items() if words in str(error)), BEHIND), row)
    return None if record == [END] else _refusal(UNCLOSED, row - 1)


def _refusal(message: str, row: int) -> DataError:
    ways = (Remedy("quoting", False),) if message == UNCLOSED else (Remedy("quoting", False), Remedy("quoting", True))
    return DataError(message, discloses=Disclosure.SHAPE, row=row, remedies=ways)
