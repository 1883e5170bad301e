"""Columns of delimited text."""
