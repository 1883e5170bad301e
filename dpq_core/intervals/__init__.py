"""Intervals around answers, in the column's unit: which further levels are drawn for them, and how sure they are."""

from .counted import ANY_NUMBER, SHARE, NoisyCount, of_the_ends, refuse_chance
from .drawing import draw_values, in_plan_order, read_off
from .drawn import (
    Basis,
    Drawn,
    calibrated_levels,
    in_each_group,
    is_proved,
    refuse_ends,
    refuse_in_units,
    sentences_of,
)
from .ends import Ends, as_pairs, ends_of, of_values
from .interpolation import Interpolation, interpolation_of, may_interpolate
from .neighbours import around, interpolated, sentences_of_neighbours

__all__ = [
    "ANY_NUMBER",
    "SHARE",
    "Basis",
    "Drawn",
    "Ends",
    "Interpolation",
    "NoisyCount",
    "around",
    "as_pairs",
    "calibrated_levels",
    "draw_values",
    "ends_of",
    "in_each_group",
    "in_plan_order",
    "interpolated",
    "interpolation_of",
    "is_proved",
    "may_interpolate",
    "of_the_ends",
    "of_values",
    "read_off",
    "refuse_chance",
    "refuse_ends",
    "refuse_in_units",
    "sentences_of",
    "sentences_of_neighbours",
]
