"""The verdict on each figure: the paper's number beside the one that the stored points come to."""

from . import bspace, verdicts
from .verdicts import Judge, Judgement, Word

__all__ = ["Judge", "Judgement", "Word", "bspace", "verdicts"]
