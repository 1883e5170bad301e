"""The computation of the points of each paper's figures."""

from . import bspace, free_total, kss, references, slices
from .bspace import EXAMPLE_ALPHA, SAVED
from .kss import pure_curves
from .slices import PANELS

__all__ = [
    "EXAMPLE_ALPHA",
    "PANELS",
    "SAVED",
    "bspace",
    "free_total",
    "kss",
    "pure_curves",
    "references",
    "slices",
]
