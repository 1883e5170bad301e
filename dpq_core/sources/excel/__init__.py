"""Columns of Excel workbooks."""

from .column import SheetLayout, find_layout, sheet_column

__all__ = ["SheetLayout", "find_layout", "sheet_column"]
