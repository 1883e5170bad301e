"""The best mechanism for a plan, from public facts alone: what a press without a choice runs."""

from __future__ import annotations

from dataclasses import dataclass

from ..plan import Plan
from .facts import PublicFacts
from .ranking import Expectation, advise

BEST = "best"
"""Stands in a form, a link or a plan file for the mechanism that `best_plan` chooses; no mechanism has this key."""
BEST_LABEL = "Best for this plan"
USUAL = "aq"
"""Serves every plan, so it is chosen where nothing can be simulated in advance."""


@dataclass(frozen=True, kw_only=True)
class BestPlan:
    """The plan with the mechanism of the least expected error, and what that choice rests on."""

    facts: PublicFacts
    n: int
    """The number of records that errors were worked out for: that of the facts, or a usual one."""
    plan: Plan
    """The plan to run: whatever charges, stores or reports it names this mechanism."""
    ranking: tuple[Expectation, ...]
    """What was compared, best first; empty where nothing could be simulated in advance."""

    @property
    def mechanism(self) -> str:
        """Return the key of the chosen mechanism."""
        return self.plan.mechanism

    @property
    def reason(self) -> str:
        """Return why it was chosen, in a sentence."""
        if not self.ranking:
            return f"{USUAL} serves every plan; no mechanism could be simulated in advance."
        said = [f"{one.label} {one.mean.typical:.2g}" for one in self.ranking[:2]]
        return f"Expected mean rank errors, were there {self.n:,} records: {', next best '.join(said)}."


def best_plan(facts: PublicFacts) -> BestPlan:
    """Return the plan of least expected mean rank error, of those that are available. No data is read. Repeatable.

    The mechanisms run on made-up public records within the bounds (`advise`), a few tenths of a second; the answer is
    kept for the next call with the same facts.
    """
    advice = advise(facts)
    plan = advice.ranking[0].plan if advice.ranking else facts.plan(USUAL)
    return BestPlan(facts=facts, n=advice.n, plan=plan, ranking=advice.ranking)
