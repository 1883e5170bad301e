"""Figures of the lessons."""

from .basics import draw_interval_chances, draw_newcomer, draw_people, draw_two_distributions
from .classroom import draw_answers, draw_predictions
from .costs import draw_average, draw_intervals, draw_lines, draw_shares, draw_strips, in_digits
from .structures import draw_blocks, draw_halves, draw_outlines, draw_sketch, draw_slices

__all__ = [
    "draw_answers",
    "draw_average",
    "draw_blocks",
    "draw_halves",
    "draw_interval_chances",
    "draw_intervals",
    "draw_lines",
    "draw_newcomer",
    "draw_outlines",
    "draw_people",
    "draw_predictions",
    "draw_shares",
    "draw_sketch",
    "draw_slices",
    "draw_strips",
    "draw_two_distributions",
    "in_digits",
]
