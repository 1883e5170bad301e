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
    release_columns,
    whole_of,
)
from .study import ColumnsStudy, explain_columns, simulate_columns

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
    "release_columns",
    "simulate_columns",
    "whole_of",
]
