"""Several columns of one table under one budget: what the page Quantiles draws where they are chosen.

The page Stream asks for a table on a cluster with the same controls, and shows its answers in the same way.
"""

from .asking import bounds_of_first, choose_questions, typed_of_whole
from .data import are_chosen, choose_size
from .form import answer
from .results import show
from .view import refused

__all__ = [
    "answer",
    "are_chosen",
    "bounds_of_first",
    "choose_questions",
    "choose_size",
    "refused",
    "show",
    "typed_of_whole",
]
