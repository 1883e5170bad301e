"""One column of a database, counted there or read row by row."""

from .cells import read_cells
from .reading import Database

__all__ = ["Database", "read_cells"]
