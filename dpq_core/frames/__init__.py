"""What comes out as a table of cells: data frames, CSV, what a notebook shows, and the names of levels in them."""

from .cells import (
    COLUMN,
    NAMED,
    Cells,
    GroupCells,
    Numbers,
    cells_of,
    level_name,
    level_text,
    release_numbers,
    study_numbers,
)
from .dates import MICROSECONDS, dates_in_words, iso_date
from .notebook import Budgeted, Contents, contents_of
from .offered import ByName, Simulated, Tabular, table_as_csv

__all__ = [
    "COLUMN",
    "MICROSECONDS",
    "NAMED",
    "Budgeted",
    "ByName",
    "Cells",
    "Contents",
    "GroupCells",
    "Numbers",
    "Simulated",
    "Tabular",
    "cells_of",
    "contents_of",
    "dates_in_words",
    "iso_date",
    "level_name",
    "level_text",
    "release_numbers",
    "study_numbers",
    "table_as_csv",
]
