"""Reader of Excel workbooks (.xlsx): one sheet, the first that is not hidden unless another one is named.

Its cells know their types.

Titles above the header are passed over, a total in the last row is refused (margins.py).
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from ...errors import DataError, Disclosure, ParameterError
from ..column import Progress, check_rows, label_columns
from ..found import FileColumn, Typed, clear_fields
from ..header import decide_header
from ..margins import MOST_TITLES, MOST_TOLD, check_no_total, decimal_mark, rows_above
from ..notation import parse_fields
from ..numbers import ODD_ONE, are_values
from ..reading import AS_WRITTEN, Reading, in_unit
from .workbooks import check_workbook

Sheet = list[tuple[int, list[object]]]  # row number as Excel shows it, cells
LAST_ROWS = 100  # looked at for a total


@dataclass(frozen=True)
class SheetLayout:
    """Where the columns of a sheet are."""

    names: tuple[str, ...]
    first: int  # row of the sheet that is the first record, from 0 at the first one that is not blank
    sheet: str = ""  # its name; "" for the first one that is not hidden
    left_out: int = 0  # rows at the end that are no records, as somebody said
    unit: str = ""  # of all amounts, as somebody said


def find_layout(file: pa.NativeFile, header: bool | None, sheet: str = "") -> SheetLayout:
    """Find the columns of a sheet, below its titles; `header` and `sheet` as in `sources.files`."""
    texts = _first_texts(_excel_sheet(file, sheet))
    titles = 0 if header is False else rows_above(texts)
    names = texts[titles]
    if decide_header(names, texts[titles + 1 :], header):
        return SheetLayout(label_columns(names), titles + 1, sheet)
    return SheetLayout(label_columns([""] * len(names)), 0, sheet)


def list_sheets(file: pa.NativeFile) -> tuple[str, ...]:
    """Return the names of the sheets that are not hidden, or of all where all are."""
    from python_calamine import CalamineWorkbook

    check_workbook(file)
    file.seek(0)
    with closing(CalamineWorkbook.from_filelike(file)) as workbook:
        return tuple(workbook.sheets_metadata[k].name for k in _offered(workbook))


def _offered(workbook: Any) -> list[int]:
    """Return the places of the sheets that can be read: those that are not hidden, or all where all are."""
    from python_calamine import SheetVisibleEnum

    found = [k for k, each in enumerate(workbook.sheets_metadata) if each.visible == SheetVisibleEnum.Visible]
    return found or list(range(len(workbook.sheets_metadata)))


def sheet_column(
    file: pa.NativeFile, layout: SheetLayout, index: int, label: str, reading: Reading = AS_WRITTEN
) -> FileColumn:
    """Read a column by its place; a blank row above a record is a missing value, row numbers are those of Excel."""
    rows = _records(file, layout)
    if not rows:
        raise DataError("The sheet has a header but no rows below it; choose another one.", discloses=Disclosure.EMPTY)
    check_no_total([[_cell_text(cell) for cell in row] for _, row in rows[-LAST_ROWS:]], index)
    cells = [row[index] for _, row in rows]
    if all(cell == "" for cell in cells):
        raise DataError(
            "The column is empty; if it holds formulas, open the workbook in a spreadsheet and save it.",
            discloses=Disclosure.EMPTY,
        )
    typed = np.array([cell if _is_number(cell) else np.nan for cell in cells], dtype=np.float64)
    texts = pa.array([None if _is_number(cell) else _cell_text(cell) for cell in cells], pa.string())
    reading = in_unit(reading, layout.unit)
    words = [[cell for cell in row if isinstance(cell, str)] for _, row in rows[:MOST_TOLD]]
    with clear_fields(lambda at: rows[at][0]):
        values = parse_fields(lambda: [texts], decimal=decimal_mark(words, comma_separated=False), reading=reading)
    numbers = np.flatnonzero(~np.isnan(typed))
    in_said_unit = reading.unit != "" and values.unit == reading.unit
    if values.kind != "number" and len(numbers) > 0 and not in_said_unit:
        raise DataError(f"A cell {ODD_ONE}.", discloses=Disclosure.CELL, row=rows[numbers[0]][0])
    values.numbers[numbers] = typed[numbers]
    batch = pa.array(values.numbers)
    return FileColumn(
        label=label,
        read=partial(_read, batch),
        rows=len(batch),
        typed=Typed(values.kind, values.unit, pa.Array.to_numpy),
    )


def sheet_texts(file: pa.NativeFile, layout: SheetLayout, index: int) -> pa.Array:
    """Return the cells of a column as texts, row by row as `sheet_column` reads them."""
    return pa.array([_cell_text(row[index]) for _, row in _records(file, layout)], pa.string())


def _records(file: pa.NativeFile, layout: SheetLayout) -> Sheet:
    rows = _excel_sheet(file, layout.sheet)[layout.first :]
    return rows[: max(len(rows) - layout.left_out, 0)]


def _read(batch: pa.Array, progress: Progress | None) -> Iterator[pa.Array]:
    """Yield what is in memory."""
    if progress is not None:
        progress(1.0)
    yield batch


def _excel_sheet(file: pa.NativeFile, name: str) -> Sheet:
    """Return the rows of the sheet from the first to the last one that is not blank."""
    from python_calamine import CalamineWorkbook

    check_workbook(file)
    file.seek(0)
    sheet: Sheet = []
    with closing(CalamineWorkbook.from_filelike(file)) as workbook:
        offered = _offered(workbook)
        names = [workbook.sheets_metadata[k].name for k in offered]
        if name and name not in names:
            raise ParameterError("sheet", "must be the name of a sheet of this workbook that is not hidden.")
        chosen = offered[names.index(name) if name else 0]
        for number, row in enumerate(workbook.get_sheet_by_index(chosen).iter_rows(), start=1):
            if number % 10_000 == 0:
                check_rows(number)
            if any(cell != "" for cell in row):
                above = sheet[-1][0] if sheet else number
                blank: list[object] = [""] * len(row)
                sheet += [(between, blank) for between in range(above + 1, number)]
                sheet.append((number, list(row)))
    if not sheet:
        raise DataError("This sheet of the workbook is empty; choose another one.", discloses=Disclosure.EMPTY)
    if len(offered) > 1 and not any(are_values(list(chain.from_iterable(_first_texts(sheet))))):
        raise DataError("This sheet of the workbook holds no numbers; choose another one.", discloses=Disclosure.EMPTY)
    return sheet


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
