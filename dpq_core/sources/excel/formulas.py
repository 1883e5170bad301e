"""What the Excel reader leaves out of a sheet: formulas without a value, totals, hidden rows, and its calendar.

Formulas that nobody has computed have no value, or zero. Memory does not grow with the sheet but by what is found.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Iterator
from math import inf
from posixpath import join, normpath
from typing import NamedTuple
from xml.parsers import expat

from .workbooks import column_number, too_large

BLOCK = 1 << 20  # bytes parsed at once
FORMULA = re.compile(rb"<(?:[\w.-]+:)?f[\s/>]")
HIDDEN = re.compile(rb"""<(?:[\w.-]+:)?row(?=\s)[^<>]*?\shidden\s*=\s*["'](?:1|true)""")
LONGEST_TAG = 400  # bytes of the start of a tag that may be cut between two blocks, and characters of a formula
RANGE = re.compile(r"\$?([A-Za-z]{1,3})\$?(\d+):\$?([A-Za-z]{1,3})\$?(\d+)")
PARTIAL = re.compile(r"\b(SUBTOTAL|AGGREGATE)\(", re.IGNORECASE)
REFERENCE = re.compile(r"(?<![\w.!'])\$?([A-Za-z]{1,3})\$?(\d*)(:\$?([A-Za-z]{1,3})\$?\d*)?(?![\w(.!])")
SEVERAL = 3  # this many cells of its own column make a total of a formula; a balance or a number has the one above
FIRST_YEAR = {False: 1900, True: 1904}
"""Of the calendar, by what the workbook says."""


class Found(NamedTuple):
    """What a workbook says beside the cells of a column."""

    first_year: int
    uncomputed: int = 0
    """The first row, as Excel has it, with a formula whose value is not there, or may not be; 0 for none."""
    total: int = 0
    """Likewise one that the workbook says adds up others."""
    hidden: bool = False
    """Whether the sheet hides rows."""


def look_beside(archive: zipfile.ZipFile, sheet: str, column: int, rows: range) -> Found:
    """Look at a column, from 0, of a sheet whose records are in some rows: at all formulas from the first on."""
    ids, parts = dict[str, str](), dict[str, str]()
    settings = dict.fromkeys(("date1904", "fullCalcOnLoad"), False)  # the latter: formulas are written, none computed

    def start(tag: str, attributes: dict[str, str]) -> None:
        if tag == "sheet":
            ids[attributes.get("name", "")] = attributes.get("id", "")
        elif tag == "Relationship":
            parts[attributes.get("Id", "")] = attributes.get("Target", "")
        for name in settings.keys() & attributes.keys():
            settings[name] = attributes[name] in ("1", "true")

    names = archive.namelist()
    for each in ("xl/workbook.xml", "xl/_rels/workbook.xml.rels"):
        if each in names:
            parse(archive, each, start)
    part = normpath(join("/xl", parts.get(ids.get(sheet, ""), ""))).lstrip("/")
    first_year = FIRST_YEAR[settings["date1904"]]
    if part not in names:
        return Found(first_year)
    has_formulas, hidden = _has(archive, part, FORMULA, HIDDEN)
    totals = [row for row in _totals_of_tables(archive, part, column) if row in rows]
    found = _Formulas(column, rows.start)
    if has_formulas:
        parse(archive, part, found.start, found.end, found.text)
    zeros = found.zeros if settings["fullCalcOnLoad"] or found.count == len(found.zeros) else []
    return Found(first_year, min([*found.blanks, *zeros], default=0), min([*totals, *found.totals], default=0), hidden)


def _totals_of_tables(archive: zipfile.ZipFile, part: str, column: int) -> list[int]:
    """Return the rows of totals of the tables of a sheet that have this column."""
    folder, _, name = part.rpartition("/")
    related, found = f"{folder}/_rels/{name}.rels", list[dict[str, str]]()

    def start(tag: str, attributes: dict[str, str]) -> None:
        if tag in ("Relationship", "table"):
            found.append(attributes)

    if related in archive.namelist():
        parse(archive, related, start)
    tables = [normpath(join("/", folder, each["Target"])).lstrip("/") for each in found if "/table" in each["Type"]]
    found.clear()
    for each in set(tables) & set(archive.namelist()):
        parse(archive, each, start)
    areas = [RANGE.fullmatch(each.get("ref", "")) for each in found if each.get("totalsRowCount", "0") != "0"]
    return [int(area[4]) for area in areas if area and number_of(area[1]) <= column <= number_of(area[3])]


