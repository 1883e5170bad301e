"""What a paper claims of a figure, as a number, beside what the stored points come to."""

from . import bspace, verdicts
from .verdicts import Judge, Verdict, Word

__all__ = ["Judge", "Verdict", "Word", "bspace", "verdicts"]
