"""Every setting of every page as plain text, and what a session remembers besides."""

from . import check, microscope, options, said, table
from .check import LONGEST_LINE
from .table import MOST_STUDIED, OPTION, PREFIX, SETTINGS, SOURCES, key, text

__all__ = [
    "LONGEST_LINE",
    "MOST_STUDIED",
    "OPTION",
    "PREFIX",
    "SETTINGS",
    "SOURCES",
    "check",
    "key",
    "microscope",
    "options",
    "said",
    "table",
    "text",
]
