"""Columns of Parquet files."""

from .column import READER

__all__ = ["READER"]
