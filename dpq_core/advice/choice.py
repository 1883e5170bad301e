"""Choose for me: the mechanism of a plan by a rule, from public facts alone; no data is read, nothing is simulated.

The rule was fitted to simulated errors: docs/choice.md has the grid and what the rule loses against the best
mechanism of each plan. `python -m tests.benchmarks.choice` measures that again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import sqrt

from ..calibrations import calibrate
from ..groups.calibration import MOST_OF_SEVERAL, plan_of_group
from ..mechanisms.registry import SIDE_BY_SIDE
from ..plan import Plan
from ..privacy.budgets import ZCDP, Adjacency
from .facts import PublicFacts
from .needs import refusal_before_run

BEST = "best"
"""In a form, a link or a plan file: the mechanism that `choose` chooses. No mechanism has this key."""
BEST_LABEL = "Choose for me"
ALWAYS_AVAILABLE = "aq"
"""Serves every plan."""
MANY_GROUPS = 100
"""More groups are answered side by side only: one after the other takes long in the exact sampler."""
FOUND_GROUPS = 1000
"""How many groups are assumed where they are to be found."""

LITTLE_WEIGHT, LITTLE_WEIGHT_RHO, LEAST_WEIGHT = 16, 8, 4
"""Of all records: n ε, or n √(2ρ), half of it where one record is replaced. Below, answers are nearly at random."""
VALUES_FOR_EACH, VALUES_FOR_EACH_RHO = 10, 1
"""Possible values for each quantile: with no more of them, each is counted."""
WEIGHT_FOR_EACH, WEIGHT_FOR_EACH_RHO = 8, 3
"""With less weight for each quantile, intervals of a tree are counted."""
MOST_APART, MOST_TOGETHER = 4, 45
"""Quantiles that are drawn one by one with ρ, and together with ε, where one record is replaced."""
MOST_IN_GROUPS = 6
"""Quantiles that are drawn together in each of many groups, in a few ms. More of them take long; so do intervals."""

NOT_KNOWN = "The number of records is not known, and this errs little for few records and for many."
ONE_DRAW = "One quantile is a single draw with the whole budget."
FEW_VALUES = "The column has only {values:,} possible values. Counting each costs less than drawing {levels} quantiles."
LITTLE = "The budget is very small for {n:,} records. Every mechanism is far off, and none is clearly better than this."
MANY_LEVELS = "There are many quantiles for {n:,} records and this budget. Counts cost the same for any number of them."
APART = "Where one record is replaced, up to {most} quantiles err least with a draw each: losses in ρ add up slowly."
TOGETHER = "Where one record is replaced, up to {most} quantiles err least when one draw answers all of them."
OF_GROUPS = "In many groups, up to {most} quantiles err least when one draw in each group answers all of them."
IN_HALVES = (
    "There are enough records for this budget. Each counts once in every halving, about {halvings} times for {levels} "
    "quantiles."
)


@dataclass(frozen=True, kw_only=True)
class Choice:
    """Hold the plan with the mechanism that was chosen for it, and why."""

    facts: PublicFacts
    plan: Plan
    """The plan to run. Charges, stored answers and reports name this mechanism."""
    why: str
    """What decided, in one or two sentences."""

    @property
    def mechanism(self) -> str:
        """Return the key of the chosen mechanism."""
        return self.plan.mechanism


def choose(facts: PublicFacts) -> Choice:
    """Return the plan with the mechanism that a rule chooses for it; of a column, or of every group of one.

    The same facts have the same choice. It takes about a millisecond. Raises ParameterError where the budget is too
    small for any mechanism.
    """
    each = _of_one_record(facts)
    key, why = next(line for line in _rule(each, facts) if line[0] == ALWAYS_AVAILABLE or serves(facts, line[0]))
    plan = facts.plan(key)
    about = plan.about_n if facts.intervals is None else facts.n
    plan = replace(plan, quantiles=facts.quantiles, intervals=facts.intervals, about_n=about)
    return Choice(facts=facts, plan=plan, why=why)


def _rule(each: Plan, facts: PublicFacts) -> Iterator[tuple[str, str]]:
    """Yield mechanisms, the one that suits best first, and why; the first that is available is taken.

    `each`: the plan of one record, with all levels that are drawn.
    """
    m, n, values = len(set(each.quantiles)), facts.n, facts.domain.cells
    if m > 1 and n is not None:
        by_rho, replaced = isinstance(each.privacy, ZCDP), each.adjacency is Adjacency.SUBSTITUTE
        epsilon = sqrt(2 * each.privacy.rho) if isinstance(each.privacy, ZCDP) else each.privacy.epsilon
        weight = epsilon * n / (2 if replaced else 1)
        if weight >= LEAST_WEIGHT and values <= m * (VALUES_FOR_EACH_RHO if by_rho else VALUES_FOR_EACH):
            yield "binhist", FEW_VALUES.format(values=values, levels=m)
        if weight < (LITTLE_WEIGHT_RHO if by_rho else LITTLE_WEIGHT):
            yield "indexp", LITTLE.format(n=n)
        if weight < m * (WEIGHT_FOR_EACH_RHO if by_rho else WEIGHT_FOR_EACH):
            yield "aggtree", MANY_LEVELS.format(n=n)
        if by_rho and replaced and m <= MOST_APART:
            yield "indexp", APART.format(most=MOST_APART)
        if not by_rho and replaced and m <= MOST_TOGETHER:
            yield "jointexp", TOGETHER.format(most=MOST_TOGETHER)
        many_groups = (facts.groups or 0) > MOST_OF_SEVERAL
        if many_groups and not by_rho and not replaced and m <= MOST_IN_GROUPS and facts.intervals is None:
            yield "freetotal", OF_GROUPS.format(most=MOST_IN_GROUPS)
    unknown = IN_HALVES.format(levels=m, halvings=m.bit_length()) if n is not None else NOT_KNOWN
    yield ALWAYS_AVAILABLE, ONE_DRAW if m == 1 else unknown


def serves(facts: PublicFacts, key: str) -> bool:
    """Return whether a mechanism of the rule is available for these facts."""
    if (facts.groups or 0) > MANY_GROUPS and key not in SIDE_BY_SIDE:
        return False
    each = replace(_of_one_record(facts), mechanism=key, options={})
    return refusal_before_run(each, facts.n, facts.domain.cells, None) is None


def _of_one_record(facts: PublicFacts) -> Plan:
    """Return the usual mechanism's plan for one record, with all levels that are drawn."""
    return plan_of_group(replace(facts.with_ends.plan(ALWAYS_AVAILABLE), about_n=None), facts.unit, calibrate)
