"""What to expect of the answers of a table, and the best mechanism of each column: from public facts alone."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from ...advice.choice import FOUND_GROUPS
from ...advice.columns import PublicColumns, best_plans, chances_far_off, expected_errors, parts_of_columns
from ...advice.groups import forecast_groups, unit_of_plan
from ...domain.finding import FindBounds
from ...errors import ParameterError
from ...groups.table import FINDING_SHARE
from ...plan import Plan
from ..groups.choice import GroupChoice
from ..groups.sizes import rule_of_persons
from ..persons import unit_for
from .kinds import TableRequest


def resolved(request: TableRequest) -> TableRequest:
    """Return the same with the best mechanism for each column and what to expect of each answer.

    Raises ParameterError where a column has none.
    """
    public = _public(request)
    whole = {name: _with_guess(each, request.about_n) for name, each in best_plans(request.plans, public).items()}
    if request.groups is not None:
        return replace(request, plans=whole, asked=request)
    plain = {name: replace(each, intervals=None, about_n=None) for name, each in whole.items()}
    return replace(request, plans=whole, chances=chances_far_off(plain, public), asked=request)


def expected_points(request: TableRequest) -> tuple[float, ...]:
    """Return the error to expect in each column, or in each of its listed groups, in points of rank.

    Where it cannot be simulated it is left out.
    """
    if request.groups is not None:
        return _points_in_groups(request, request.groups)
    errors = expected_errors(request.plans, _public(request)).values()
    return tuple(100 * error / request.about_n for error in errors if error is not None)


def _with_guess(plan: Plan, about: int) -> Plan:
    return replace(plan, about_n=about) if plan.intervals is not None and plan.about_n is None else plan


def _public(request: TableRequest) -> PublicColumns:
    """Return what is public about the columns."""
    groups, bounds = request.groups, request.bounds
    if groups is None:
        units = {name: unit_for(request.person, plan) for name, plan in request.plans.items()}
        in_all = None
    else:
        rule = rule_of_persons(groups, request.person)
        units = {name: unit_of_plan(plan, **rule) for name, plan in request.plans.items()}
        in_all = FOUND_GROUPS if groups.answered is None else len(groups.answered) * len(request.plans)
    return PublicColumns(
        domains=request.domains, n=request.about_n, weights=request.weights, units=units, groups=in_all,
        naming=Fraction(FINDING_SHARE) if groups is not None and groups.names is None else None,
        bounding={name: each.share for name in request.plans if isinstance(each := bounds[name], FindBounds)},
    )  # fmt: skip


def _points_in_groups(request: TableRequest, groups: GroupChoice) -> tuple[float, ...]:
    if groups.answered is None:
        return ()
    rule = rule_of_persons(groups, request.person) | {"in_all": len(groups.answered) * len(request.plans)}
    about, found = {name: request.sizes.of(name) or request.about_n for name in groups.answered}, []
    for name, run in parts_of_columns(request.plans, _public(request)).items():
        try:
            forecast = forecast_groups(run, request.domains[name], groups.answered, about, **rule)
        except ParameterError:
            continue
        found += [100 * fraction for fraction in forecast.fractions]
    return tuple(found)
