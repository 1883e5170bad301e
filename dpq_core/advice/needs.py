"""All that a mechanism needs before it is available for a plan, with the changes that would meet each need."""

from __future__ import annotations

from dataclasses import replace

from ..calibrations import Calibrations, calibrations_of, mechanism_of
from ..errors import ParameterError, Remedy
from ..group_privacy import refused_for_each
from ..mechanisms.base import USUAL_DELTA
from ..plan import Plan
from ..privacy.budgets import ZCDP, Adjacency, ApproxDP, Privacy, PureDP

STAND_IN = 1
"""Replaces a value that only the owner of the column knows, to find the other needs."""
USUAL_EPSILON = 1.0


def needs(
    plan: Plan, count: int | None = None, cells: int | None = None, calibrations: Calibrations | None = None
) -> tuple[ParameterError, ...]:
    """Return all refusals of the plan's mechanism, each with what it needs; none where it is available.

    Every further need is the one that is left once the best way out of those before it was taken, so that nobody meets
    them one after the other. `count`: the number of records, where it may be known: public, or of data that is
    explored; never a private one. `cells`: of the domain, where it is known. `calibrations`: of the plan, if they were
    made before.
    """
    found: dict[str, ParameterError] = {}
    error = refusal_before_run(plan, count, cells, calibrations)
    while error is not None and error.name not in found:
        found[error.name] = error.with_traceback(None)
        if not error.remedies or error.remedies[0].name == "mechanism":
            break
        plan = with_remedy(plan, error.remedies[0])
        error = refusal_before_run(plan, count, cells, calibrations and calibrations_of(plan, unit=calibrations.unit))
    return tuple(found.values())


def refusal_before_run(
    plan: Plan, count: int | None, cells: int | None, calibrations: Calibrations | None
) -> ParameterError | None:
    """Return why the plan's mechanism is not available, as far as is known before a run; None where it is."""
    made = calibrations or calibrations_of(plan)
    # where a person may have several records it is about one record, whose number is private
    found = made.at(None) if made.unit.steps_per_group > 1 else None
    if isinstance(found, ParameterError):
        return found
    each = plan if found is None else found.each_plan
    try:
        refused = mechanism_of(each).PROFILE.refused_on(each, cells, count) if cells else None
    except ParameterError as error:
        return error
    return refused or made.refusal(count) if found is None else refused and refused_for_each(refused, made.unit)


def with_remedy(plan: Plan, way: Remedy) -> Plan:
    """Return the plan with one setting changed; a value that is not known is some number."""
    privacy, adjacency, options = plan.privacy, plan.adjacency, dict(plan.options)
    match way.name:
        case "epsilon" | "delta" | "budget":
            privacy = _with_budget(privacy, way)
        case "adjacency":
            adjacency = Adjacency(str(way.value))
        case "mechanism":
            return replace(plan, mechanism=str(way.value), options={})
        case _:
            options[way.name] = STAND_IN if way.value is None else way.value
    return replace(plan, privacy=privacy, adjacency=adjacency, options=options)


def _with_budget(privacy: Privacy, way: Remedy) -> Privacy:
    epsilon = USUAL_EPSILON if isinstance(privacy, ZCDP) else privacy.epsilon
    delta = privacy.delta if isinstance(privacy, ApproxDP) else None
    if way.name == "budget":
        return PureDP(epsilon) if way.value == "pure" else ApproxDP(epsilon, delta or USUAL_DELTA)
    if way.name == "epsilon":
        epsilon = float(way.value or USUAL_EPSILON)
    else:
        delta = float(way.value or 0)
    return PureDP(epsilon) if delta is None else ApproxDP(epsilon, delta)
