"""Calibrate a plan for many groups: the cost of one record of a group, the guarantee for a person, and the names.

`privacy.composition` adds up what groups and their names cost together, and proves it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from ..errors import Infeasible, Name, ParameterError, Remedy, shown
from ..group_privacy import CalibratesEach, knows_rho, refuse_plan_of_shares
from ..intervals.counted import ANY_NUMBER, SHARE, NoisyCount, of_the_ends, refuse_chance
from ..intervals.drawn import Basis, Drawn, calibrated_levels, in_each_group, refuse_ends
from ..mechanisms.base import Make, Parameters
from ..people.shares import UNIT
from ..plan import NOISY, Plan
from ..privacy import composition
from ..privacy.budgets import Adjacency, ApproxDP, Guarantee, Privacy
from .bounding import NAMING_UNITS
from .counting import CountsFirst, in_words
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
    naming: NamingRule | None
    drawn: Mapping[int | None, Drawn] = field(default_factory=dict)
    """What is drawn for intervals: by that number, or by None for every group; empty where none are requested."""
    numbers: Mapping[GroupName, int] | None = None
    """The number of each group by its name, where groups have one each."""
    counting: CountsFirst | None = None
    """How each group gets its number, where that is counted before it is answered."""
    noisy: Mapping[GroupName, int] = field(default_factory=dict)
    """What was counted."""

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
        if self.counting is not None:
            return self.counting.basis
        first = next(iter(self.drawn.values()), None)
        if first is None:
            return None
        if self.numbers is None or not first.ends:
            return first.basis
        about = in_each_group(min(self.numbers.values()), max(self.numbers.values()), shares=self.unit.shared_draws > 0)
        return replace(first.basis, sentences=(*first.basis.sentences[:2], about))

    @property
    def notes(self) -> tuple[str, ...]:
        """Return the notes that all answers share, each once."""
        every = [self.shared] if self.shared is not None else list(self.by_number.values())
        counted = [in_words(self.noisy, self.counting.number)] if self.noisy and self.counting is not None else []
        return tuple(dict.fromkeys([*(note for parameters in every for note in parameters.notes), *counted]))

    def counted(self, noisy: Mapping[GroupName, int]) -> CalibratedGroups:
        """Return the plan calibrated for counted groups. Raises Infeasible, because something was drawn."""
        assert self.counting is not None, "to be counted"
        numbers = {name: self.counting.number.at_least(number) for name, number in noisy.items()}
        try:
            found = {number: self.counting.answered_by(number) for number in set(numbers.values())}
        except ParameterError as refused:
            about = " The groups had been counted by then: none is answered, and all is spent."
            raise Infeasible.of_whole(refused, about, self.guarantee.epsilon) from None
        return replace(
            self, by_number={number: parameters for number, (parameters, _) in found.items()}, numbers=numbers,
            drawn={number: drawn for number, (_, drawn) in found.items() if drawn is not None}, noisy=noisy,
        )  # fmt: skip


def plan_of_group(plan: Plan, unit: composition.Unit, calibrate: Make) -> Plan:
    """Return the plan that answers each group alone. Raises ParameterError (also Infeasible)."""
    return plan if unit.is_one_record else CalibratesEach(unit, calibrate)(plan, None)[0]


def calibrate_groups(groups: Groups, plan: Plan, calibrate: Make, *, named_before: bool = False) -> CalibratedGroups:
    """Return a plan calibrated for these groups; draw nothing. Raises ParameterError (also Infeasible).

    `named_before`: whether groups without a list have been found before, with another part of the budget.
    """
    refuse_shares(groups, plan)
    unit = unit_of(groups, plan.adjacency, most_levels(plan))
    _numbers_of(groups, plan)
    each = CalibratesEach(unit, calibrate)
    if groups.finding is not None and not named_before:
        for_names, rest = divided_for_names(groups, plan.privacy)
        answers = _answers(groups, replace(plan, privacy=rest), each)
        naming, guarantee = named_with(groups, plan.privacy, for_names, answers.guarantee)
        return replace(answers, plan=plan, guarantee=guarantee, naming=naming)
    return _answers(groups, plan, each)


def unit_of(groups: Groups, adjacency: Adjacency, levels: int) -> composition.Unit:
    """Return how neighbours of these groups differ, if `levels` levels are drawn in each; public."""
    shared_in = UNIT if groups.finding is not None else len(groups.names)
    return composition.unit_of_groups(
        adjacency,
        groups.groups_per_person,
        protects=groups.protects,
        most_rows=groups.most_rows or 1,
        shared_draws=0 if groups.weights is None else shared_in * max(levels, 1),
    )


def most_levels(plan: Plan) -> int:
    """Return how many levels a plan draws at most: with intervals, two more for each requested one, for their ends."""
    return len(plan.quantiles) * (1 if plan.intervals is None else 3)


def refuse_shares(groups: Groups, plan: Plan) -> None:
    """Raise ParameterError where rows are shares of persons and the plan needs whole records."""
    if groups.weights is not None:
        refuse_plan_of_shares(plan)


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


def _answers(groups: Groups, plan: Plan, each: CalibratesEach) -> CalibratedGroups:
    """Return the plan calibrated for the answers of all groups, where sizes are private."""
    if (
        plan.about_n == NOISY
        and plan.quantiles
        and not each(replace(plan, intervals=None, about_n=None), None)[1].knows_its_intervals
    ):
        return _counted(groups, plan, each)
    numbers = _numbers_of(groups, plan)
    if numbers is None or plan.intervals is None or not plan.quantiles:
        parameters, guarantee, drawn = _for_every(groups, plan, each)
        return CalibratedGroups(plan, each.unit, guarantee, parameters, {}, None, drawn)
    return replace(_by_numbers(groups, plan, each, set(numbers.values())), numbers=numbers)


def _by_numbers(groups: Groups, plan: Plan, each: CalibratesEach, numbers: set[int]) -> CalibratedGroups:
    """Return the plan calibrated for groups of about these numbers of records, with one way to divide the budget."""

    def made(way: Privacy) -> dict[int, tuple[Parameters, Drawn | None]]:
        part = replace(plan, privacy=way)
        return {number: _for_one(groups, replace(part, about_n=number), each) for number in sorted(numbers)}

    ways = composition.ways_for_all(plan.privacy, each.unit, knows_rho=knows_rho(plan))
    found = composition.least_noisy(ways, made, lambda way: (parameters.guarantee for parameters, _ in way.values()))
    own = {number: parameters for number, (parameters, _) in found.items()}
    drawn: dict[int | None, Drawn] = {number: drawn for number, (_, drawn) in found.items() if drawn is not None}
    worst = composition.worst_of(parameters.guarantee for parameters in own.values())
    guarantee = each.unit.guarantee_of(plan.privacy, plan.adjacency, worst)
    return CalibratedGroups(plan, each.unit, guarantee, None, own, None, drawn)


def _counted(groups: Groups, plan: Plan, each: CalibratesEach) -> CalibratedGroups:
    """Return the plan calibrated for both steps in every group: a noisy number of records, then its answers.

    Raises ParameterError (also Infeasible).
    """
    asked, unit = plan.intervals, each.unit
    assert asked is not None, "a number of records goes with intervals"
    refuse_chance(asked)
    bare = replace(plan, intervals=None, about_n=None)

    def spent(way: tuple[Fraction, Privacy]) -> Guarantee:
        return each(replace(bare, privacy=way[1]), None)[1].guarantee

    ways = composition.first_of_each(plan.privacy, SHARE, unit)
    (rate, rest), _ = composition.least_noisy(ways, lambda way: (way, spent(way)), lambda made: (made[1],))
    guarantee = composition.after_first(plan.privacy, rate, Guarantee.of(rest, plan.adjacency, unit.protects), unit)
    assert guarantee.covers(plan.privacy), "both steps together spend no more than requested"
    answers = replace(bare, privacy=rest, intervals=of_the_ends(asked))
    number = NoisyCount.of(rate, asked, groups.unit)
    refuse_ends(answers, each, groups.unit)
    counting = CountsFirst(asked, number, answers, each, groups.domain, groups.fine_cells)
    if asked.proved:  # refuse before anything is drawn where there is no theorem, which is public
        counting.answered_by(ANY_NUMBER)
    return CalibratedGroups(plan, unit, guarantee, None, {}, None, counting=counting)


def _for_every(
    groups: Groups, plan: Plan, each: CalibratesEach
) -> tuple[Parameters, Guarantee, Mapping[int | None, Drawn]]:
    """Return the parameters of every group where sizes are private, the guarantee for a person, and what is drawn."""
    parameters, drawn = _for_one(groups, plan, each)
    guarantee = each.unit.guarantee_of(plan.privacy, plan.adjacency, parameters.guarantee)
    return parameters, guarantee, {} if drawn is None else {None: drawn}


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
