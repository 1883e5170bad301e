"""Columns read in batches, from one file or many, that need not fit into memory."""

from .batches import ColumnStream, FilePart, Sources, fill, find_first_layout, layout_like, list_sources, stream_column

__all__ = [
    "ColumnStream",
    "FilePart",
    "Sources",
    "fill",
    "find_first_layout",
    "layout_like",
    "list_sources",
    "stream_column",
]
