"""Files that people bring: uploading, reading, and what is asked about them."""

from . import reading, tables
from .groups import label_of_group
from .reading import ask_header, said_of_header

__all__ = ["ask_header", "label_of_group", "reading", "said_of_header", "tables"]
