"""Every group of a column on the page Quantiles: drawn in one press, shown in rows."""

from . import drawing, forecast
from .results import BY_GUESS, IN_RELEASE, INTERVAL, MOST_ROWS, band_in_words, clear_of_noise, diamond_in_words, row_of
from .view import seed_to_draw, show, why_not

__all__ = [
    "BY_GUESS",
    "INTERVAL",
    "IN_RELEASE",
    "MOST_ROWS",
    "band_in_words",
    "clear_of_noise",
    "diamond_in_words",
    "drawing",
    "forecast",
    "row_of",
    "seed_to_draw",
    "show",
    "why_not",
]
