"""Columns of delimited text."""

from .delimited import text_column
from .layout import TextLayout, find_layout

__all__ = ["TextLayout", "find_layout", "text_column"]
