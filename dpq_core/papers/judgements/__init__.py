"""The verdict on each figure: the paper's number beside the one that the stored points come to."""

from . import bspace, verdicts
from .verdicts import FigureVerdict, Judge, Word

__all__ = ["FigureVerdict", "Judge", "Word", "bspace", "verdicts"]
