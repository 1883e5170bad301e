"""Tables as CSV that any program reads, and in which a spreadsheet computes nothing."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import Any

COMPUTED = "=+-@\t\r"
"""The first characters of a text that a spreadsheet takes for a formula."""


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
