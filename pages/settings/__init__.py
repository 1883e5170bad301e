"""Every setting of every page as plain text, and what a session remembers besides."""

from . import check, microscope, options, said, table
from .check import LONGEST_LINE
from .table import OPTION, SETTINGS, SOURCES, key, text

__all__ = [
    "LONGEST_LINE",
    "OPTION",
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
