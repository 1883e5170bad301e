"""Every group of a column on the page Quantiles: drawn in one press, shown in rows."""

from . import drawing, forecast
from .page import seed_to_draw, show, why_not
from .results import BY_GUESS, IN_RELEASE, INTERVAL, MOST_ROWS, band_in_words, diamond_in_words, hidden_by_noise, row_of

__all__ = [
    "BY_GUESS",
    "INTERVAL",
    "IN_RELEASE",
    "MOST_ROWS",
    "band_in_words",
    "diamond_in_words",
    "drawing",
    "forecast",
    "hidden_by_noise",
    "row_of",
    "seed_to_draw",
    "show",
    "why_not",
]
