"""Columns read in batches, from one file or many, that need not fit into memory."""

from .batches import FilePart, fill, stream_column
from .columns import Sources, list_file_columns, list_sources

__all__ = ["FilePart", "Sources", "fill", "list_file_columns", "list_sources", "stream_column"]
