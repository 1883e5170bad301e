"""What the Excel reader leaves out of a sheet: the number format of each cell, and whether a formula has its value.

A cell holds 0.12, and its format says that this is 12 %, 0.12 €, or 2:52 on a clock. Formulas that nobody has computed
have no value, or zero. Both are read here for one column, as the archive holds them, tag by tag: memory does not grow
with the sheet but by what is found. A workbook that declares entities is refused.
"""

from __future__ import annotations

import datetime as dt
import re
import zipfile
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, field
from posixpath import join, normpath
from typing import Final, NamedTuple
from xml.parsers import expat

from ..column import Kind
from ..reading import CURRENCIES

BLOCK = 1 << 20  # bytes parsed at once
FORMULA = re.compile(rb"<(?:[\w.-]+:)?f[\s/>]")
LONGEST_TAG = 40  # bytes of the start of a tag that may be cut between two blocks
DOLLARS = (5, 6, 7, 8, 42, 44)
"""Formats that have no code in the file: those in dollars, in percent, and those of a time of day or a duration."""
PERCENTS = (9, 10)
TIMES = (18, 19, 20, 21, 45, 46, 47)
LONGEST_TIME = 366
"""Days: a cell that shows only hours and minutes, and holds more, is a date."""
FIRST_DAYS = {False: dt.datetime(1899, 12, 30), True: dt.datetime(1904, 1, 1)}
"""Day 0 by whether the calendar begins in 1904."""
LEAP_DAY = dt.datetime(1900, 3, 1)
"""Before it the calendar of 1900 is one day behind, since Excel has a 29 February 1900."""

_QUOTED = re.compile(r'"([^"]*)"|\\(.)')
_BRACKETS = re.compile(r"\[([^\]]*)\]")


class Format(NamedTuple):
    """What a number of this format is."""

    kind: Kind
    unit: str


PLAIN: Final = Format("number", "")
TIME: Final = Format("duration", "seconds")


@dataclass
class ColumnMarks:
    """What was found of one column; rows as Excel shows them."""

    formats: dict[int, Format] = field(default_factory=dict)
    """Of rows whose format is not PLAIN."""
    unsure: int = 0
    """The first row with a formula whose value is not there, or may not be; 0 where there is none."""
    first_day: dt.datetime = FIRST_DAYS[False]

    def as_time(self, row: int, cell: dt.datetime | dt.date) -> dt.timedelta | None:
        """Return a cell as a duration, where the reader took for a date what shows only hours and minutes."""
        if self.formats.get(row) != TIME:
            return None
        at = cell if isinstance(cell, dt.datetime) else dt.datetime.combine(cell, dt.time())
        held = at - self.first_day
        if self.first_day == FIRST_DAYS[False] and at < LEAP_DAY:
            held -= dt.timedelta(days=1)
        return held if held < dt.timedelta(days=LONGEST_TIME) else None


def column_marks(archive: zipfile.ZipFile, sheet: str, column: int, rows: Container[int]) -> ColumnMarks:
    """Return the formats and formulas of a column, from 0, in some rows of a sheet."""
    workbook = _Workbook()
    _parse(archive, "xl/workbook.xml", workbook.start)
    part = _part_of(archive, workbook.ids.get(sheet, ""))
    formats = _formats(archive)
    if not part or not (any(each != PLAIN for each in formats) or _has_formulas(archive, part)):
        return ColumnMarks()
    found = _Cells(column, rows, formats)
    _parse(archive, part, found.start, found.end, found.text)
    zeros = found.zeros if workbook.uncomputed or found.formulas == len(found.zeros) else []
    unsure = min([*found.blanks, *zeros], default=0)
    return ColumnMarks(found.formats, unsure, FIRST_DAYS[workbook.from_1904])


class _Workbook:
    """The sheets of a workbook, and its settings for all of them."""

    def __init__(self) -> None:
        self.ids: dict[str, str] = {}
        self.from_1904 = self.uncomputed = False

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "sheet":
            self.ids[attributes.get("name", "")] = attributes.get("id", "")
        elif tag == "workbookPr":
            self.from_1904 = _is_on(attributes.get("date1904"))
        elif tag == "calcPr":  # by programs that write formulas and compute none
            self.uncomputed = _is_on(attributes.get("fullCalcOnLoad"))


class _Cells:
    """The cells of one column, as they pass by."""

    def __init__(self, column: int, rows: Container[int], formats: list[Format]) -> None:
        self._column, self._rows, self._known = column, rows, formats
        self._row = self._at = 0
        self._formula: bool | None = None  # None: no cell of the column is open
        self._in_value = False
        self._value = ""
        self.formats: dict[int, Format] = {}
        self.formulas = 0
        self.blanks: list[int] = []
        self.zeros: list[int] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "row":
            self._row, self._at = int(attributes.get("r", self._row + 1)), -1
        elif tag == "c":
            address = attributes.get("r")
            self._at = _column_number(address) if address else self._at + 1
            if self._at != self._column or self._row not in self._rows:
                return
            self._formula, self._value = False, ""
            style = int(attributes.get("s", 0))
            if style < len(self._known) and self._known[style] != PLAIN:
                self.formats[self._row] = self._known[style]
        elif self._formula is not None and tag == "f":
            self._formula = True
        elif self._formula is not None:
            self._in_value = tag in ("v", "t")

    def text(self, text: str) -> None:
        if self._in_value and len(self._value) < LONGEST_TAG:
            self._value += text

    def end(self, tag: str) -> None:
        self._in_value = False
        if tag != "c" or self._formula is None:
            return
        if self._formula:
            self.formulas += 1
            value = self._value.strip()
            if not value:
                self.blanks.append(self._row)
            elif value.strip("0.") == "":
                self.zeros.append(self._row)
        self._formula = None


