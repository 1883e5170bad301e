"""How a text file is laid out, found from its first lines: separator, header, and the decimal mark.

The separator is a tab, semicolon, bar or comma, or what a line "sep=;" or a person says. Titles and blank lines above
the header are passed over (margins.py). Without a header (header.py) every line from the top is a record.
"""

from __future__ import annotations

import csv
import io
import re
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice

from ...errors import DataError, Disclosure, Remedy
from ..column import label_columns
from ..formats.known import GUESSED, listed, named
from ..formats.reader import Layout, Opener, Opening
from ..header import decide_header
from ..margins import decimal_mark, parted_by_spaces, rows_above
from .characters import ONE_BYTE, SAMPLE, encoding_of, in_utf_8, start_of
from .unpacking import dialect

SAMPLE_ROWS = 200
SEPARATORS = "\t;|,"  # in order of preference when they fit equally well
ODD_SEPARATORS = "^~¦§"
"""What nobody would guess between columns: it has to be said."""
NO_SEPARATOR = ONE_BYTE  # for a file of one column
OTHER_FORMATS = {
    "a web page or XML": re.compile(r"<(!doctype|html|head|table|\?xml)\b", re.IGNORECASE),
    "JSON": re.compile(r'\{\s*"|\[\s*[\[{]'),
    "a PDF": re.compile("%PDF-"),
}


@dataclass(frozen=True)
class TextLayout(Layout):
    """How a text file is laid out."""

    module: str = field(default="text", kw_only=True)
    encoding: str  # as Python calls it
    separator: str  # of ASCII; in place of another one that was said
    skip: int  # lines before the header, or before the records where there is none
    header: bool  # whether that row holds the names
    first_row: int  # what a person calls the row of the first record
    decimal: str  # the mark of cells that can be read both ways; "" if the user has to say it

    @property
    def guessed(self) -> bool:
        """Return whether the file is read as Windows-1252 because it is not UTF-8, and nobody said what it is."""
        return self.encoding == GUESSED and not self.said.encoding

    @property
    def read_as(self) -> str:
        """Return what people call the encoding, "" where it is one of Unicode."""
        return "" if self.encoding.startswith("utf-") else named(self.encoding)


def find_layout(open_file: Opener, said: Opening, *, whole: bool = True) -> TextLayout:
    """Find encoding, separator and names of a text file: the encoding from all bytes, others from the first lines.

    Raises DataError, and ParameterError (name "header") where it is not certain whether the first row is one.
    """
    header, quoting = said.header, said.quoting
    encoding = encoding_of(open_file, said.encoding, whole=whole)
    with open_file() as file:
        head = start_of(in_utf_8(file, encoding), SAMPLE + 1)
    text = head.decode(errors="ignore").removeprefix("\ufeff")  # its last character may be cut
    if "\0" in text:
        raise DataError(
            f"The file is not {listed()} that can be read; save it as UTF-8 CSV.", discloses=Disclosure.FORMAT
        )
    lines = io.StringIO(text, newline="").readlines()
    if len(head) > SAMPLE and len(lines) > 1:
        lines.pop()  # may be cut
    skip = next((k for k, line in enumerate(lines) if line.strip()), None)
    if skip is None:
        raise DataError("The file is empty.", discloses=Disclosure.EMPTY)
    for name, start in OTHER_FORMATS.items():
        if start.match(lines[skip].lstrip() + "".join(lines[skip + 1 : skip + 3])):
            raise DataError(
                f"The file is {name}, not a table; export the data as {listed()}.", discloses=Disclosure.FORMAT
            )
    separator, top = "", 0
    if hint := re.fullmatch(r'"?sep=([,;|\t^~])"?', lines[skip].strip("\r\n")):
        separator, top = hint[1], skip + 1
        skip = next((k for k in range(top, len(lines)) if lines[k].strip()), top)
    body = "".join(lines[skip:])
    separator = said.separator or separator or _separator(body, quoting)
    if not separator.isascii():
        body, separator = body.replace(separator, NO_SEPARATOR), NO_SEPARATOR
    is_open = separator == NO_SEPARATOR and not said.separator
    if is_open and (odd := _separator(body, quoting, ODD_SEPARATORS)) != NO_SEPARATOR:
        raise DataError(
            f"The columns of this file seem to be separated by {odd!r}; say so (`separator`), or save it as CSV.",
            discloses=Disclosure.SHAPE, remedies=(Remedy("separator", odd),),
        )  # fmt: skip
    records = records_of(body, separator, SAMPLE_ROWS, quoting)
    titles = 0 if header is False else rows_above(records)
    if not records or not records[titles]:
        raise DataError("The file has no rows, or its first row is damaged.", discloses=Disclosure.EMPTY)
    if is_open and parted_by_spaces([record[0] for record in records[titles:] if record]):
        raise DataError(
            "Only spaces separate the columns of this file, or the thousands of its numbers; write numbers without "
            "spaces, and separate columns by tabs or semicolons.",
            discloses=Disclosure.SHAPE,
        )
    names, below = label_columns(records[titles]), records[titles + 1 :]
    cut = not below and (len(head) > SAMPLE or len(lines) > skip + _lines_of(body, separator, titles + 1, quoting))
    header = decide_header(records[titles], below, header, all_seen=not cut)
    first_row = skip + titles + 2 if header else top + 1
    skip = skip + _lines_of(body, separator, titles, quoting) if header else top
    names = names if header else label_columns([""] * len(names))
    decimal = decimal_mark(records[titles + header :], comma_separated=separator == ",")
    return TextLayout(names, encoding, separator, skip, header, first_row, decimal, said=said)


def _separator(text: str, quoting: bool | None, among: str = SEPARATORS) -> str:
    """Return the separator with which most rows have as many cells as the header, and more than one."""
    best, share = NO_SEPARATOR, 0.0
    for separator in among:
        records = records_of(text, separator, SAMPLE_ROWS, quoting)
        widths = [len(record) for record in records[rows_above(records) :] if record]
        if not widths or widths[0] < 2:
            continue
        fit = widths.count(widths[0]) / len(widths)
        if fit > share:
            best, share = separator, fit
    return best


def records_of(text: str, separator: str, most: int, quoting: bool | None = None) -> list[list[str]]:
    """Return the first rows as lists of cells, up to one that cannot be read."""
    records: list[list[str]] = []
    with suppress(csv.Error):
        records.extend(islice(csv.reader(io.StringIO(text, newline=""), **dialect(separator, quoting)), most))
    return records


def _lines_of(text: str, separator: str, rows: int, quoting: bool | None) -> int:
    reader = csv.reader(io.StringIO(text, newline=""), **dialect(separator, quoting))
    for _ in range(rows):
        next(reader)
    return reader.line_num
