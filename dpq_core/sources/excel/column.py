"""Reader of Excel workbooks (.xlsx): the first sheet that is not hidden, whose cells know their types.

Titles above the header are passed over, a total in the last row is refused (margins.py).
"""

from __future__ import annotations

import datetime as dt
from contextlib import closing
from itertools import chain

import numpy as np
import pyarrow as pa

from ...errors import DataError, Disclosure
from ..column import Cancelled, Column, Progress, check_stop, label_columns, make_column
from ..header import decide_header, find_column
from ..margins import MOST_TITLES, MOST_TOLD, check_no_total, proved_decimal_mark, rows_above
from ..numbers import ODD_ONE, are_values, parse_rows
from .workbooks import check_workbook

Sheet = list[tuple[int, list[object]]]  # row number as Excel shows it, cells
LAST_ROWS = 100  # looked at for a total


def excel_names(file: pa.NativeFile, header: bool | None) -> tuple[str, ...]:
    """Labels of the columns."""
    return _excel_table(file, header, None)[0]


def read_excel(
    file: pa.NativeFile, column: str, header: bool | None, progress: Progress | None, cancelled: Cancelled | None
) -> Column:
    """One column; a blank row above a record is a missing value, row numbers are those of Excel."""
    labels, rows = _excel_table(file, header, cancelled)
    index, name = find_column(column, labels)
    if not rows:
        raise DataError(
            "The first sheet has a header but no rows below it; only that sheet is read.", discloses=Disclosure.EMPTY
        )
    _check_end(rows, index)
    cells = [row[index] for _, row in rows]
    if all(cell == "" for cell in cells):
        raise DataError(
            "The column is empty; if it holds formulas, open the workbook in a spreadsheet and save it.",
            discloses=Disclosure.EMPTY,
        )
    typed = np.array([cell if _is_number(cell) else np.nan for cell in cells], dtype=np.float64)
    texts = pa.array([None if _is_number(cell) else _cell_text(cell) for cell in cells], pa.string())
    words = [[cell for cell in row if isinstance(cell, str)] for _, row in rows[:MOST_TOLD]]
    values = parse_rows(lambda: iter([texts]), lambda index: rows[index][0], decimal=proved_decimal_mark(words) or ".")
    numbers = np.flatnonzero(~np.isnan(typed))
    if values.kind != "number" and len(numbers) > 0:
        raise DataError(f"A cell {ODD_ONE}.", discloses=Disclosure.CELL, row=rows[numbers[0]][0])
    values.numbers[numbers] = typed[numbers]
    if progress is not None:
        progress(1.0)
    return make_column(name, values)


def _excel_sheet(file: pa.NativeFile, cancelled: Cancelled | None) -> Sheet:
    """The rows of the sheet from the first to the last one that is not blank."""
    from python_calamine import CalamineWorkbook, SheetVisibleEnum

    check_workbook(file, cancelled)
    file.seek(0)
    sheet: Sheet = []
    with closing(CalamineWorkbook.from_filelike(file)) as workbook:
        seen = [k for k, each in enumerate(workbook.sheets_metadata) if each.visible == SheetVisibleEnum.Visible]
        for number, row in enumerate(workbook.get_sheet_by_index(seen[0] if seen else 0).iter_rows(), start=1):
            if number % 10_000 == 0:
                check_stop(cancelled, number)
            if any(cell != "" for cell in row):
                above = sheet[-1][0] if sheet else number
                blank: list[object] = [""] * len(row)
                sheet += [(between, blank) for between in range(above + 1, number)]
                sheet.append((number, list(row)))
    if not sheet:
        raise DataError(
            "The first sheet of the workbook is empty, and only that one is read; move the data there.",
            discloses=Disclosure.EMPTY,
        )
    if len(seen) > 1 and not any(are_values(list(chain.from_iterable(_first_texts(sheet))))):
        raise DataError(
            "The first sheet of the workbook holds no numbers, and only that one is read; move the data there.",
            discloses=Disclosure.EMPTY,
        )
    return sheet


def _excel_table(
    file: pa.NativeFile, header: bool | None, cancelled: Cancelled | None
) -> tuple[tuple[str, ...], Sheet]:
    """Labels of the columns, and the rows below the header."""
    sheet = _excel_sheet(file, cancelled)
    texts = _first_texts(sheet)
    titles = 0 if header is False else rows_above(texts)
    first = texts[titles]
    if decide_header(first, texts[titles + 1 :], header):
        return label_columns(first), sheet[titles + 1 :]
    return label_columns([""] * len(first)), sheet


def _first_texts(sheet: Sheet) -> list[list[str]]:
    return [[_cell_text(cell) for cell in row] for _, row in sheet[: 2 * MOST_TITLES]]


def _check_end(rows: Sheet, index: int) -> None:
    """Raises DataError where a total stands below the records."""
    check_no_total([[_cell_text(cell) for cell in row] for _, row in rows[-LAST_ROWS:]], index)


def _is_number(cell: object) -> bool:
    return isinstance(cell, int | float)


def _cell_text(cell: object) -> str:
    """A typed Excel cell in the notation that numbers.py reads back."""
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
