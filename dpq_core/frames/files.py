"""Tables as CSV and as a workbook with its rows: any program reads them, and a spreadsheet computes nothing."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from typing import Any

COMPUTED = "=+-@\t\r"
"""The first characters of a text that a spreadsheet takes for a formula."""
NUMBER = re.compile(r"-?(0|[1-9]\d{0,14})(\.\d+)?(e[+-]?\d{1,3})?")
"""What a spreadsheet may take for a number: no code with a leading zero, and no id of more digits than it can hold."""
MOST_DIGITS = 15
WIDEST = 60
"""Characters of a column."""


def table_as_csv(names: Iterable[str], table: Iterable[Iterable[Any]]) -> str:
    """Return rows under their names as CSV in which no text is computed by the spreadsheet that opens it."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([_field(name) for name in names])
    writer.writerows([_field(value) for value in row] for row in table)
    return file.getvalue()


def _field(value: Any) -> Any:
    """Return a value for CSV: NaN becomes empty, and a formula of a spreadsheet gets an apostrophe."""
    if isinstance(value, str):
        return f"'{value}" if value.startswith(tuple(COMPUTED)) else value
    return "" if isinstance(value, float) and value != value else value


def as_xlsx(table: str, name: str) -> bytes:
    """Return a workbook of one sheet with the rows of a CSV text; `name`: of the sheet. Nothing in it is a formula."""
    from xlsxwriter import Workbook  # for files only

    rows = list(csv.reader(io.StringIO(table)))
    out = io.BytesIO()
    with Workbook(out, {"in_memory": True}) as book:
        sheet = book.add_worksheet(re.sub(r"[\[\]:*?/\\\\]", " ", name).strip(" '")[:31].strip(" '") or "table")
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
