"""Calibrate a plan for many groups: what one record of a group costs, what that gives a person, and who is named.

What groups and their names cost together is proved and added up in `privacy.composition`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf

from ..errors import Name, ParameterError, Way
from ..group_privacy import each_plan
from ..mechanisms import SIDE_BY_SIDE, Parameters
from ..plan import Plan
from ..privacy import (
    Adjacency,
    ApproxDP,
    Guarantee,
    Unit,
    after_names,
    budget_of_name,
    names_and_answers,
    unit_of_groups,
    worst_of,
)
from .finding import NamingRule
from .table import Groups

Calibrate = Callable[[Plan, int | None], Parameters]
MOST_OF_SEVERAL = 60
"""Of more groups AQ draws one quantile at a time, unless several are asked for."""
REFUSING = "slice"
"""The mechanism that may find out only after a draw that there is no answer."""


@dataclass(frozen=True)
class CalibratedGroups:
    """A plan calibrated for some groups, with the parameters of each, found once for all that need the same."""

    plan: Plan
    unit: Unit
    guarantee: Guarantee
    """Of the whole: all groups, and their names where they are found."""
    shared: Parameters | None
    """Those of every group, where they do not hang on its size."""
    by_size: dict[int, Parameters]
    naming: NamingRule | None

    def parameters_of(self, size: int) -> Parameters:
        """Return the parameters of a group with so many records."""
        return self.by_size[size] if self.shared is None else self.shared

    @property
    def notes(self) -> tuple[str, ...]:
        """Return the sentences that belong beside all answers, each once."""
        every = [self.shared] if self.shared is not None else list(self.by_size.values())
        return tuple(dict.fromkeys(note for parameters in every for note in parameters.notes))


def plan_of_group(plan: Plan, unit: Unit, calibrate: Calibrate) -> Plan:
    """Return the plan by which each group alone is answered. Raises ParameterError (also Infeasible)."""
    return plan if unit.steps == 1 else each_plan(plan, unit, lambda one: calibrate(one, None))[0]


def calibrate_groups(groups: Groups, plan: Plan, calibrate: Calibrate) -> CalibratedGroups:
    """Return a plan calibrated for these groups; nothing is drawn. Raises ParameterError (also Infeasible)."""
    unit = unit_of_groups(plan.adjacency, groups.groups_per_person, fixed=groups.fixed, protects=groups.protects)
    plan = _soon(plan, None if groups.finding is not None else len(groups.names))
    check_for_groups(plan, fixed=groups.fixed)
    if plan.adjacency is Adjacency.SUBSTITUTE and groups.fixed:
        return _of_fixed(groups, plan, unit, calibrate)
    if groups.finding is None:
        parameters, guarantee = _for_each(plan, unit, calibrate)
        return CalibratedGroups(plan, unit, guarantee, parameters, {}, None)
    return _with_naming(groups, plan, unit, calibrate)


def check_for_groups(plan: Plan, *, fixed: bool) -> None:
    """Raise ParameterError for a plan that groups are not answered by, whatever they are."""
    if plan.intervals is not None:
        raise ParameterError("intervals", "must be None where the groups of a table are answered.")
    if plan.mechanism == REFUSING and not (fixed and plan.adjacency is Adjacency.SUBSTITUTE):
        raise ParameterError(
            "mechanism", f"must not be {REFUSING} where sizes of groups are private: it may refuse one after a draw.",
            (Way("mechanism", "aq"),),
        )  # fmt: skip


def _soon(plan: Plan, count: int | None) -> Plan:
    """Return a plan that takes seconds for so many groups, None if they are found: one draw after the other in AQ.

    The first draw of several takes about 0.05 s in each group of a release.
    """
    if plan.mechanism != "aq" or plan.options.get("draws", "best") != "best" or (count or inf) <= MOST_OF_SEVERAL:
        return plan
    return replace(plan, options={**plan.options, "draws": "one"})


def _for_each(plan: Plan, unit: Unit, calibrate: Calibrate) -> tuple[Parameters, Guarantee]:
    """Return the parameters of every group, where sizes are private, and what they give a person."""
    if unit.steps == 1:
        parameters = calibrate(plan, None)
    else:
        _, parameters = each_plan(plan, unit, lambda one: calibrate(one, None))
    return parameters, unit.guarantee_of(plan.privacy, plan.adjacency, parameters.guarantee)


def _of_fixed(groups: Groups, plan: Plan, unit: Unit, calibrate: Calibrate) -> CalibratedGroups:
    """Sizes are public: a group has the parameters of its own size, unless the mechanism does not read it."""
    if plan.mechanism in SIDE_BY_SIDE:
        shared = calibrate(plan, None)
        return CalibratedGroups(
            plan, unit, unit.guarantee_of(plan.privacy, plan.adjacency, shared.guarantee), shared, {}, None
        )
    by_size = {size: calibrate(plan, size) for size in sorted(set(groups.sizes.tolist()))}
    worst = worst_of(parameters.guarantee for parameters in by_size.values())
    guarantee = unit.guarantee_of(plan.privacy, plan.adjacency, worst)
    return CalibratedGroups(plan, unit, guarantee, None, by_size, None)


def _with_naming(groups: Groups, plan: Plan, unit: Unit, calibrate: Calibrate) -> CalibratedGroups:
    """Divide an (epsilon, delta) budget between names and answers; what answers leave of delta goes to the names."""
    budget, share = plan.privacy, groups.finding
    assert share is not None, "groups are to be found"
    if not isinstance(budget, ApproxDP):
        raise ParameterError(
            "privacy", ("must have a delta where groups are found: give a list of ", Name("names"), " instead."),
            (Way("budget", "approximate"),),
        )  # fmt: skip
    for_names, rest = names_and_answers(budget, Fraction(share))
    answers = Plan(plan.quantiles, plan.mechanism, rest, plan.adjacency, plan.options)
    parameters, spent = _for_each(answers, unit, calibrate)
    left, guarantee = after_names(budget, for_names, spent)
    return CalibratedGroups(plan, unit, guarantee, parameters, {}, NamingRule(*budget_of_name(for_names, left, unit)))
