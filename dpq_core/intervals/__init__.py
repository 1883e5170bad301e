"""Intervals around answers, in the column's unit: which further levels are drawn for them, and how sure they are."""
