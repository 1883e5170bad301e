"""A release in five numbered steps: their cards, what each still needs, the forecast and the confirmation."""

from .cards import Steps, draw, show
from .confirm import confirmed, confirmed_with, read_otherwise
from .states import cost_in_words, error_in_words, points_in_words, values_in_words

__all__ = [
    "Steps",
    "confirmed",
    "confirmed_with",
    "cost_in_words",
    "draw",
    "error_in_words",
    "points_in_words",
    "read_otherwise",
    "show",
    "values_in_words",
]
