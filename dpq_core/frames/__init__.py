"""What comes out as a table of cells: the names of levels, data frames, CSV, and what a notebook shows."""

from .levels import NAMED, level_name, level_text
from .written import table_as_csv

__all__ = ["NAMED", "level_name", "level_text", "table_as_csv"]
