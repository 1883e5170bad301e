"""The page for several columns of one table under one budget."""

from . import results
from .asking import bounds_of_first, choose_questions, typed_of_whole
from .data import choose_size, choose_table, one_of, read_again
from .view import (
    button,
    confirmed,
    headline,
    is_first_picture,
    outcome_of,
    payer_data,
    say_refusal,
    show,
    why_not,
)

__all__ = [
    "bounds_of_first",
    "button",
    "choose_questions",
    "choose_size",
    "choose_table",
    "confirmed",
    "headline",
    "is_first_picture",
    "one_of",
    "outcome_of",
    "payer_data",
    "read_again",
    "results",
    "say_refusal",
    "show",
    "typed_of_whole",
    "why_not",
]
