"""What several columns run that share a budget, and what to expect of each: from public facts alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from ..calibrations import calibrate, public_count, unit_of
from ..columns_plan import ColumnsPlan
from ..domain.domain import Domain
from ..domain.numbers import Number
from ..errors import ParameterError
from ..finding.column import Columns, RawGroups, RawSample, whole_of
from ..finding.counting import rest_of
from ..groups.calibration import most_levels
from ..groups.calibration import unit_of as unit_of_groups
from ..groups.names import GroupName
from ..groups.table import Groups
from ..plan import Plan
from ..privacy.composition import RECORD, GroupsPerPerson, Unit, least_noisy
from ..texts import in_digits
from ..trials import check_count
from .choice import ALWAYS_AVAILABLE, BEST, FOUND_GROUPS, choose
from .facts import PublicFacts
from .forecast import chances_of_far, expected_error
from .groups import forecast_groups, middle_of, sizes_of, unit_of_plan

Plans = Plan | Mapping[str, Plan] | ColumnsPlan


@dataclass(frozen=True, kw_only=True)
class PublicColumns:
    """Collect what is public about the columns of a table, beside their plans."""

    domains: Mapping[str, Domain]
    n: int | None = None
    """A guess of the number of records, or of those of a group; None where nothing is known."""
    weights: Mapping[str, Number] | None = None
    units: Mapping[str, Unit] = field(default_factory=dict)
    """What a neighbour of a column differs by, where that is not one record."""
    groups: int | None = None
    """How many groups all columns have, if each is answered; None for whole columns."""
    naming: Fraction | None = None
    """The proportion of the whole budget that finds the names of groups first."""
    bounding: Mapping[str, Fraction] = field(default_factory=dict)
    """The proportion of a column's budget that finds its bounds first."""

    @classmethod
    def of(cls, samples: Columns, plans: Mapping[str, Plan]) -> PublicColumns:
        """Return what is public about these columns; of n the plans' own guesses, where it is private."""
        wholes = {name: whole_of(samples[name]) for name in plans}
        raw = {name: data.find_bounds for name, data in samples.items() if isinstance(data, RawSample | RawGroups)}
        grouped = [data for data in wholes.values() if isinstance(data, Groups)]
        naming = next((data.finding for data in grouped if data.finding is not None), None)
        counts = [public_count(data, plans[name]) for name, data in wholes.items() if not isinstance(data, Groups)]
        guesses = [count for count in (*counts, *map(_middle_guess, plans.values())) if count is not None]
        in_all = sum(len(data.names) for data in grouped) if naming is None else FOUND_GROUPS
        return cls(
            domains={name: raw[name].widest if name in raw else wholes[name].domain for name in plans},
            n=min(guesses, default=None),
            units={
                name: unit_of_groups(data, plan.adjacency, most_levels(plan)) if isinstance(data, Groups)
                else unit_of(data, plan)
                for name, data, plan in zip(plans, wholes.values(), plans.values(), strict=True)
            },
            groups=in_all if grouped else None,
            naming=None if naming is None else Fraction(naming),
            bounding={name: each.share for name, each in raw.items()},
        )  # fmt: skip


def _middle_guess(plan: Plan) -> int | None:
    """Return the number of records that a plan gives, of all or of the middle group; None without one."""
    about = middle_of(plan.about_n.values()) if isinstance(plan.about_n, Mapping) else plan.about_n
    return about if isinstance(about, int) else None


def best_plans(plans: Plans, public: PublicColumns) -> dict[str, Plan]:
    """Return the plan of each column, where "best" has become the mechanism that `choose` chooses at its own part of
    the budget and in its own domain; other mechanisms do not change. Raises ParameterError.
    """
    whole, parts = ColumnsPlan.of(public.domains, plans, public.weights), parts_of_columns(plans, public)
    return {
        name: replace(own, mechanism=parts[name].mechanism) if own.mechanism == BEST else own
        for name, own in zip(whole.names, whole.plans, strict=True)
    }


