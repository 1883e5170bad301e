"""Several columns of one table under one budget: what the page Quantiles draws where they are chosen."""

from .data import are_chosen
from .form import answer

__all__ = ["answer", "are_chosen"]
