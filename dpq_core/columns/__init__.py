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
    whole_of,
)
from .schedule import ONE_COLUMN, AnyPlan, AnyRelease, Asked, Schedule, draw, refuse_seeded_in, schedule_of
from .study import ColumnsStudy, explain_columns, seed_of, simulate_columns

__all__ = [
    "ONE_COLUMN",
    "AnyPlan",
    "AnyRelease",
    "Asked",
    "CalibratedColumns",
    "Columns",
    "ColumnsPlan",
    "ColumnsRelease",
    "ColumnsStudy",
    "Schedule",
    "Source",
    "calibrate_column",
    "calibrate_columns",
    "columns_plan",
    "draw",
    "draw_columns",
    "explain_columns",
    "refuse_seeded_in",
    "schedule_of",
    "seed_of",
    "simulate_columns",
    "whole_of",
]
