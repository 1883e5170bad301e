"""Reader of Excel workbooks (.xlsx): one sheet, the first that is not hidden unless another one is named.

Its cells know their types, and their formats say what numbers are (formats.py). Merged cells all hold the value of
their range. Titles above the header are passed over; a total in the last row is refused (margins.py), and so are
formulas without their values.
"""

from __future__ import annotations

import datetime as dt
import zipfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from ...errors import DataError, Disclosure, ParameterError
from ...groups.cells import Holds, PossibleNames
from ...values import refuse_rounded
from ..column import Progress, Values, check_rows, label_columns
from ..formats.reader import Layout, Place, RawCells, Reader, SaidOfLayout
from ..found import FileColumn, Opener, Typed, clear_fields
from ..header import decide_header
from ..margins import MOST_TITLES, MOST_TOLD, check_no_total, decimal_mark, rows_above
from ..notation import parse_fields
from ..numbers import ODD_ONE, are_values
from ..reading import AS_WRITTEN, Reading, in_unit
from ..single import times_100
from .formats import PLAIN, ColumnMarks, Format, column_marks
from .workbooks import check_workbook

Sheet = list[tuple[int, list[object]]]  # row number as Excel shows it, cells
Range = tuple[tuple[int, int], tuple[int, int]]  # first and last row and column, from 0
LAST_ROWS = 100  # looked at for a total
UNCOMPUTED = (
    "A cell holds a formula without its value, or one that nothing has computed; open the workbook in a spreadsheet "
    "and save it."
)
ACROSS = "A cell of this column is merged with one of another column; take the cells apart."


@dataclass(frozen=True)
class SheetLayout(Layout):
    """Where the columns of a sheet are."""

    module = "excel"

    first: int  # row of the sheet that is the first record, from 0 at the first one that is not blank
    sheet: str = ""  # its name; "" for the first one that is not hidden
    left_out: int = 0  # rows at the end that are no records, as the user said
    unit: str = ""  # of all amounts, as the user said


class WorkbookReader(Reader[SheetLayout]):
    """Sheets of workbooks, of which every cell has its own type."""

    def find_layout(self, open_file: Opener, said: SaidOfLayout) -> SheetLayout:
        """Find the columns of a sheet, below its titles."""
        texts = _first_texts(_excel_sheet(open_file(), said.sheet)[0])
        titles = 0 if said.header is False else rows_above(texts)
        names = texts[titles]
        if decide_header(names, texts[titles + 1 :], said.header):
            labels, first = label_columns(names), titles + 1
        else:
            labels, first = label_columns([""] * len(names)), 0
        return SheetLayout(labels, first, said.sheet, said.left_out, said.unit)

    def find_column(self, open_file: Opener, layout: SheetLayout, place: Place) -> FileColumn:
        """Read a column by its place."""
        return sheet_column(open_file(), layout, *place)

    def raw_cells(
        self, open_file: Opener, layout: SheetLayout, index: int, progress: Progress | None, *, labelled: bool
    ) -> RawCells:
        """Return the cells of a column as texts, row by row as they are read."""
        cells = sheet_cells(open_file(), layout, index)
        refuse_rounded(np.array([cell for cell in cells if _is_number(cell)], np.float64))
        return RawCells(iter([pa.array(map(_cell_text, cells), pa.string())]), PossibleNames(_holds_of(cells)))

    def list_sheets(self, open_file: Opener) -> tuple[str, ...]:
        """Return the names of the sheets that are not hidden, or of all where all are."""
        file = open_file()
        check_workbook(file)
        with closing(_opened(file)) as workbook:
            return tuple(workbook.sheets_metadata[k].name for k in _offered(workbook))


READER = WorkbookReader()


def _offered(workbook: Any) -> list[int]:
    """Return the places of the sheets that can be read: those that are not hidden, or all where all are."""
    from python_calamine import SheetVisibleEnum

    found = [k for k, each in enumerate(workbook.sheets_metadata) if each.visible == SheetVisibleEnum.Visible]
    return found or list(range(len(workbook.sheets_metadata)))


