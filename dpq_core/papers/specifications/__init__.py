"""The specification of each figure: its axes, its setting, the paper's claim, its computation and its judge."""

from .bspace import SKETCH_FIGURES
from .figure import ERROR_BAND, HERE, MEAN_ERROR, SLICE, Claim, Figure
from .kss import FREE_TOTAL_FIGURES, KSS_FIGURES

__all__ = [
    "ERROR_BAND",
    "FREE_TOTAL_FIGURES",
    "HERE",
    "KSS_FIGURES",
    "MEAN_ERROR",
    "SKETCH_FIGURES",
    "SLICE",
    "Claim",
    "Figure",
]
