"""One column of a database."""

from .codes import read_cells
from .reading import Database, Rows

__all__ = ["Database", "Rows", "read_cells"]
