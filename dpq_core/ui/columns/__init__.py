"""The page for several columns of one table under one budget."""

from . import drawing, results
from .asking import choose_questions
from .data import choose_size, choose_table, one_of, read_again
from .page import button, confirmed, headline, show, why_not

__all__ = [
    "button",
    "choose_questions",
    "choose_size",
    "choose_table",
    "confirmed",
    "drawing",
    "headline",
    "one_of",
    "read_again",
    "results",
    "show",
    "why_not",
]
