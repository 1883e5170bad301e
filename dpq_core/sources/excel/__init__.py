"""Columns of Excel workbooks."""

from .column import Layout, find_layout, sheet_column

__all__ = ["Layout", "find_layout", "sheet_column"]
