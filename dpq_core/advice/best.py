"""The best mechanism for a plan, from public facts alone: what a press without a choice runs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from ..calibrations import calibrations_of
from ..intervals import ends_of
from ..plan import Plan
from ..studies import USUAL_SIZE
from .facts import PublicFacts
from .needs import refusal_before_run
from .race import NEGLIGIBLE_ERROR
from .ranking import Expectation, advise

BEST = "best"
"""In a form, a link or a plan file: the mechanism that `best_plan` chooses. No mechanism has this key."""
BEST_LABEL = "Choose for me"
LEAST_ERROR_COMPARED = 0.01
"""Records: a smaller error counts as this one where it is compared."""
TIMES_FEWER = 10
"""A guess of n may be too large by this factor."""
USUAL_DISTANCE = 30
"""Ranks: of the ends of intervals from their quantile, where mechanisms are compared."""
ALWAYS_AVAILABLE = "aq"
"""Serves every plan, so it is chosen where nothing can be simulated in advance."""


@dataclass(frozen=True, kw_only=True)
class BestPlan:
    """The plan with the mechanism of the least expected error, and what that choice rests on."""

    facts: PublicFacts
    n: int
    """The number of records that errors were worked out for: that of the facts, or a usual one."""
    plan: Plan
    """The plan to run. Charges, stored answers and reports name this mechanism."""
    ranking: tuple[Expectation, ...]
    """What was compared, best first; empty where nothing could be simulated in advance."""

    @property
    def mechanism(self) -> str:
        """Return the key of the chosen mechanism."""
        return self.plan.mechanism

    @property
    def times(self) -> float:
        """Return the expected error of the runner-up relative to the best; 1 where it is as good, or missing."""
        first, second = (one.mean.typical for one in self.ranking[:2]) if len(self.ranking) > 1 else (1.0, 1.0)
        return second / max(first, LEAST_ERROR_COMPARED) if second > max(first, NEGLIGIBLE_ERROR) else 1.0

    @property
    def reason(self) -> str:
        """Return why it was chosen, in a sentence."""
        if not self.ranking:
            return f"{ALWAYS_AVAILABLE} works for every plan; no mechanism could be simulated in advance."
        said = [f"{one.label} {one.mean.typical:.2g}" for one in self.ranking[:2]]
        is_next = ", as good as " if self.times == 1 else ", runner-up "
        return f"Expected mean rank errors with {self.n:,} records: {is_next.join(said)}."


@lru_cache(maxsize=128)
def best_plan(facts: PublicFacts) -> BestPlan:
    """Return the available plan with the smallest expected mean rank error. It reads no data. Repeatable.

    Since n may be a guess, it does not choose a mechanism that refuses a tenth of n: a refusal after a draw costs
    budget. The mechanisms run on made-up public records within the bounds (`advise`), a few tenths of a second; the
    answer is kept for the next call with the same facts.
    """
    advice = advise(with_all_levels(facts))
    ranking = advice.ranking
    while ranking and _refuses_a_tenth(ranking[0].plan, advice.n, facts):
        ranking = ranking[1:]
    plan = ranking[0].plan if ranking else facts.plan(ALWAYS_AVAILABLE)
    about = plan.about_n if facts.intervals is None else facts.n
    plan = replace(plan, quantiles=facts.quantiles, intervals=facts.intervals, about_n=about)
    return BestPlan(facts=facts, n=advice.n, plan=plan, ranking=ranking)


def _refuses_a_tenth(plan: Plan, n: int, facts: PublicFacts) -> bool:
    calibrations = calibrations_of(plan, unit=facts.unit)
    return refusal_before_run(plan, n // TIMES_FEWER, facts.domain.cells, calibrations) is not None


def with_all_levels(facts: PublicFacts) -> PublicFacts:
    """Return the facts with the levels that are drawn for intervals, too, at a usual distance."""
    if facts.intervals is None:
        return facts
    distance = Fraction(USUAL_DISTANCE, max(USUAL_SIZE if facts.n is None else facts.n, 1))
    ends = ends_of(facts.quantiles, [distance] * len(facts.quantiles))
    further = {level for both in ends for level in both if level is not None}
    return replace(facts, quantiles=(*facts.quantiles, *sorted(further - set(facts.quantiles))), intervals=None)
