"""Figures of the lessons."""

from .basics import draw_interval_chances, draw_newcomer, draw_people, draw_two_distributions
from .classroom import draw_answers, draw_predictions
from .costs import draw_average, draw_lines, draw_shares
from .structures import draw_halves, draw_slices

__all__ = [
    "draw_answers",
    "draw_average",
    "draw_halves",
    "draw_interval_chances",
    "draw_lines",
    "draw_newcomer",
    "draw_people",
    "draw_predictions",
    "draw_shares",
    "draw_slices",
    "draw_two_distributions",
]
