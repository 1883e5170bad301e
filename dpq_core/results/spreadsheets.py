"""Write a table as a workbook for Excel: the rows of its CSV, with numbers as numbers and all else as text."""

from __future__ import annotations

import csv
import io
import re

NUMBER = re.compile(r"-?(0|[1-9]\d{0,14})(\.\d+)?(e[+-]?\d{1,3})?")
"""What a spreadsheet may take for a number: no code with a leading zero, and no id of more digits than it can hold."""
MOST_DIGITS = 15
WIDEST = 60
"""Characters of a column."""


def as_xlsx(table: str, name: str) -> bytes:
    """Return a workbook of one sheet with the rows of a CSV text; `name`: of the sheet. Nothing in it is a formula."""
    from xlsxwriter import Workbook  # for files only

    rows = list(csv.reader(io.StringIO(table)))
    out = io.BytesIO()
    with Workbook(out, {"in_memory": True}) as book:
        sheet = book.add_worksheet(_sheet_name(name))
        bold = book.add_format({"bold": True})
        for at, row in enumerate(rows):
            for column, cell in enumerate(row):
                if at and _is_number(cell):
                    sheet.write_number(at, column, float(cell))
                else:
                    sheet.write_string(at, column, cell, None if at else bold)
        sheet.freeze_panes(1, 0)
        for column in range(len(rows[0]) if rows else 0):
            longest = max(len(row[column]) for row in rows if len(row) > column)
            sheet.set_column(column, column, min(longest + 2, WIDEST))
    return out.getvalue()


def _is_number(cell: str) -> bool:
    return NUMBER.fullmatch(cell) is not None and sum(map(str.isdigit, cell)) <= MOST_DIGITS


def _sheet_name(name: str) -> str:
    """Return a name as Excel takes it for a sheet."""
    return re.sub(r"[\[\]:*?/\\\\]", " ", name).strip(" '")[:31].strip(" '") or "table"
