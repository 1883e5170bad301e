"""What each figure shows, what its paper claims of it, how it is computed again, and who judges."""

from .bspace import SKETCH_FIGURES
from .figure import ERROR_BAND, HERE, MEAN_ERROR, SLICE, Claim, Figure
from .kss import KSS_FIGURES

__all__ = ["ERROR_BAND", "HERE", "KSS_FIGURES", "MEAN_ERROR", "SKETCH_FIGURES", "SLICE", "Claim", "Figure"]
