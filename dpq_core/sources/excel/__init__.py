"""Columns of Excel workbooks."""

from .column import SheetLayout, find_layout, list_sheets, sheet_column, sheet_texts

__all__ = ["SheetLayout", "find_layout", "list_sheets", "sheet_column", "sheet_texts"]
