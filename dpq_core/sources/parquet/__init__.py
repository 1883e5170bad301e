"""Columns of Parquet files."""