def number_of(letters: str) -> int:
    """Return the place of a column, from 0."""
    return column_number(letters.encode()) - 1


class _Formulas:
    """The formulas of one column, as its cells pass by."""

    def __init__(self, column: int, first_row: int) -> None:
        self._column, self._first_row = column, first_row
        self._row = self._at = 0
        self._formula: bool | None = None  # None: no cell of the column is open
        self._in_value = False
        self._value = ""
        self.count = 0
        self.blanks: list[int] = []
        self.zeros: list[int] = []
        self.totals: list[int] = []
        self._text, self._in_formula, self._shared = "", False, set[str]()
        self._share = ""

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "row":
            self._row, self._at = int(attributes.get("r", self._row + 1)), -1
        elif tag == "c":
            letters = re.match("[A-Za-z]*", attributes.get("r", ""))
            self._at = number_of(letters[0]) if letters and letters[0] else self._at + 1
            if self._at == self._column and self._row >= self._first_row:
                self._formula, self._value = False, ""
        elif tag == "f":
            self._formula = None if self._formula is None else True
            self._text, self._in_formula, self._share = "", True, attributes.get("si", "")
        elif self._formula is not None:
            self._in_value = tag in ("v", "t")

    def text(self, text: str) -> None:
        if self._in_formula and len(self._text) < LONGEST_TAG:
            self._text += text
        if self._in_value and len(self._value) < LONGEST_TAG:
            self._value += text

    def end(self, tag: str) -> None:
        self._in_value = False
        if tag == "f":
            self._in_formula, adds_up = False, PARTIAL.search(self._text) or adds_up_others(self._text, self._at)
            if self._share and adds_up:
                self._shared.add(self._share)
            if self._formula and (adds_up or (not self._text and self._share in self._shared)):
                self.totals.append(self._row)
        if tag != "c":
            return
        if self._formula:
            self.count += 1
            value = self._value.strip()
            if not value:
                self.blanks.append(self._row)
            elif value.strip("0.") == "":
                self.zeros.append(self._row)
        self._formula = None


def adds_up_others(formula: str, column: int) -> bool:
    """Return whether a formula reads a range of its own column, or several of its cells."""
    found = 0
    for first, row, area, last in REFERENCE.findall(re.sub('"[^"]*"', "", formula)):
        if (row or area) and number_of(first) <= column <= number_of(last or first):
            found += SEVERAL if area else 1
    return found >= SEVERAL


def _has(archive: zipfile.ZipFile, part: str, *patterns: re.Pattern[bytes]) -> list[bool]:
    """Return for each pattern whether a part has it."""
    tail, found = b"", [False] * len(patterns)
    for block in _blocks(archive, part):
        found = [
            known or pattern.search(tail + block) is not None for known, pattern in zip(found, patterns, strict=True)
        ]
        tail = block[-LONGEST_TAG:]
    return found


def parse(
    archive: zipfile.ZipFile,
    part: str,
    start: Callable[[str, dict[str, str]], None],
    end: Callable[[str], None] | None = None,
    text: Callable[[str], None] | None = None,
    most: float = inf,
) -> None:
    """Call what is given for each tag of a part, with its name and its attributes; spaces of names are left out.

    Raises DataError where the part has more bytes than `most`, and ValueError for an entity.
    """
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = lambda tag, given: start(_name(tag), {_name(each): given[each] for each in given})
    if end is not None:
        parser.EndElementHandler = lambda tag: end(_name(tag))
    if text is not None:
        parser.CharacterDataHandler = text
    parser.EntityDeclHandler = _refuse
    for block in _blocks(archive, part):
        most -= len(block)
        if most < 0:
            raise too_large()
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
