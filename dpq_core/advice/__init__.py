"""Advice: which mechanism suits a question, ranked by simulation on public shapes; no data is read."""

from .needs import needs
from .ranking import Advice, Expectation, PublicFacts, advise
from .reasons import why_outside

__all__ = ["Advice", "Expectation", "PublicFacts", "advise", "needs", "why_outside"]
