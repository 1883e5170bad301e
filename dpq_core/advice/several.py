"""The best mechanism for each of several columns that share a budget, and what to expect: from public facts alone."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from ..calibrations import calibrate
from ..columns.plan import ColumnsPlan
from ..domain.domain import Domain
from ..domain.numbers import Number
from ..errors import ParameterError
from ..groups.names import GroupName
from ..plan import Plan
from ..privacy.composition import RECORD, GroupsPerPerson, Unit, least_noisy
from ..trials import check_count
from .expected import chances_of_far, expected_error
from .facts import PublicFacts
from .forecast import forecast_groups
from .ranking import ALWAYS_AVAILABLE, BEST, BestPlan, best_plan


def best_plans(
    domains: Mapping[str, Domain],
    plan: Plan | Mapping[str, Plan] | ColumnsPlan,
    n: int | None = None,
    weights: Mapping[str, Number] | None = None,
    units: Mapping[str, Unit] | None = None,
    shares: Collection[str] = (),
) -> dict[str, Plan]:
    """Return a plan for each column; "best" becomes the mechanism with the smallest expected mean rank error.

    The choice uses the column's own part of the budget and its own domain; other mechanisms do not change. `n`: a guess
    of the number of records; `units`: the unit by which a neighbour of each column differs, if persons have several
    records; `shares`: the columns in which all rows of a person weigh 1 together. Raises ParameterError.
    """
    whole = ColumnsPlan.of(domains, plan, weights)
    chosen = _choose_best(domains, whole, n, units or {}, shares)
    plans = zip(whole.names, whole.plans, strict=True)
    keys = {name: chosen[name].mechanism if name in chosen else ALWAYS_AVAILABLE for name in whole.names}
    return {name: replace(each, mechanism=keys[name]) if each.mechanism == BEST else each for name, each in plans}


def expected_errors(
    domains: Mapping[str, Domain],
    plan: Plan | Mapping[str, Plan],
    n: int,
    weights: Mapping[str, Number] | None = None,
    units: Mapping[str, Unit] | None = None,
    shares: Collection[str] = (),
) -> dict[str, float | None]:
    """Return the mean rank error to expect in each column among n records; None where it cannot be simulated.

    The arguments are those of `best_plans`, whose plans may be given. Raises ParameterError.
    """
    whole, units = ColumnsPlan.of(domains, plan, weights), units or {}
    chosen = _choose_best(domains, whole, n, units, shares)
    best = {name: each.plan for name, each in chosen.items()}
    parts = zip(whole.names, whole.plans, _usual_way(whole), strict=True)
    return {
        name: expected_error(
            best.get(name, replace(part, mechanism=own.mechanism, options=own.options)),
            domains[name], n, units.get(name, RECORD), shares=name in shares,
        )
        for name, own, part in parts
    }  # fmt: skip


def forecast_columns(
    domains: Mapping[str, Domain],
    plan: Plan,
    about: int | Mapping[GroupName, int],
    names: Sequence[GroupName] | None = None,
    *,
    units: Mapping[str, Unit] | None = None,
    shares: Collection[str] = (),
    groups_per_person: GroupsPerPerson = 1,
    most_rows: int = 1,
) -> dict[str, tuple[str, ...]]:
    """Return for each column what to know before anything is spent, in plain sentences; no data is read. Repeatable.

    `about`: how many records there are, or how many in each of the listed groups, one number or one each;
    `groups_per_person` and `most_rows` as in `forecast_groups`, the rest as in `best_plans`. Raises
    ParameterError.
    """
    if names is not None:
        whole = ColumnsPlan.of(domains, plan)
        parts = [replace(part, mechanism=plan.mechanism, options=plan.options) for part in _usual_way(whole)]
        found = {
            name: forecast_groups(
                part, domains[name], names, about, groups_per_person=groups_per_person,
                most_rows=most_rows, share=name in shares, in_all=len(names) * len(parts),
            )
            for name, part in zip(whole.names, parts, strict=True)
        }  # fmt: skip
        return {name: each.remarks for name, each in found.items()}
    if isinstance(about, Mapping):
        raise ParameterError("about", "must be one number where there are no groups, such as 1000.")
    check_count("about", about, 1)
    errors = expected_errors(domains, plan, about, units=units, shares=shares)
    return {name: (_expected(error, about),) for name, error in errors.items()}


def _expected(error: float | None, about: int) -> str:
    if error is None:
        return "The errors of this plan cannot be simulated."
    share = f"{float(f'{100 * error / about:.2g}'):g} %"
    return f"Answers are off by about {float(f'{error:.2g}'):,g} of {about:,} records on average, which is {share}."


def chances_far_off(
    domains: Mapping[str, Domain],
    plan: Plan | Mapping[str, Plan],
    n: int,
    weights: Mapping[str, Number] | None = None,
    units: Mapping[str, Unit] | None = None,
    shares: Collection[str] = (),
) -> dict[str, tuple[float, ...]]:
    """Return for each level of each column how often its answer is far off; the arguments are those of `best_plans`.

    Columns in which it cannot be simulated are left out. No plan may be "best". Raises ParameterError.
    """
    whole, units = ColumnsPlan.of(domains, plan, weights), units or {}
    found = {}
    for name, own, part in zip(whole.names, whole.plans, _usual_way(whole), strict=True):
        run = replace(part, mechanism=own.mechanism, options=own.options)
        chances = chances_of_far(run, domains[name], n, units.get(name, RECORD), shares=name in shares)
        if chances is not None:
            found[name] = chances
    return found


def _choose_best(
    domains: Mapping[str, Domain],
    whole: ColumnsPlan,
    n: int | None,
    units: Mapping[str, Unit],
    shares: Collection[str],
) -> dict[str, BestPlan]:
    """Return what is best for each column whose plan leaves that open, and what it rests on."""
    parts = zip(whole.names, whole.plans, _usual_way(whole), strict=True)
    return {
        name: best_plan(PublicFacts.of(part, n, domains[name], units.get(name, RECORD), shares=name in shares))
        for name, own, part in parts
        if own.mechanism == BEST and own.quantiles
    }


def _usual_way(whole: ColumnsPlan) -> tuple[Plan, ...]:
    """Return the plans of the columns by the way to divide the budget in which the usual mechanism spends most."""
    usual = [
        tuple(replace(each, mechanism=ALWAYS_AVAILABLE, options={}) for each in plans) for plans in whole.divided()
    ]
    return least_noisy(usual, lambda plans: plans, lambda plans: (calibrate(each).guarantee for each in plans))
