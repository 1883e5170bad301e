"""A release in five numbered steps: their cards, what each still needs, the forecast and the confirmation."""

from .cards import Steps, draw, show, show_states
from .confirm import confirmed, confirmed_with
from .forecast import LATER, show_numbers
from .states import (
    State,
    cost_in_words,
    error_in_words,
    person_of,
    points_in_words,
    price_in_words,
    values_in_words,
    with_last,
)

__all__ = [
    "LATER",
    "State",
    "Steps",
    "confirmed",
    "confirmed_with",
    "cost_in_words",
    "draw",
    "error_in_words",
    "person_of",
    "points_in_words",
    "price_in_words",
    "show",
    "show_numbers",
    "show_states",
    "values_in_words",
    "with_last",
]
