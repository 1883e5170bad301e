"""What the Excel reader leaves out of a sheet: whether each formula has its value, and where the calendar begins.

Formulas that nobody has computed have no value, or zero. They are searched in one column, as the archive holds them,
tag by tag: memory does not grow with the sheet but by what is found. A workbook that declares entities is refused.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Container, Iterator
from posixpath import join, normpath
from typing import NamedTuple
from xml.parsers import expat

from .workbooks import column_number

BLOCK = 1 << 20  # bytes parsed at once
FORMULA = re.compile(rb"<(?:[\w.-]+:)?f[\s/>]")
LONGEST_TAG = 40  # bytes of the start of a tag that may be cut between two blocks
PARTS = "xl/_rels/workbook.xml.rels"
FIRST_YEAR = {False: 1900, True: 1904}
"""Of the calendar, by what the workbook says."""


class Found(NamedTuple):
    """What a workbook says beside the cells of a column."""

    uncomputed: int
    """The first row, as Excel has it, with a formula whose value is not there, or may not be; 0 where there is none."""
    first_year: int


def look_beside(archive: zipfile.ZipFile, sheet: str, column: int, rows: Container[int]) -> Found:
    """Look at the formulas of a column, from 0, in some rows of a sheet."""
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
    for each in ("xl/workbook.xml", PARTS):
        if each in names:
            _parse(archive, each, start)
    part = normpath(join("/xl", parts.get(ids.get(sheet, ""), ""))).lstrip("/")
    first_year = FIRST_YEAR[settings["date1904"]]
    if part not in names or not _has_formulas(archive, part):
        return Found(0, first_year)
    found = _Formulas(column, rows)
    _parse(archive, part, found.start, found.end, found.text)
    zeros = found.zeros if settings["fullCalcOnLoad"] or found.count == len(found.zeros) else []
    return Found(min([*found.blanks, *zeros], default=0), first_year)


class _Formulas:
    """The formulas of one column, as its cells pass by."""

    def __init__(self, column: int, rows: Container[int]) -> None:
        self._column, self._rows = column, rows
        self._row = self._at = 0
        self._formula: bool | None = None  # None: no cell of the column is open
        self._in_value = False
        self._value = ""
        self.count = 0
        self.blanks: list[int] = []
        self.zeros: list[int] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "row":
            self._row, self._at = int(attributes.get("r", self._row + 1)), -1
        elif tag == "c":
            letters = re.match("[A-Za-z]*", attributes.get("r", ""))
            self._at = column_number(letters[0].encode()) - 1 if letters and letters[0] else self._at + 1
            if self._at == self._column and self._row in self._rows:
                self._formula, self._value = False, ""
        elif self._formula is not None and tag == "f":
            self._formula = True
        elif self._formula is not None:
            self._in_value = tag in ("v", "t")

    def text(self, text: str) -> None:
        if self._in_value and len(self._value) < LONGEST_TAG:
            self._value += text

    def end(self, tag: str) -> None:
        self._in_value = False
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


def _has_formulas(archive: zipfile.ZipFile, part: str) -> bool:
    tail = b""
    for block in _blocks(archive, part):
        if FORMULA.search(tail + block):
            return True
        tail = block[-LONGEST_TAG:]
    return False


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
