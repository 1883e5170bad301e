"""Columns of Excel workbooks."""

from .column import READER

__all__ = ["READER"]
