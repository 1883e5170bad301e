"""Several columns of one table under one budget and one guarantee."""

from __future__ import annotations

from .plan import ColumnsPlan
from .release import (
    CalibratedColumns,
    Columns,
    ColumnsRelease,
    Source,
    calibrate_column,
    calibrate_columns,
    columns_plan,
    draw_columns,
    found_once,
    release_columns,
    whole_of,
)
from .study import ColumnsStudy, explain_columns, seed_of, simulate_columns

__all__ = [
    "CalibratedColumns",
    "Columns",
    "ColumnsPlan",
    "ColumnsRelease",
    "ColumnsStudy",
    "Source",
    "calibrate_column",
    "calibrate_columns",
    "columns_plan",
    "draw_columns",
    "explain_columns",
    "found_once",
    "release_columns",
    "seed_of",
    "simulate_columns",
    "whole_of",
]
