"""Files that people bring: uploading, reading, and what is asked about them."""

from . import reading, tables
from .groups import label_of_group
from .layouts import ask_header, said_in_script, said_of_cells, said_of_header
from .written import show_written

__all__ = [
    "ask_header",
    "label_of_group",
    "reading",
    "said_in_script",
    "said_of_cells",
    "said_of_header",
    "show_written",
    "tables",
]