def parts_of_columns(plans: Plans, public: PublicColumns) -> dict[str, Plan]:
    """Return what each column runs at its own part of the budget, with a mechanism for "best". Raises ParameterError.

    Of the ways to divide the budget it is the one in which the usual mechanism spends most.
    """
    whole = ColumnsPlan.of(public.domains, plans, public.weights)
    if public.naming is not None:
        whole = whole.with_budget(rest_of(whole.privacy, public.naming))
    usual = [
        tuple(replace(each, mechanism=ALWAYS_AVAILABLE, options={}) for each in parts) for parts in whole.divided()
    ]
    parts = least_noisy(usual, lambda parts: parts, lambda parts: (calibrate(each).guarantee for each in parts))
    found = {}
    for name, own, part in zip(whole.names, whole.plans, parts, strict=True):
        left = replace(part, privacy=rest_of(part.privacy, public.bounding[name])) if name in public.bounding else part
        if own.mechanism == BEST and own.quantiles:
            facts = PublicFacts.of(
                left, public.n, public.domains[name], public.units.get(name, RECORD), groups=public.groups
            )
            found[name] = choose(facts).plan
        else:
            key = ALWAYS_AVAILABLE if own.mechanism == BEST else own.mechanism
            found[name] = replace(left, mechanism=key, options=own.options)
    return found


def expected_errors(plans: Plans, public: PublicColumns) -> dict[str, float | None]:
    """Return the mean rank error to expect in each whole column; None where it cannot be simulated.

    The number of records has to be known. Raises ParameterError.
    """
    assert public.n is not None, "a number of records"
    return {
        name: expected_error(run, public.domains[name], public.n, public.units.get(name, RECORD))
        for name, run in parts_of_columns(plans, public).items()
    }


def chances_far_off(plans: Plans, public: PublicColumns) -> dict[str, tuple[float, ...]]:
    """Return for each level of each whole column how often its answer is far off.

    Columns in which it cannot be simulated are left out. The number of records has to be known. Raises ParameterError.
    """
    assert public.n is not None, "a number of records"
    found = {
        name: chances_of_far(run, public.domains[name], public.n, public.units.get(name, RECORD))
        for name, run in parts_of_columns(plans, public).items()
    }
    return {name: chances for name, chances in found.items() if chances is not None}


def forecast_columns(
    plan: Plan,
    public: PublicColumns,
    about: int | Mapping[GroupName, int],
    names: Sequence[GroupName] | None = None,
    *,
    groups_per_person: GroupsPerPerson = 1,
    most_rows: int = 1,
    share: bool = False,
) -> dict[str, tuple[str, ...]]:
    """Return for each column what to know before anything is spent, in plain sentences; no data is read. Repeatable.

    `about`: how many records there are, or how many in each of the listed groups, one number or one each;
    `groups_per_person`, `most_rows` and `share` as in `forecast_groups`. Raises ParameterError.
    """
    if names is not None:
        rule: dict[str, Any] = {"groups_per_person": groups_per_person, "most_rows": most_rows, "share": share}
        in_all = len(names) * len(public.domains)
        unit, middle = unit_of_plan(plan, **rule), middle_of(sizes_of(about, names))
        units = dict.fromkeys(public.domains, unit)
        parts = parts_of_columns(plan, replace(public, n=middle, units=units, groups=in_all))
        return {
            name: forecast_groups(part, public.domains[name], names, about, in_all=in_all, **rule).remarks
            for name, part in parts.items()
        }
    if isinstance(about, Mapping):
        raise ParameterError("about", "must be one number where there are no groups, such as 1000.")
    check_count("about", about, 1)
    errors = expected_errors(plan, replace(public, n=about))
    return {name: (_expected(error, about),) for name, error in errors.items()}


def _expected(error: float | None, about: int) -> str:
    if error is None:
        return "The errors of this plan cannot be simulated."
    off, share = in_digits(error, 2), in_digits(100 * error / about, 2)
    return f"Answers are off by about {off} of {about:,} records on average, which is {share} %."
