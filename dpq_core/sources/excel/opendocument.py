"""What an OpenDocument sheet (.ods) says beside its values: totals, formulas without a value, merged and hidden cells.

A row or cell may say how often it is repeated, so a small file can hold a sheet of any size: the limits are those of a
workbook.
"""

from __future__ import annotations

import datetime as dt
import re
import zipfile
from dataclasses import dataclass, field

import pyarrow as pa

from ...errors import DataError, Disclosure
from .formulas import BLOCK, PARTIAL, Found, adds_up_others, parse
from .workbooks import MAX_EXCEL_BYTES, MAX_TEXT_BYTES, TOO_MUCH_TEXT, check_area, check_workbook

CONTENT = "content.xml"
CELLS = ("table-cell", "covered-table-cell")
HOURS = re.compile(r"(-?)PT(\d+)H(\d+)M(\d+(?:\.\d+)?)S")
"""A duration of a day or more; a shorter one is a time."""
Range = tuple[tuple[int, int], tuple[int, int]]  # first and last row and column, from 0


@dataclass
class SheetFacts:
    """What was found in one sheet; rows and columns are counted from 0."""

    rows: int = 0
    """Up to the last one with a value, of all that are repeated."""
    columns: int = 0
    cells: int = 0
    """That are written with a value, however often they are repeated."""
    text: int = 0
    """Characters of all cells, counted as often as they are repeated."""
    hidden: bool = False
    merged: list[Range] = field(default_factory=list)
    uncomputed: list[tuple[int, int]] = field(default_factory=list)
    """Row and column of formulas without a value."""
    totals: list[tuple[int, int]] = field(default_factory=list)
    """Likewise of formulas that add up other cells of their column."""

    def beside(self, column: int, first_row: int) -> Found:
        """Return what was found of a column, from 0, below its header; rows are counted from 1."""
        uncomputed, total = (
            min((row + 1 for row, at in cells if at == column and row + 1 >= first_row), default=0)
            for cells in (self.uncomputed, self.totals)
        )
        return Found(0, uncomputed, total, self.hidden)


class _Reader:
    """The sheets of a document, as its tags pass by."""

    def __init__(self) -> None:
        self.sheets = dict[str, SheetFacts]()
        self._sheet = SheetFacts()
        self._row = self._column = self._rows = self._columns = 0
        self._is_filled, self._text = False, -1  # characters of the cell; below 0: none is open

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "table":
            self._sheet = self.sheets[attributes.get("name", "")] = SheetFacts()
            self._row = 0
        elif tag == "table-row":
            self._rows, self._column = int(attributes.get("number-rows-repeated", 1)), 0
            self._sheet.hidden |= attributes.get("visibility", "visible") != "visible"
        elif tag in CELLS:
            self._columns, self._text = int(attributes.get("number-columns-repeated", 1)), 0
            self._is_filled = "value-type" in attributes
            self._add(attributes)

    def _add(self, attributes: dict[str, str]) -> None:
        here = self._row, self._column
        spanned = [int(attributes.get(f"number-{what}-spanned", 1)) for what in ("rows", "columns")]
        if spanned != [1, 1]:
            self._sheet.merged.append((here, (here[0] + spanned[0] - 1, here[1] + spanned[1] - 1)))
        if formula := attributes.get("formula", ""):
            plain = re.sub(r"\[\.|(?<=:)\.|\]", "", formula.partition("=")[2])
            if not self._is_filled:
                self._sheet.uncomputed.append(here)
            if PARTIAL.search(plain) or adds_up_others(plain, self._column):
                self._sheet.totals.append(here)

    def text(self, text: str) -> None:
        if self._text >= 0 and text.strip():
            self._is_filled, self._text = True, self._text + len(text)

    def end(self, tag: str) -> None:
        sheet = self._sheet
        if tag in CELLS:
            self._column += self._columns
            if self._is_filled:
                sheet.cells += 1
                sheet.text += self._text * self._columns * self._rows
                sheet.columns, sheet.rows = max(sheet.columns, self._column), self._row + self._rows
            self._text = -1
        elif tag == "table-row":
            self._row += self._rows


def sheets_of(file: pa.NativeFile) -> dict[str, SheetFacts]:
    """Return what is found in each sheet of a document, by its name; none of a workbook that is none.

    Raises DataError for what must not be opened, and ValueError for an entity.
    """
    check_workbook(file)
    with zipfile.ZipFile(file) as archive:
        if (known := archive.namelist().count(CONTENT)) == 0:
            return {}
        found = _Reader()
        archive.getinfo(CONTENT).file_size = MAX_EXCEL_BYTES + BLOCK  # else it ends where the part says that it does
        parse(archive, CONTENT, found.start, found.end, found.text, MAX_EXCEL_BYTES / known)
    for each in found.sheets.values():
        check_area(each.rows * each.columns, each.cells)
        if each.text > MAX_TEXT_BYTES:
            raise DataError(TOO_MUCH_TEXT, discloses=Disclosure.SIZE)
    return found.sheets


def as_duration(cell: object) -> object:
    """Return a text that is a duration of a day or more as one; other cells as they are."""
    if not (isinstance(cell, str) and (parts := HOURS.fullmatch(cell))):
        return cell
    long = dt.timedelta(hours=int(parts[2]), minutes=int(parts[3]), seconds=float(parts[4]))
    return -long if parts[1] else long
