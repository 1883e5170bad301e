"""Columns of Parquet files."""

from .column import ParquetLayout, find_layout, is_text, parquet_column, raw_cells

__all__ = ["ParquetLayout", "find_layout", "is_text", "parquet_column", "raw_cells"]