def _formats(archive: zipfile.ZipFile) -> list[Format]:
    """Return the format of each style."""
    if "xl/styles.xml" not in archive.namelist():
        return []
    codes: dict[int, str] = {}
    styles: list[int] = []
    inside = [False]

    def start(tag: str, attributes: dict[str, str]) -> None:
        if tag == "numFmt":
            codes[int(attributes.get("numFmtId", 0))] = attributes.get("formatCode", "")
        elif tag in ("cellXfs", "cellStyleXfs", "dxfs"):
            inside[0] = tag == "cellXfs"
        elif tag == "xf" and inside[0]:
            styles.append(int(attributes.get("numFmtId", 0)))

    _parse(archive, "xl/styles.xml", start)
    return [format_of(codes[each]) if each in codes else _built_in(each) for each in styles]


def _built_in(number: int) -> Format:
    if number in PERCENTS:
        return Format("percent", "%")
    if number in DOLLARS:
        return Format("money", "$")
    return TIME if number in TIMES else PLAIN


def format_of(code: str) -> Format:
    """Return what numbers of a format are: that of positive ones decides. Dates are PLAIN, since the reader tells them.

    The codes are those of ECMA-376, 18.8.31.
    """
    shown = "".join(first or second for first, second in _QUOTED.findall(code))
    code = _QUOTED.sub("", code).split(";")[0]
    brackets = _BRACKETS.findall(code)
    code = _BRACKETS.sub("", code)
    if "%" in code:
        return Format("percent", "%")
    elapsed = any(re.fullmatch(r"[hH]+|[mM]+|[sS]+", each) for each in brackets)
    letters = code.lower()
    if elapsed or (re.search("[hs]", letters) and not re.search("[ydg]|mmm", letters)):
        return TIME
    shown += code + "".join(each[1:].split("-")[0] for each in brackets if each.startswith("$"))
    units = [unit for unit, pattern in CURRENCIES.items() if re.search(pattern, shown)]
    return Format("money", units[0]) if units and not re.search("[yd]", letters) else PLAIN


def _has_formulas(archive: zipfile.ZipFile, part: str) -> bool:
    tail = b""
    for block in _blocks(archive, part):
        if FORMULA.search(tail + block):
            return True
        tail = block[-LONGEST_TAG:]
    return False


def _part_of(archive: zipfile.ZipFile, relation: str) -> str:
    """Return where the archive holds a sheet; "" where it does not say so."""
    targets: dict[str, str] = {}

    def start(tag: str, attributes: dict[str, str]) -> None:
        if tag == "Relationship":
            targets[attributes.get("Id", "")] = attributes.get("Target", "")

    if "xl/_rels/workbook.xml.rels" not in archive.namelist():
        return ""
    _parse(archive, "xl/_rels/workbook.xml.rels", start)
    target = targets.get(relation, "")
    part = target.lstrip("/") if target.startswith("/") else normpath(join("xl", target))
    return part if part in archive.namelist() else ""


def _parse(
    archive: zipfile.ZipFile,
    part: str,
    start: Callable[[str, dict[str, str]], None],
    end: Callable[[str], None] | None = None,
    text: Callable[[str], None] | None = None,
) -> None:
    """Call what is given for each tag of a part, with its name and its attributes; spaces of names are left out."""
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = lambda tag, given: start(_name(tag), {_name(each): given[each] for each in given})
    if end is not None:
        parser.EndElementHandler = lambda tag: end(_name(tag))
    if text is not None:
        parser.CharacterDataHandler = text
    parser.EntityDeclHandler = _refuse
    for block in _blocks(archive, part):
        parser.Parse(block, False)
    parser.Parse(b"", True)


def _blocks(archive: zipfile.ZipFile, part: str) -> Iterator[bytes]:
    with archive.open(part) as content:
        while block := content.read(BLOCK):
            yield block


def _refuse(*_: object) -> None:
    raise ValueError("no workbook declares an entity")


def _name(tag: str) -> str:
    return tag.rpartition(" ")[2]


def _is_on(value: str | None) -> bool:
    return value in ("1", "true")


def _column_number(address: str) -> int:
    """Return the column of an address such as "AB12", from 0."""
    number = 0
    for letter in address:
        if not letter.isalpha():
            break
        number = 26 * number + ord(letter.upper()) - ord("A") + 1
    return number - 1
