"""Several columns of one table under one budget and one guarantee."""

from __future__ import annotations

from .counting import AwaitsCount, ColumnsOfOne
from .plan import Columns, ColumnsPlan, Source, whole_of
from .release import (
    CalibratedColumns,
    ColumnsRelease,
    ColumnSteps,
    calibrate_column,
    calibrate_columns,
    columns_plan,
    draw_columns,
)
from .schedule import ONE_COLUMN, AnyPlan, AnyRelease, Asked, Schedule, draw, refuse_seeded_in, schedule_of
from .study import ColumnsStudy, explain_columns, seed_of, simulate_columns

__all__ = [
    "ONE_COLUMN",
    "AnyPlan",
    "AnyRelease",
    "Asked",
    "AwaitsCount",
    "CalibratedColumns",
    "ColumnSteps",
    "Columns",
    "ColumnsOfOne",
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
