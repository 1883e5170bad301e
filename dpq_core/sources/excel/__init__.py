"""Columns of Excel workbooks."""

from . import column

__all__ = ["column"]
