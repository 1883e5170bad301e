"""Intervals around answers, in the column's unit: which further levels are drawn for them, and how sure they are."""

from .drawn import Basis, Drawn, drawn_for, sentences_of
from .ends import Ends, ends_of
from .neighbours import interpolated

__all__ = ["Basis", "Drawn", "Ends", "drawn_for", "ends_of", "interpolated", "sentences_of"]
