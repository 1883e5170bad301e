"""The best mechanism for all groups of a table, and the error to expect in one of them, from public facts alone."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace
from functools import lru_cache

from ..calibrations import calibrate
from ..domain.domain import Domain
from ..errors import Infeasible, ParameterError
from ..groups.calibration import MOST_OF_SEVERAL, plan_of_group
from ..mechanisms.registry import MECHANISMS, SIDE_BY_SIDE
from ..plan import Plan
from ..privacy.budgets import Adjacency
from ..privacy.composition import RECORD, Unit
from ..studies.configuration import Method
from .facts import PublicFacts
from .ranking import ALWAYS_AVAILABLE, TOO_SLOW, BestPlan, best_plan, with_all_levels
from .simulation import RUNS, Simulation, enough_runs, too_slow

MANY_GROUPS = 100
"""More groups are answered side by side only: one after the other takes long in the exact sampler."""
LEAST_COMPARED = 300
"""Records: in smaller groups all mechanisms may answer nearly at random, and differ by chance alone."""
SIZES = tuple(2**power for power in range(15))
"""Records: groups are simulated at these sizes; in larger ones the error hardly changes."""


@lru_cache(maxsize=64)
def best_plan_for_groups(
    plan: Plan, domain: Domain, about: int, groups: int, unit: Unit = RECORD, *, shares: bool = False
) -> BestPlan:
    """Return the plan for all groups with the mechanism of the least expected error in a group of `about` records.

    `groups`: how many there are in all columns; `unit`: what a neighbour differs by (`unit_of_groups`); `shares`:
    whether all rows of a person weigh 1 together, which not every mechanism reads. Raises ParameterError.
    """
    each = plan_of_group(replace(plan, mechanism=ALWAYS_AVAILABLE, options={}), unit, calibrate)
    facts = PublicFacts.of(each, max(about, LEAST_COMPARED), domain, shares=shares)
    best = best_plan(replace(facts, all_levels=True, singly=groups > MOST_OF_SEVERAL))
    left_out = set()
    if each.adjacency is Adjacency.ADD_REMOVE:  # one small group would leave all without an answer
        left_out |= {key for key, mechanism in MECHANISMS.items() if mechanism.PROFILE.refuses_after_draws}
    if groups > MANY_GROUPS:
        left_out |= MECHANISMS.keys() - SIDE_BY_SIDE.keys()
    ranking = tuple(one for one in best.ranking if one.mechanism not in left_out)
    whole = replace(plan, mechanism=ranking[0].mechanism if ranking else ALWAYS_AVAILABLE, options={})
    return replace(best, plan=whole, ranking=ranking)


def error_in_group(plan: Plan, unit: Unit, domain: Domain, size: int, groups: int = 1) -> float:
    """Return the mean rank error to expect in a group of this size, simulated for the next smaller one of `SIZES`.

    Where a mechanism needs more records than that, it is simulated for this very size. Where the plan asks for
    intervals, with the levels at their ends, at a usual distance. `groups`: how many there are in all columns, which
    decides how many quantiles a draw is of.

    Raises ParameterError where the plan is not available for this size, or too slow to simulate.
    """
    many = groups > MOST_OF_SEVERAL
    try:
        return min(_simulated(plan, unit, domain, SIZES[bisect_right(SIZES, size) - 1], many), size)
    except Infeasible:
        return min(_simulated(plan, unit, domain, size, many), size)


@lru_cache(maxsize=512)
def _simulated(plan: Plan, unit: Unit, domain: Domain, size: int, many: bool) -> float:
    each = plan_of_group(plan, unit, calibrate)
    facts = with_all_levels(PublicFacts.of(each, size, domain))
    facts = replace(facts, all_levels=True, singly=many, methods=(Method(each.mechanism, dict(each.options)),))
    if too_slow(facts, each.mechanism):
        raise ParameterError("mechanism", TOO_SLOW)
    simulation = Simulation(facts, each.mechanism, size)
    simulation.run(enough_runs(facts, RUNS))
    return simulation.mean.typical
