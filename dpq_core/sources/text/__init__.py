"""Columns of delimited text."""

from . import delimited
from .layout import Opener, find_layout

__all__ = ["Opener", "delimited", "find_layout"]
