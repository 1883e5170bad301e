"""What to expect of the answers of a table, and the best mechanism of each column: from public facts alone."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from fractions import Fraction

from ...advice.forecast import forecast_groups, unit_of_plan
from ...advice.groups import best_plan_for_groups
from ...advice.ranking import BEST
from ...advice.several import best_plans, chances_far_off, expected_errors
from ...errors import ParameterError
from ...finding.counting import rest_of
from ...groups.table import FINDING_SHARE
from ...plan import Plan
from ...privacy.composition import Unit
from ..groups.choice import GroupChoice
from ..groups.sizes import rule_of_persons
from ..persons import unit_for, weighs_shares
from .kinds import TableRequest

MANY_FOUND = 1000
"""The number of groups to assume if it is unknown."""


def resolved(request: TableRequest) -> TableRequest:
    """Return the same with the best mechanism for each column and what to expect of each answer.

    Raises ParameterError where a column has none.
    """
    if request.groups is not None:
        return replace(request, plans=_best_in_groups(request, request.groups), asked=request)
    known = (request.about_n, request.weights, *_units_and_shares(request))
    plans = best_plans(request.domains, request.plans, *known)
    whole = {name: _with_guess(each, request.about_n) for name, each in plans.items()}
    plain = {name: replace(each, intervals=None, about_n=None) for name, each in whole.items()}
    chances = chances_far_off(request.domains, plain, *known)
    return replace(request, plans=whole, chances=chances, asked=request)


def expected_points(request: TableRequest) -> tuple[float, ...]:
    """Return the error to expect in each column, or in each of its listed groups, in points of rank.

    Where it cannot be simulated it is left out.
    """
    if request.groups is not None:
        return _points_in_groups(request, request.groups)
    errors = expected_errors(
        request.domains, request.plans, request.about_n, request.weights, *_units_and_shares(request)
    ).values()
    return tuple(100 * error / request.about_n for error in errors if error is not None)


def _with_guess(plan: Plan, about: int) -> Plan:
    return replace(plan, about_n=about) if plan.intervals is not None and plan.about_n is None else plan


def _units_and_shares(request: TableRequest) -> tuple[dict[str, Unit], Collection[str]]:
    """Return what a neighbour of each column differs by, and the columns in which rows weigh shares."""
    units = {name: unit_for(request.person, plan) for name, plan in request.plans.items()}
    return units, request.plans if weighs_shares(request.person) else ()


def _parts(request: TableRequest) -> Mapping[str, Plan]:
    """Return the plan of each column with what is left for its answers, once names and bounds are found."""
    whole = request.plan
    if request.groups is not None and request.groups.names is None:
        whole = whole.with_budget(rest_of(whole.privacy, Fraction(FINDING_SHARE)))
    parts = dict(zip(whole.names, whole.divided()[0], strict=True))
    shares = {name: getattr(request.bounds[name], "share", None) for name in parts}
    return {
        name: part if (share := shares[name]) is None else replace(part, privacy=rest_of(part.privacy, share))
        for name, part in parts.items()
    }


def _best_in_groups(request: TableRequest, groups: GroupChoice) -> dict[str, Plan]:
    rule, found = rule_of_persons(groups, request.person), {}
    count = MANY_FOUND if groups.answered is None else len(groups.answered) * len(request.plans)
    parts, domains = _parts(request), request.domains
    for name, plan in request.plans.items():
        mechanism = plan.mechanism
        if mechanism == BEST:
            part = replace(parts[name], about_n=None)
            unit, shares = unit_of_plan(part, **rule), weighs_shares(request.person)
            best = best_plan_for_groups(part, domains[name], request.about_n, count, unit, shares=shares)
            mechanism = best.mechanism
        found[name] = _with_guess(replace(plan, mechanism=mechanism), request.about_n)
    return found


def _points_in_groups(request: TableRequest, groups: GroupChoice) -> tuple[float, ...]:
    if groups.answered is None:
        return ()
    rule = rule_of_persons(groups, request.person) | {"in_all": len(groups.answered) * len(request.plans)}
    about, found = {name: request.sizes.of(name) or request.about_n for name in groups.answered}, []
    for name, part in _parts(request).items():
        run = replace(part, mechanism=request.plans[name].mechanism, options=request.plans[name].options)
        try:
            forecast = forecast_groups(run, request.domains[name], groups.answered, about, **rule)
        except ParameterError:
            continue
        found += [100 * fraction for fraction in forecast.fractions]
    return tuple(found)