def sheet_column(
    file: pa.NativeFile, layout: SheetLayout, index: int, label: str, reading: Reading = AS_WRITTEN
) -> FileColumn:
    """Read a column by its place; a blank row above a record is a missing value, row numbers are those of Excel.

    Cells that are merged all hold the value of their range. Raises DataError.
    """
    rows = _records(file, layout, index)
    if not rows:
        raise DataError("The sheet has a header but no rows below it; choose another one.", discloses=Disclosure.EMPTY)
    check_no_total([[_cell_text(cell) for cell in row] for _, row in rows[-LAST_ROWS:]], index)
    marks = _marks(file, layout, index, rows)
    cells = [_as_shown(marks, number, row[index]) for number, row in rows]
    if all(cell == "" for cell in cells):
        raise DataError(
            "The column is empty; if it holds formulas, open the workbook in a spreadsheet and save it.",
            discloses=Disclosure.EMPTY,
        )
    words = [[cell for cell in row if isinstance(cell, str)] for _, row in rows[:MOST_TOLD]]
    values = _values(cells, rows, marks, decimal_mark(words, comma_separated=False), in_unit(reading, layout.unit))
    batch = pa.array(values.numbers)
    return FileColumn(
        label=label,
        read=partial(_read, batch),
        rows=len(batch),
        typed=Typed(values.kind, values.unit, pa.Array.to_numpy),
        told=values.reading,
    )


def _values(cells: list[object], rows: Sheet, marks: ColumnMarks, decimal: str, reading: Reading) -> Values:
    """Return the numbers of a column, of which all cells must be of one kind and unit. Raises DataError."""
    texts = pa.array([None if _is_number(cell) else _cell_text(cell) for cell in cells], pa.string())
    with clear_fields(lambda at: rows[at][0]):
        found = parse_fields(lambda: [texts], decimal=decimal, reading=replace(reading, percent=None, missing_codes=()))
    meanings = [_meaning(marks, rows[at][0], reading) if _is_number(cell) else None for at, cell in enumerate(cells)]
    of_text, written = Format(found.kind, found.unit), ~np.isnan(found.numbers)
    kinds = [each or (of_text if written[at] else None) for at, each in enumerate(meanings)]
    first = next((each for each in kinds if each is not None), PLAIN)
    for at, each in enumerate(kinds):
        if each not in (None, first):
            raise DataError(f"A cell {ODD_ONE}.", discloses=Disclosure.CELL, row=rows[at][0])
    typed = np.array([cell if _is_number(cell) else np.nan for cell in cells], dtype=np.float64)
    if first.kind == "percent":
        shares = np.array([row in marks.formats or reading.unit != "%" for row, _ in rows])
        typed = np.where(shares, times_100(typed), typed)  # of one, except those that the user said are in %
    numbers = np.where(written, found.numbers, typed)
    of_texts = replace(found.reading, percent=reading.percent, missing_codes=reading.missing_codes)
    told = reading if any(meanings) else of_texts  # typed cells have no decimal mark
    return Values(reading.values(numbers, first.kind), *reading.meaning(first.kind, first.unit), told)


def _meaning(marks: ColumnMarks, row: int, reading: Reading) -> Format:
    """Return what the number in a row is, by its format or by the setting for numbers without a unit."""
    found = marks.formats.get(row, PLAIN)
    if found != PLAIN:
        return found
    if reading.unit:
        return Format("percent" if reading.unit == "%" else "money", reading.unit)
    return Format("percent", "%") if reading.percent else PLAIN


def _as_shown(marks: ColumnMarks, row: int, cell: object) -> object:
    """Return a cell as its format shows it: hours above 24 are no date of 1900."""
    if isinstance(cell, dt.datetime | dt.date):
        held = marks.as_time(row, cell)
        return cell if held is None else held
    return cell


def sheet_cells(file: pa.NativeFile, layout: SheetLayout, index: int) -> list[object]:
    """Return the cells of a column, row by row as `sheet_column` reads them. Raises DataError."""
    rows = _records(file, layout, index)
    _marks(file, layout, index, rows)
    return [row[index] for _, row in rows]


def _holds_of(cells: list[object]) -> Holds:
    """Return what all cells are that are not blank."""
    types = {type(cell) for cell in cells if cell not in ("", None)}
    if types <= {bool}:
        return "truth values" if types else ""
    if types <= {int, float}:
        return "numbers"
    return "dates and times" if types <= {dt.datetime, dt.date} else ""


