"""Reader of workbooks of Excel (.xlsx) and OpenDocument (.ods).

One sheet is read, the first that is not hidden unless another one is named. A number is what is stored, not what its
format shows; a date is what has such a format. Merged cells hold one value.
"""

from __future__ import annotations

import datetime as dt
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from ...errors import DataError, Disclosure, ParameterError
from ...groups.cells import Holds, PossibleNames
from ...values import refuse_rounded
from ..column import Progress, Values, check_rows, label_columns
from ..dates import duration_text
from ..formats.reader import FileColumn, FileTable, Layout, Opener, Opening, Place, Typed, clear_fields
from ..header import decide_header
from ..margins import MOST_TITLES, MOST_TOLD, Ending, decimal_mark, rows_above
from ..notation import parse_fields
from ..numbers import ODD_ONE, are_values
from ..reading import Reading
from .formulas import look_beside
from .opendocument import Range, SheetFacts, as_duration, sheets_of

Sheet = list[tuple[int, list[object]]]  # row number as Excel shows it, cells
LAST_ROWS = 100  # looked at for a total
UNCOMPUTED = (
    "A cell holds a formula without its value, or one that nothing has computed; open the workbook in a spreadsheet "
    "and save it."
)
FIRST_YEAR = (
    "A cell holds hours above 24, or a date of the first year of the calendar; give hours the format [h]:mm, and write "
    "such a date as text."
)
DECLARED = "A row of the sheet adds up others, as it says itself; delete it, since it would count as a record."
ACROSS = "A cell of this column is merged with one of another column; take the cells apart."


@dataclass(frozen=True)
class SheetLayout(Layout):
    """Where the columns of a sheet are."""

    module: str = field(default="excel", kw_only=True)
    first: int  # row of the sheet that is the first record, from 0 at the first one that is not blank


class SheetTable(FileTable):
    """The columns of one sheet, which is in memory; every cell has its own type."""

    def __init__(self, open_file: Opener, layout: SheetLayout) -> None:
        self._file = open_file()
        self._name, sheet, self._merged, self._is_one_of_several, self._facts = _sheet_of(self._file, layout.said.sheet)
        self._rows, self._totals = sheet[layout.first :], layout.said.totals
        self._cells = dict[Place, pa.Array]()

    @classmethod
    def find_layout(cls, open_file: Opener, said: Opening, *, whole: bool = True) -> SheetLayout:
        """Find the columns of a sheet, below its titles."""
        texts = _first_texts(_sheet_of(open_file(), said.sheet)[1])
        titles = 0 if said.header is False else rows_above(texts)
        names = texts[titles]
        if decide_header(names, texts[titles + 1 :], said.header):
            labels, first = label_columns(names), titles + 1
        else:
            labels, first = label_columns([""] * len(names)), 0
        return SheetLayout(labels, first, said=said)

    @classmethod
    def list_sheets(cls, open_file: Opener) -> tuple[str, ...]:
        """Return the names of the sheets that are not hidden, or of all where all are."""
        file = open_file()
        sheets_of(file)
        with closing(_opened(file)) as workbook:
            return tuple(_offered(workbook))

    def find_column(self, place: Place) -> FileColumn:
        """Read a column by its place, of ids and names as texts; a blank row above a record is a missing value."""
        held, at = self._filled(place.at), place.at
        if place.use != "values":
            self._check(at, held)
            refuse_rounded(np.array([cell for cell in held if _is_number(cell)], np.float64))
            self._cells[place] = pa.array(map(_cell_text, held), pa.string())
            return FileColumn(possible=PossibleNames(_holds_of(held)))
        if not held:
            raise DataError(
                "The sheet has a header but no rows below it; choose another one.", discloses=Disclosure.EMPTY
            )
        records = [row for _, row in self._rows]
        ends = range(len(held)) if len(held) <= 2 * LAST_ROWS else [*range(LAST_ROWS), *range(-LAST_ROWS, 0)]
        looked_at = [[*records[row][:at], held[row], *records[row][at + 1 :]] for row in ends]
        if self._totals is not False:
            Ending([[_cell_text(cell) for cell in row] for row in looked_at]).check_no_total(at)
        hidden = self._check(at, held)
        notes = (f"sheet {self._name!r}",) * self._is_one_of_several
        notes += ("rows that the sheet hides are read, too",) * hidden
        if all(cell == "" for cell in held):
            raise DataError(
                "The column is empty; if it holds formulas, open the workbook in a spreadsheet and save it.",
                discloses=Disclosure.EMPTY,
            )
        words = [[cell for cell in row if isinstance(cell, str)] for row in records[:MOST_TOLD]]
        values = _values(held, self._rows, decimal_mark(words, comma_separated=False), place.reading)
        typed, self._cells[place] = Typed(values.kind, values.unit), pa.array(values.numbers)
        return FileColumn(rows=len(held), typed=typed, told=values.reading, notes=notes)

    def batches(self, places: Sequence[Place], progress: Progress | None) -> Iterator[Sequence[pa.Array]]:
        """Yield the cells, which are in memory."""
        if progress is not None:
            progress(1.0)
        yield [self._cells[place] for place in places]

    def _filled(self, at: int) -> list[object]:
        """Return the cells of a column, each of several merged ones with their value. Raises DataError."""
        cells, first = [row[at] for _, row in self._rows], self._rows[0][0] if self._rows else 0
        for (top, left), (bottom, right) in self._merged:
            if not self._rows or not left <= at <= right or top + 1 < first or top >= self._rows[-1][0]:
                continue
            if left < at:
                raise DataError(ACROSS, discloses=Disclosure.CELL, row=top + 1)
            within = slice(top + 1 - first, min(bottom + 2 - first, len(cells)))
            cells[within] = [cells[within.start]] * (within.stop - within.start)
        return cells

    def _check(self, at: int, cells: list[object]) -> bool:
        """Return whether rows are hidden. Raises DataError where a cell is not what it shows, or a total."""
        if not self._rows:
            return False
        rows = range(self._rows[0][0], self._rows[-1][0] + 1)
        with zipfile.ZipFile(self._file) as archive:
            found = self._facts.beside(at, rows.start) if self._facts else look_beside(archive, self._name, at, rows)
        if found.uncomputed:
            raise DataError(UNCOMPUTED, discloses=Disclosure.CELL, row=found.uncomputed)
        if found.total:
            raise DataError(DECLARED, discloses=Disclosure.TOTAL, row=found.total)
        for (number, _), cell in zip(self._rows, cells, strict=True):
            if isinstance(cell, dt.date) and cell.year <= found.first_year:
                raise DataError(FIRST_YEAR, discloses=Disclosure.CELL, row=number)
        return found.hidden


