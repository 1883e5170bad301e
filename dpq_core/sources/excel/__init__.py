"""Columns of Excel workbooks."""
