"""Intervals around answers, in the column's unit: which further levels are drawn for them, and how sure they are."""

from .drawn import Basis, Drawn, drawn_for, sentences_of
from .ends import Ends, ends_of, of_values
from .neighbours import around, interpolated, outwards, sentences_of_neighbours

__all__ = [
    "Basis",
    "Drawn",
    "Ends",
    "around",
    "drawn_for",
    "ends_of",
    "interpolated",
    "of_values",
    "outwards",
    "sentences_of",
    "sentences_of_neighbours",
]