TABLE = SheetTable


def _offered(workbook: Any) -> list[str]:
    """Return the names of the sheets that can be read: those that are not hidden, or all where all are."""
    from python_calamine import SheetVisibleEnum

    found = [each.name for each in workbook.sheets_metadata if each.visible == SheetVisibleEnum.Visible]
    return found or [each.name for each in workbook.sheets_metadata]


def _values(cells: list[object], rows: Sheet, decimal: str, reading: Reading) -> Values:
    """Return the numbers of a column, of which all cells must be of one kind and unit. Raises DataError."""
    typed = np.array([cell if _is_number(cell) else np.nan for cell in cells], dtype=np.float64)
    texts = pa.array([None if _is_number(cell) else _cell_text(cell) for cell in cells], pa.string())
    with clear_fields(lambda at: rows[at][0]):
        found = parse_fields(texts, decimal=decimal, reading=reading)
    of_numbers, of_texts = np.flatnonzero(~np.isnan(typed)), np.flatnonzero(~np.isnan(found.numbers))
    if not of_numbers.size:
        return found
    kind, unit = reading.meaning("number", "")
    if of_texts.size and (found.kind, found.unit) != (kind, unit):
        other = int(max(of_numbers[0], of_texts[0]))
        raise DataError(f"A cell {ODD_ONE}.", discloses=Disclosure.CELL, row=rows[other][0])
    truths = np.array([isinstance(cell, bool) for cell in cells]) & ~np.isnan(typed)
    if truths.any() and (odd := of_numbers[truths[of_numbers] != truths[of_numbers[0]]]).size:
        raise DataError(f"A cell {ODD_ONE}.", discloses=Disclosure.CELL, row=rows[int(odd[0])][0])
    numbers = np.where(np.isnan(typed), found.numbers, reading.values(typed, "number"))
    return Values(numbers, kind, unit, reading)  # typed cells have no decimal mark


def _holds_of(cells: list[object]) -> Holds:
    types = {type(cell) for cell in cells if cell not in ("", None)}
    if types <= {bool}:
        return "truth values" if types else ""
    if types <= {int, float}:
        return "numbers"
    return "dates and times" if types <= {dt.datetime, dt.date} else ""


def _sheet_of(file: pa.NativeFile, name: str) -> tuple[str, Sheet, list[Range], bool, SheetFacts | None]:
    """Return the name of a sheet, the first one for "", its rows but for blank ones around, its merged ranges, whether
    there are other sheets, and what an OpenDocument sheet says besides.

    Raises ParameterError, DataError.
    """
    facts = sheets_of(file)
    sheet: Sheet = []
    with closing(_opened(file)) as workbook:
        offered = _offered(workbook)
        if name and name not in offered:
            raise ParameterError("sheet", "must be the name of a sheet of this workbook that is not hidden.")
        name = name or offered[0]
        opened = workbook.get_sheet_by_name(name)
        for number, row in enumerate(opened.iter_rows(), start=1):
            if number % 10_000 == 0:
                check_rows(number)
            if any(cell != "" for cell in row):
                above = sheet[-1][0] if sheet else number
                sheet += [(between, [""] * len(row)) for between in range(above + 1, number)]
                sheet.append((number, list(map(as_duration, row)) if facts else list(row)))
        merged = facts[name].merged if facts else opened.merged_cell_ranges or []
    if not sheet:
        raise DataError("This sheet of the workbook is empty; choose another one.", discloses=Disclosure.EMPTY)
    if len(offered) > 1 and not any(are_values(list(chain.from_iterable(_first_texts(sheet))))):
        raise DataError("This sheet of the workbook holds no numbers; choose another one.", discloses=Disclosure.EMPTY)
    return name, sheet, merged, len(offered) > 1, facts.get(name)


def _opened(file: pa.NativeFile) -> Any:
    from python_calamine import CalamineWorkbook

    file.seek(0)
    return CalamineWorkbook.from_filelike(file)


def _first_texts(sheet: Sheet) -> list[list[str]]:
    return [[_cell_text(cell) for cell in row] for _, row in sheet[: 2 * MOST_TITLES]]


def _is_number(cell: object) -> bool:
    return isinstance(cell, int | float)


def _cell_text(cell: object) -> str:
    """Return a typed Excel cell in the notation that numbers.py reads back."""
    if isinstance(cell, dt.date):
        return cell.isoformat()
    if isinstance(cell, dt.time):
        cell = dt.datetime.combine(dt.date.min, cell) - dt.datetime.min
    if isinstance(cell, dt.timedelta):
        return duration_text(cell.total_seconds())
    if isinstance(cell, float) and cell.is_integer():  # every number of a sheet is one: 2023.0 is written 2023
        return str(int(cell))
    return "" if cell is None else str(cell)
