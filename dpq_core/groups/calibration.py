"""Calibrate a plan for many groups: the cost of one record of a group, the guarantee for a person, and the names.

`privacy.composition` adds up what groups and their names cost together, and proves it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import ClassVar

from ..calibrations import calibrate, check_plan, mechanism_of, singly
from ..errors import Name, ParameterError, Remedy, shown
from ..group_privacy import CalibratesEach, knows_rho, refuse_plan_of_shares
from ..intervals.drawn import Basis, Drawn, calibrated_levels, in_each_group
from ..mechanisms.base import Make, Parameters
from ..plan import Plan
from ..privacy import composition
from ..privacy.budgets import Adjacency, ApproxDP, Guarantee, Privacy
from .bounding import NAMING_UNITS
from .finding import NamingRule
from .names import GroupName, as_name
from .table import Groups

MOST_OF_SEVERAL = 60
"""With more groups in all columns together, AQ draws one quantile at a time."""


@dataclass(frozen=True)
class CalibratedGroups:
    """A plan calibrated for some groups, with the parameters of each, found once for all that need the same."""

    plan: Plan
    unit: composition.Unit
    guarantee: Guarantee
    """The guarantee of the whole: of all groups, and of their names where they are found."""
    shared: Parameters | None
    """The parameters of every group, where they depend on no number of records."""
    by_number: dict[int, Parameters]
    """Otherwise the parameters by the number of records that is known about a group."""
    drawn: Mapping[int | None, Drawn] = field(default_factory=dict)
    """What is drawn for intervals: by that number, or by None for every group; empty where none are requested."""
    numbers: Mapping[GroupName, int] | None = None
    """The number of each group by its name, where groups have one each."""
    n_public: ClassVar[None] = None

    def number_of(self, name: GroupName) -> int | None:
        """Return the number by which a group is answered; None where no number is used."""
        if self.shared is not None:
            return None
        assert self.numbers is not None, "counted before anything is answered"
        return self.numbers[name]

    def of_number(self, number: int | None) -> tuple[Parameters, Drawn | None]:
        """Return the parameters of groups with this number, of all levels that are drawn, and these for intervals."""
        parameters = self.shared if number is None else self.by_number[number]
        assert parameters is not None, "shared by all groups"
        return parameters, self.drawn.get(number)

    @property
    def basis(self) -> Basis | None:
        """Return the basis of the intervals: the same in every group except for the number of records."""
        first = next(iter(self.drawn.values()), None)
        if first is None:
            return None
        if self.numbers is None or not first.ends:
            return first.basis
        about = in_each_group(min(self.numbers.values()), max(self.numbers.values()), shares=self.unit.shares)
        return replace(first.basis, sentences=(*first.basis.sentences[:2], about))

    @property
    def notes(self) -> tuple[str, ...]:
        """Return the notes that all answers share, each once."""
        every = [self.shared] if self.shared is not None else list(self.by_number.values())
        return tuple(dict.fromkeys(note for parameters in every for note in parameters.notes))


def plan_of_group(plan: Plan, unit: composition.Unit, calibrate: Make) -> Plan:
    """Return the plan that answers each group alone. Raises ParameterError (also Infeasible)."""
    return plan if unit.is_one_record else CalibratesEach(unit, calibrate)(plan, None)[0]


def calibrate_grouped(groups: Groups, plan: Plan, make: Make = calibrate) -> CalibratedGroups:
    """Return a plan calibrated for the answers of these groups, whose names are known by then; nothing is drawn.

    `make`: what makes the parameters. Raises ParameterError (also Infeasible).
    """
    each, numbers = each_of_groups(groups, plan, make), _numbers_of(groups, plan)
    if numbers is not None and plan.quantiles:
        ways = composition.ways_for_all(plan.privacy, each.unit, knows_rho=knows_rho(plan))

        def made(way: Privacy) -> CalibratedGroups:
            return by_numbers(groups, replace(plan, privacy=way), each, numbers)

        found = composition.least_noisy(
            ways, made, lambda found: (parameters.guarantee for parameters in found.by_number.values())
        )
        worst = composition.worst_of(parameters.guarantee for parameters in found.by_number.values())
        return replace(found, plan=plan, guarantee=each.unit.guarantee_of(plan.privacy, plan.adjacency, worst))
    parameters, drawn = _for_one(groups, plan, each)
    guarantee = each.unit.guarantee_of(plan.privacy, plan.adjacency, parameters.guarantee)
    return CalibratedGroups(plan, each.unit, guarantee, parameters, {}, {} if drawn is None else {None: drawn})


def each_of_groups(groups: Groups, plan: Plan, make: Make) -> CalibratesEach:
    """Return what calibrates a plan for one record of a group. Raises ParameterError for a plan that no group has."""
    check_plan(plan)
    mechanism_of(plan)
    if groups.weights is not None:
        refuse_plan_of_shares(plan)
    return CalibratesEach(unit_of(groups, plan.adjacency), singly if are_many(groups) else make)


def by_numbers(groups: Groups, plan: Plan, each: CalibratesEach, numbers: Mapping[GroupName, int]) -> CalibratedGroups:
    """Return a plan calibrated for groups with these numbers of records. Raises ParameterError (also Infeasible).

    The guarantee is that of the whole budget: the numbers may be private.
    """
    found = {number: _for_one(groups, replace(plan, about_n=number), each) for number in sorted(set(numbers.values()))}
    own = {number: parameters for number, (parameters, _) in found.items()}
    drawn: dict[int | None, Drawn] = {number: drawn for number, (_, drawn) in found.items() if drawn is not None}
    guarantee = Guarantee.of(plan.privacy, plan.adjacency, each.unit.protects)
    return CalibratedGroups(plan, each.unit, guarantee, None, own, drawn, numbers)


def unit_of(groups: Groups, adjacency: Adjacency) -> composition.Unit:
    """Return how neighbours of these groups differ; public."""
    most, rows, shares = groups.groups_per_person, groups.most_rows or 1, groups.weights is not None
    return composition.unit_of_groups(adjacency, most, protects=groups.protects, most_rows=rows, shares=shares)


def are_many(*columns: Groups) -> bool:
    """Return whether the fastest draw is taken, for the number of groups in all these columns, or that may be found.

    A joint draw of several levels takes about 0.05 s in each group of a release.
    """
    found = any(groups.finding is not None for groups in columns)
    return found or sum(len(groups.names) for groups in columns) > MOST_OF_SEVERAL


def _for_one(groups: Groups, plan: Plan, each: CalibratesEach) -> tuple[Parameters, Drawn | None]:
    """Return the parameters of a group, and what is drawn for its intervals."""
    fine, unit = groups.fine_cells, groups.unit
    return calibrated_levels(plan, groups.domain, fine, None, each, in_groups=True, unit=unit)[1:]


def _numbers_of(groups: Groups, plan: Plan) -> dict[GroupName, int] | None:
    """Return the number that the plan gives for each group; None where it gives one for all. Raises ParameterError."""
    if plan.about_n is not None and plan.intervals is None:
        raise ParameterError("about_n", ("must go with ", Name("intervals"), " for groups."))
    if not isinstance(plan.about_n, Mapping):
        return None
    if groups.finding is not None:
        raise ParameterError("about_n", "must be one number, such as about_n=300, or 'noisy' where groups are found.")
    given = {as_name(name) or name: number for name, number in plan.about_n.items()}
    listed = dict.fromkeys(groups.names)
    for name in (each for each in listed if each not in given):
        raise ParameterError("about_n", f"must have a number for every group: add one for {shown(name)}.")
    for name in (each for each in given if each not in listed):
        raise ParameterError("about_n", f"must name listed groups only: leave out {shown(name)}.")
    return {name: given[name] for name in groups.names}


def divided_for_names(groups: Groups, budget: Privacy) -> tuple[Fraction, ApproxDP]:
    """Return the epsilon for the names of groups, and the budget of their answers. Raises ParameterError."""
    assert groups.finding is not None, "groups are to be found"
    if not isinstance(budget, ApproxDP):
        raise ParameterError(
            "privacy",
            "must have a delta where groups are found, such as 1e-6 beside epsilon; or list the groups.",
            (Remedy("budget", "approximate"),),
        )
    return composition.names_and_answers(budget, Fraction(groups.finding))


def named_with(
    groups: Groups, budget: Privacy, for_names: Fraction, answers: Guarantee
) -> tuple[NamingRule, Guarantee]:
    """Return the naming rule, with all delta that answers do not use, and the guarantee of names and answers."""
    assert isinstance(budget, ApproxDP), "names need a delta"
    left, guarantee = composition.after_names(budget, for_names, answers)
    of_persons = composition.unit_of_groups(answers.adjacency, groups.most_groups, protects=groups.protects)
    of_names = composition.unit_of_names(of_persons, NAMING_UNITS if groups.weights is not None else 0)
    return NamingRule(*composition.budget_of_step(for_names, left, of_names)), guarantee
