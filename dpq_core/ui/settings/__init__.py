"""Every setting of every page as plain text, and what a session remembers besides."""

from . import microscope, said, table
from .table import LONGEST_LINE, MOST_STUDIED, OPTION, PREFIX, SETTINGS, SOURCES, key, text

__all__ = [
    "LONGEST_LINE",
    "MOST_STUDIED",
    "OPTION",
    "PREFIX",
    "SETTINGS",
    "SOURCES",
    "key",
    "microscope",
    "said",
    "table",
    "text",
]
