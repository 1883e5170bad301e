"""Reader of Excel workbooks (.xlsx): the first sheet, whose cells know their types."""

from __future__ import annotations

import datetime as dt
from contextlib import closing

import numpy as np
import pyarrow as pa

from ..errors import DataError
from .column import (
    Cancelled,
    Column,
    Progress,
    check_stop,
    label_columns,
    make_column,
    position,
)
from .numbers import ODD_ONE, all_values, parse_rows
from .workbooks import check_workbook

Sheet = list[tuple[int, list[object]]]  # row number as Excel shows it, cells


def excel_names(file: pa.NativeFile) -> tuple[str, ...]:
    """Labels of the columns of the first sheet."""
    return _excel_labels(_excel_sheet(file, None))[0]


def read_excel(file: pa.NativeFile, column: str, progress: Progress | None, cancelled: Cancelled | None) -> Column:
    """One column of the first sheet; blank rows are left out, row numbers are those of Excel."""
    sheet = _excel_sheet(file, cancelled)
    labels, header = _excel_labels(sheet)
    index = position(column, labels)
    rows = sheet[1:] if header else sheet
    if not rows:
        raise DataError("The first sheet has a header but no rows below it.")
    cells = [row[index] for _, row in rows]
    typed = np.array([cell if _is_number(cell) else np.nan for cell in cells], dtype=np.float64)
    texts = pa.array([None if _is_number(cell) else _cell_text(cell) for cell in cells], pa.string())
    values = parse_rows(lambda: iter([texts]), lambda index: rows[index][0])
    numbers = np.flatnonzero(~np.isnan(typed))
    if values.kind != "number" and len(numbers) > 0:
        raise DataError(f"Row {rows[numbers[0]][0]} {ODD_ONE}.")
    values.numbers[numbers] = typed[numbers]
    if progress is not None:
        progress(1.0)
    return make_column(column, values)


def _excel_sheet(file: pa.NativeFile, cancelled: Cancelled | None) -> Sheet:
    """The rows of the first sheet that are not blank."""
    from python_calamine import CalamineWorkbook

    check_workbook(file, cancelled)
    file.seek(0)
    sheet: Sheet = []
    with closing(CalamineWorkbook.from_filelike(file)) as workbook:
        for number, row in enumerate(workbook.get_sheet_by_index(0).iter_rows(), start=1):
            if number % 10_000 == 0:
                check_stop(cancelled, number)
            if any(cell != "" for cell in row):
                sheet.append((number, list(row)))
    if not sheet:
        raise DataError("The first sheet of the workbook is empty.")
    return sheet


def _excel_labels(sheet: Sheet) -> tuple[tuple[str, ...], bool]:
    """Labels of the columns, and whether the first row was their header."""
    first = [_cell_text(cell) for cell in sheet[0][1]]
    header = not all_values(first)
    return label_columns(first if header else [""] * len(first)), header


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
    return "" if cell is None else str(cell)
