"""People: which rows of a table belong to one person, and what a mechanism reads of each person's rows."""

from __future__ import annotations

from .identity import identity
from .ids import UNSAID, Ids, People, Whose, by_identity
from .shares import UNIT, WeightedCells, rows_that_count, share_cells, share_rows, unit_of
from .takes import MOST_ROWS, ONE_RECORD, TAKES, Take, checked_take, some_rows, take_one, taken_records, whole_column

__all__ = [
    "MOST_ROWS",
    "ONE_RECORD",
    "TAKES",
    "UNIT",
    "UNSAID",
    "Ids",
    "People",
    "Take",
    "WeightedCells",
    "Whose",
    "by_identity",
    "checked_take",
    "identity",
    "rows_that_count",
    "share_cells",
    "share_rows",
    "some_rows",
    "take_one",
    "taken_records",
    "unit_of",
    "whole_column",
]