def _marks(file: pa.NativeFile, layout: SheetLayout, index: int, rows: Sheet) -> ColumnMarks:
    """Return the formats of a column. Raises DataError where a formula of these rows has no value."""
    with closing(_opened(file)) as workbook:
        name = _chosen(workbook, layout.sheet)
    with zipfile.ZipFile(file) as archive:
        found = column_marks(archive, name, index, {number for number, _ in rows})
    if found.unsure:
        raise DataError(UNCOMPUTED, discloses=Disclosure.CELL, row=found.unsure)
    return found


def _records(file: pa.NativeFile, layout: SheetLayout, index: int) -> Sheet:
    """Return the rows of records, with the merged cells of a column filled. Raises DataError."""
    sheet, merged = _excel_sheet(file, layout.sheet)
    rows = sheet[layout.first :]
    rows = rows[: max(len(rows) - layout.left_out, 0)]
    if not rows:
        return rows
    above = rows[0][0]
    for (top, left), (bottom, right) in merged:
        if not left <= index <= right or top + 1 < above or top >= rows[-1][0]:
            continue
        if left < index:
            raise DataError(ACROSS, discloses=Disclosure.CELL, row=top + 1)
        held = rows[top + 1 - above][1][index]
        for _, row in rows[top + 1 - above : bottom + 2 - above]:
            row[index] = held
    return rows


def _read(batch: pa.Array, progress: Progress | None) -> Iterator[pa.Array]:
    """Yield what is in memory."""
    if progress is not None:
        progress(1.0)
    yield batch


def _excel_sheet(file: pa.NativeFile, name: str) -> tuple[Sheet, list[Range]]:
    """Return the rows of the sheet from the first to the last one that is not blank, and its merged ranges."""
    check_workbook(file)
    sheet: Sheet = []
    with closing(_opened(file)) as workbook:
        alone = len(_offered(workbook)) == 1
        opened = workbook.get_sheet_by_name(_chosen(workbook, name))
        for number, row in enumerate(opened.iter_rows(), start=1):
            if number % 10_000 == 0:
                check_rows(number)
            if any(cell != "" for cell in row):
                above = sheet[-1][0] if sheet else number
                sheet += [(between, [""] * len(row)) for between in range(above + 1, number)]
                sheet.append((number, list(row)))
        merged = opened.merged_cell_ranges or []
    if not sheet:
        raise DataError("This sheet of the workbook is empty; choose another one.", discloses=Disclosure.EMPTY)
    if not alone and not any(are_values(list(chain.from_iterable(_first_texts(sheet))))):
        raise DataError("This sheet of the workbook holds no numbers; choose another one.", discloses=Disclosure.EMPTY)
    return sheet, merged


def _opened(file: pa.NativeFile) -> Any:
    from python_calamine import CalamineWorkbook

    file.seek(0)
    return CalamineWorkbook.from_filelike(file)


def _chosen(workbook: Any, name: str) -> str:
    """Return the name of a sheet that can be read, the first one for "". Raises ParameterError."""
    names = [workbook.sheets_metadata[k].name for k in _offered(workbook)]
    if name and name not in names:
        raise ParameterError("sheet", "must be the name of a sheet of this workbook that is not hidden.")
    return str(name or names[0])


def _first_texts(sheet: Sheet) -> list[list[str]]:
    return [[_cell_text(cell) for cell in row] for _, row in sheet[: 2 * MOST_TITLES]]


def _is_number(cell: object) -> bool:
    return isinstance(cell, int | float)


def _cell_text(cell: object) -> str:
    """Return a typed Excel cell in the notation that numbers.py reads back."""
    if isinstance(cell, dt.datetime | dt.date | dt.time):
        return cell.isoformat()
    if isinstance(cell, dt.timedelta):
        seconds = cell.total_seconds()
        hours, rest = divmod(abs(seconds), 3600)
        minutes, rest = divmod(rest, 60)
        return f"{'-' if seconds < 0 else ''}{hours:.0f}:{minutes:02.0f}:{rest:09.6f}"
    if isinstance(cell, float) and cell.is_integer():  # every number of a sheet is one: 2023.0 is written 2023
        return str(int(cell))
    return "" if cell is None else str(cell)
