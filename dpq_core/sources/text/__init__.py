"""Columns of delimited text."""

from .delimited import SharedPass, text_column
from .layout import TextLayout, find_layout

__all__ = ["SharedPass", "TextLayout", "find_layout", "text_column"]
