"""Advice: which mechanism suits a question, ranked by simulation on public shapes; no data is read."""

from .best import BEST, BEST_LABEL, BestPlan, best_plan
from .needs import needs, refusal_before_run
from .ranking import Expectation, PublicFacts, advise
from .reasons import why_outside

__all__ = [
    "BEST",
    "BEST_LABEL",
    "BestPlan",
    "Expectation",
    "PublicFacts",
    "advise",
    "best_plan",
    "needs",
    "refusal_before_run",
    "why_outside",
]
