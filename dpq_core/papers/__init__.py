"""The papers' figures and tables, recomputed: specification, computation and judgement of each."""

from . import make, store
from .curves import CURVES
from .figures import FIGURES, figure_of, steps
from .judgements import FigureVerdict, Word
from .specifications import Figure
from .store import Point, Result, load

__all__ = [
    "CURVES",
    "FIGURES",
    "Figure",
    "FigureVerdict",
    "Point",
    "Result",
    "Word",
    "figure_of",
    "load",
    "make",
    "steps",
    "store",
]
