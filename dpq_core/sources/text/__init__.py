"""Columns of delimited text."""

from .delimited import READER

__all__ = ["READER"]
