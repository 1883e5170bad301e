"""Reader of Excel workbooks (.xlsx): the first sheet that is not hidden, whose cells know their types.

Titles above the header are passed over, a total in the last row is refused (margins.py).
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import chain

import numpy as np
import pyarrow as pa

from ...errors import DataError, Disclosure
from ..column import Progress, check_rows, label_columns
from ..found import FileColumn, Typed, clear_fields
from ..header import decide_header
from ..margins import MOST_TITLES, MOST_TOLD, check_no_total, proved_decimal_mark, rows_above
from ..notation import parse_fields
from ..numbers import ODD_ONE, are_values
from .workbooks import check_workbook

Sheet = list[tuple[int, list[object]]]  # row number as Excel shows it, cells
LAST_ROWS = 100  # looked at for a total


@dataclass(frozen=True)
class SheetLayout:
    """Where the columns of a sheet are."""

    names: tuple[str, ...]
    first: int  # row of the sheet that is the first record, from 0 at the first one that is not blank


def find_layout(file: pa.NativeFile, header: bool | None) -> SheetLayout:
    """Find the columns of the first sheet, below its titles; `header` as in `sources.files`."""
    texts = _first_texts(_excel_sheet(file))
    titles = 0 if header is False else rows_above(texts)
    names = texts[titles]
    if decide_header(names, texts[titles + 1 :], header):
        return SheetLayout(label_columns(names), titles + 1)
    return SheetLayout(label_columns([""] * len(names)), 0)


def sheet_column(file: pa.NativeFile, layout: SheetLayout, index: int, label: str) -> FileColumn:
    """Read a column by its place; a blank row above a record is a missing value, row numbers are those of Excel."""
    rows = _excel_sheet(file)[layout.first :]
    if not rows:
        raise DataError(
            "The first sheet has a header but no rows below it; only that sheet is read.", discloses=Disclosure.EMPTY
        )
    check_no_total([[_cell_text(cell) for cell in row] for _, row in rows[-LAST_ROWS:]], index)
    cells = [row[index] for _, row in rows]
    if all(cell == "" for cell in cells):
        raise DataError(
            "The column is empty; if it holds formulas, open the workbook in a spreadsheet and save it.",
            discloses=Disclosure.EMPTY,
        )
    typed = np.array([cell if _is_number(cell) else np.nan for cell in cells], dtype=np.float64)
    texts = pa.array([None if _is_number(cell) else _cell_text(cell) for cell in cells], pa.string())
    words = [[cell for cell in row if isinstance(cell, str)] for _, row in rows[:MOST_TOLD]]
    with clear_fields(lambda at: rows[at][0]):
        values = parse_fields(lambda: [texts], decimal=proved_decimal_mark(words) or ".")
    numbers = np.flatnonzero(~np.isnan(typed))
    if values.kind != "number" and len(numbers) > 0:
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
    return pa.array([_cell_text(row[index]) for _, row in _excel_sheet(file)[layout.first :]], pa.string())


def _read(batch: pa.Array, progress: Progress | None) -> Iterator[pa.Array]:
    """Yield what is in memory."""
    if progress is not None:
        progress(1.0)
    yield batch


def _excel_sheet(file: pa.NativeFile) -> Sheet:
    """Return the rows of the sheet from the first to the last one that is not blank."""
    from python_calamine import CalamineWorkbook, SheetVisibleEnum

    check_workbook(file)
    file.seek(0)
    sheet: Sheet = []
    with closing(CalamineWorkbook.from_filelike(file)) as workbook:
        seen = [k for k, each in enumerate(workbook.sheets_metadata) if each.visible == SheetVisibleEnum.Visible]
        for number, row in enumerate(workbook.get_sheet_by_index(seen[0] if seen else 0).iter_rows(), start=1):
            if number % 10_000 == 0:
                check_rows(number)
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
