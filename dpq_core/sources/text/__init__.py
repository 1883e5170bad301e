"""Columns of delimited text."""

from .delimited import text_column
from .layout import Layout, find_layout

__all__ = ["Layout", "find_layout", "text_column"]
