"""Plans calibrated for data: what is fixed from public facts before anything is drawn, and handed on to the draw."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from fractions import Fraction
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from .arrays import Floats, Integers
from .column import Data
from .columns_plan import check_plan
from .domain.domain import Domain
from .draw import TRIALS_AT_ONCE, Drawn, EntropySource, Found, Noted, StepsOfGroups, for_all_groups
from .errors import DataError, Disclosure, Infeasible, Name, ParameterError, Remedy, shown
from .group_privacy import CalibratesEach, knows_rho
from .groups.names import GroupName, number_of_each
from .intervals.drawn import (
    Basis,
    DrawnLevels,
    drawn_for,
    in_each_group,
    in_plan_order,
    read_off,
    refuse_in_units,
    values_and_intervals,
)
from .intervals.interpolation import Interpolation, interpolation_of
from .mechanisms.base import Make, NoLevels, Parameters, Registered
from .mechanisms.exponential.distribution import Ranges
from .mechanisms.registry import MECHANISMS, SIDE_BY_SIDE
from .noise.entropy import Entropy
from .one_column import ROWS
from .plan import Plan
from .privacy import composition
from .privacy.budgets import Adjacency, Guarantee, Privacy
from .privacy.composition import RECORD, PrivacyUnit
from .progress import Progress

MOST_OF_SEVERAL = 60
"""With more groups in all columns together, AQ draws one quantile at a time."""


def calibrate(plan: Plan, n_public: int | None = None) -> Parameters:
    """Return the parameters that the plan's mechanism derives from public facts, with its guarantee; draw nothing.

    The parameters of every mechanism have `guarantee`, `levels` (distinct, increasing) and `notes`. `n_public` is the
    number of records, public under REPLACE_ONE only. Raises ParameterError (also Infeasible).
    """
    check_plan(plan)
    if n_public is not None and (
        isinstance(n_public, bool) or not isinstance(n_public, int) or not 0 <= n_public < 2**60
    ):
        raise ParameterError("n_public", f"must be a whole number >= 0 and below 2^60, or None, got {shown(n_public)}.")
    if not plan.quantiles:
        calibrate(replace(plan, quantiles=(Fraction(1, 2),)), n_public)  # refuses what it would with levels
        return NoLevels.under(plan.adjacency)
    parameters = mechanism_of(plan).calibrate(plan, n_public)
    assert parameters.guarantee.covers(plan.privacy), "a mechanism spends no more than requested"
    return parameters


def singly(plan: Plan, n_public: int | None = None) -> Parameters:
    """Return what `calibrate` does where each draw is of one quantile, the quickest way; else what it does."""
    return ((plan.quantiles and mechanism_of(plan).PROFILE.singly) or calibrate)(plan, n_public)


def mechanism_of(plan: Plan) -> Registered:
    """Return the plan's mechanism. Raises ParameterError for an unknown key."""
    if plan.mechanism not in MECHANISMS:
        near = get_close_matches(plan.mechanism.lower(), MECHANISMS, n=1)
        meant = f" Did you mean {near[0]!r}?" if near else ""
        must = f"must be one of {', '.join(MECHANISMS)}, got {shown(plan.mechanism)}.{meant}"
        raise ParameterError("mechanism", must)
    return MECHANISMS[plan.mechanism]


Levels: TypeAlias = tuple[Plan, Parameters, DrawnLevels | None]
"""The plan for one record with all levels that are drawn, its parameters, and what is drawn for intervals."""


@dataclass(frozen=True, kw_only=True)
class Calibrated(StepsOfGroups):
    """A plan calibrated for a column, with the parameters of its groups: found once, passed on to what draws."""

    unit: PrivacyUnit
    levels: Mapping[Any, Levels]
    """By the number of records that is known about a group; by None alone where all groups share them."""
    numbers: Mapping[GroupName, int] | None = None
    """The number of each group by its name, where groups have one each."""
    interpolation: Interpolation | None = None
    """Which of the plan's levels are drawn, where the others are interpolated; None where all are."""

    @classmethod
    def for_column(cls, column: Data, plan: Plan, make: Make = calibrate, *, all_levels: bool = False) -> Calibrated:
        """Return a plan calibrated for these data; nothing is drawn.

        `make`: what makes the parameters, such as those that a paper prints; `all_levels`: whether all are drawn,
        however few records there are. Raises ParameterError (also Infeasible), DataError.
        """
        plan, each = read_plan(column, plan), each_of(column, plan, make)
        numbers = _numbers_of(column, plan)
        if numbers is not None and plan.quantiles:
            return _in_one_way(column, plan, each, numbers)
        return cls.of_facts(plan, each, public_count(column, plan), column, column.in_groups, all_levels=all_levels)

    @classmethod
    def of_facts(
        cls,
        plan: Plan,
        each: CalibratesEach,
        count: int | None = None,
        column: Data | None = None,
        in_groups: bool = False,
        *,
        all_levels: bool = False,
    ) -> Calibrated:
        """Return a plan calibrated with the same parameters for all groups, or for the one group of all records.

        `count`: the number of records where it is public; `column`: says where ends of intervals may lie, and only a
        plan without intervals needs none. Raises ParameterError (also Infeasible).
        """
        among = None if all_levels or in_groups else interpolation_of(plan, count, each)
        drawn = plan if among is None else among.plan
        levels: Levels = *each(drawn, count), None
        if column is not None:
            levels = _levels_of(column, drawn, count, each, in_groups, between=among is not None)
        guarantee = each.unit.guarantee_of(plan.privacy, plan.adjacency, levels[1].guarantee)
        return cls(
            plan=plan, unit=each.unit, guarantee=guarantee, levels={None: levels}, n_public=count, interpolation=among
        )

    @property
    def each_plan(self) -> Plan:
        """Return the plan that shared parameters are of: that for one record, with all levels that are drawn."""
        return self.levels[None][0]

    @property
    def parameters(self) -> Parameters:
        """Return the shared parameters: their guarantee is for one record, and says whether a mechanism may read n."""
        return self.levels[None][1]

    @property
    def drawn_levels(self) -> DrawnLevels | None:
        """Return what is drawn for intervals, where all groups share it; None where none are requested."""
        return self.levels[None][2]

    def of_group(self, name: GroupName) -> tuple[Parameters, DrawnLevels | None]:
        """Return the parameters of a group, and what is drawn for its intervals."""
        return self.levels[None if self.numbers is None else self.numbers[name]][1:]

    @property
    def drawn_plan(self) -> Plan:
        """Return the plan with the levels that are drawn for answers, and with what is asked for besides."""
        return self.plan if self.interpolation is None else self.interpolation.plan

    def in_plan_order(self, values: Floats, domain: Domain) -> Floats:
        """Return the answers (..., m) in the plan's order among the values (..., levels) of all drawn levels."""
        found = in_plan_order(values, self.drawn_plan, self.parameters)
        return found if self.interpolation is None else self.interpolation.answers(found, domain)

    @property
    def notes(self) -> tuple[str, ...]:
        """Return sentences that belong beside the answers, each once, from public facts only."""
        return (*notes_of(self.levels), *([] if self.interpolation is None else [self.interpolation.note]))

    @property
    def basis(self) -> Basis | None:
        """Return the basis of the intervals, None where none are requested: in all groups but for their numbers."""
        first = next((drawn for _, _, drawn in self.levels.values()), None)
        if first is None or self.numbers is None or not first.ends:
            return None if first is None else first.basis
        about = in_each_group(min(self.numbers.values()), max(self.numbers.values()), shares=self.unit.shares)
        return replace(first.basis, sentences=(*first.basis.sentences[:2], about))

    def _drawn(
        self, column: Data, source: EntropySource, found: Found, noted: Noted | None, heard: Progress
    ) -> Iterator[tuple[Data, Drawn]]:
        refuse_shares(column, self.plan)
        for _, parameters, _ in self.levels.values():
            refuse_in_units(parameters, column.unit)
        assert self.n_public == public_count(column, self.plan), "calibrated for other data"
        assert self.unit == column.unit_between(self.plan.adjacency), "calibrated for persons with other rows"
        if noted is None:
            yield column, self._of_groups(column, source, found, heard)
        else:
            yield column, self._noted(column, source, noted)

    def _some(
        self, column: Data, which: Integers, entropy: Entropy, source: EntropySource, parts: Iterator[int]
    ) -> Drawn:
        with source.refused(Infeasible, partial(for_all_groups, column, self.unit, self.guarantee)):
            values, ends = self.values_and_intervals(column, which, entropy)
        names = tuple(column.names[place] for place in which.tolist())
        return Drawn(runs=(), names=names, values=values, ends=ends, basis=self.basis, notes=self.notes)

    def values_and_intervals(self, column: Data, which: Integers, entropy: Entropy) -> tuple[Floats, Floats | None]:
        """Draw some groups: values (trials, groups, m), and intervals (trials, groups, m, 2) or None, of the grid.

        In the plan's order. Side by side where the mechanism can, else one group after the other. Each group's answers
        have the same distribution as if the group were alone: the same code reads ranges of records, each within one
        group. Raises ParameterError (also Infeasible).
        """
        plan, trials, among = self.drawn_plan, entropy.trials, self.interpolation
        side_by_side = bool(plan.quantiles) and plan.mechanism in SIDE_BY_SIDE
        if side_by_side and self.numbers is None and column.segments is not None:
            first, end = (np.tile(column.starts[which + side], trials) for side in (0, 1))
            whole = np.zeros(first.size, np.int64), np.full(first.size, column.slots - 1)
            ranges = Ranges(first, end, *whole, values=column.places)
            cells = SIDE_BY_SIDE[plan.mechanism](column.segments, ranges, self.parameters, entropy, 1)
            values = column.values_of(cells.reshape(trials, which.size, cells.shape[2]))
            return read_off(values, plan, self.parameters, self.drawn_levels, column.domain)
        shape = (trials, which.size, len(plan.quantiles))
        asked = self.basis is not None
        answers, ends = np.empty(shape), np.empty((*shape, 2) if asked else 0)
        for at, group in enumerate(which.tolist()):
            parameters, drawn = self.of_group(column.names[group])
            answers[:, at], own = values_and_intervals(column.column(group), plan, parameters, drawn, entropy)
            if own is not None:
                ends[:, at] = own
        intervals = ends if asked else None
        if among is None:
            return answers, intervals
        return among.answers(answers, column.domain), among.intervals(intervals)

    def _noted(self, column: Data, source: EntropySource, noted: Noted) -> Drawn:
        """Draw a run that is noted: of the one group that is named, as it is alone. Raises ParameterError."""
        at = column.place_of(noted.group)
        if column.unit > 1:
            raise ParameterError(
                "per_person", "must make one record of each person, such as random: steps show records."
            )
        one, parameters, among = column.column(at), self.of_group(column.names[at])[0], self.interpolation
        part, trial = divmod(source.runs.index(noted.run), TRIALS_AT_ONCE)
        entropy = source.entropy(part, TRIALS_AT_ONCE if source.trials > 1 else 1)  # runs side by side share it
        mechanism = mechanism_of(self.plan)
        found = tuple(mechanism.trace(one, parameters, entropy, trial)) if parameters.levels else ()
        values = in_plan_order(np.array(sorted(step.value for step in found)), self.drawn_plan, parameters)
        if among is not None:
            values = among.answers(values, one.domain)
        names, values = (column.names[at],), values[None, None]
        return Drawn(runs=(noted.run,), names=names, values=values, steps=found)


def notes_of(levels: Mapping[Any, Levels]) -> list[str]:
    """Return sentences of parameters that belong beside answers, each once, from public facts only."""
    return list(dict.fromkeys(note for _, parameters, _ in levels.values() for note in parameters.notes))


def each_of(column: Data, plan: Plan, make: Make = calibrate) -> CalibratesEach:
    """Return what calibrates a plan for one record of a column, or of a group. Raises ParameterError."""
    refuse_shares(column, plan)
    alone = column.unit > 1 if column.in_ranges else column.in_groups and are_many(column)
    return CalibratesEach(column.unit_between(plan.adjacency), singly if alone else make)


def _levels_of(
    column: Data, plan: Plan, count: int | None, each: CalibratesEach, in_groups: bool, *, between: bool = False
) -> Levels:
    drawn = None
    if plan.intervals is not None and plan.quantiles:
        facts = plan, column.domain, column.slots, count, each
        drawn = drawn_for(*facts, in_groups=in_groups, unit=column.unit, between=between)
    each_plan, parameters = each(plan if drawn is None else drawn.plan, count)
    refuse_in_units(parameters, column.unit)
    return each_plan, parameters, drawn


def _in_one_way(column: Data, plan: Plan, each: CalibratesEach, numbers: Mapping[GroupName, int]) -> Calibrated:
    """Return a plan calibrated for groups with these public numbers of records, in one way to divide for all."""
    ways = composition.ways_for_all(plan.privacy, each.unit, knows_rho=knows_rho(plan))

    def guarantees(found: Mapping[int, Levels]) -> list[Guarantee]:
        return [parameters.guarantee for _, parameters, _ in found.values()]

    def made(way: Privacy) -> dict[int, Levels]:
        return by_number(column, replace(plan, privacy=way), each, numbers.values())

    found = composition.least_noisy(ways, made, guarantees)
    guarantee = each.unit.guarantee_of(plan.privacy, plan.adjacency, composition.worst_of(guarantees(found)))
    return Calibrated(plan=plan, unit=each.unit, guarantee=guarantee, levels=found, numbers=numbers)


def by_number(column: Data, plan: Plan, each: CalibratesEach, numbers: Iterable[int]) -> dict[int, Levels]:
    """Return what is drawn of a group, by the number of its records. Raises ParameterError (also Infeasible)."""
    return {n: _levels_of(column, replace(plan, about_n=n), None, each, column.in_groups) for n in sorted(set(numbers))}


def _numbers_of(column: Data, plan: Plan) -> dict[GroupName, int] | None:
    """Return the number that intervals rest on in each group; None where it is one for all. Raises ParameterError."""
    if not isinstance(plan.about_n, Mapping):
        return None
    named = (column.names if column.finding is None else None) if column.in_groups else ()
    numbers = number_of_each(plan.about_n, named)
    return None if plan.intervals is None else numbers


def are_many(*columns: Data) -> bool:
    """Return whether the fastest draw is taken, for the number of groups in all these columns, or that may be found.

    A joint draw of several levels takes about 0.05 s in each group of a release.
    """
    found = any(each.finding is not None for each in columns)
    return found or sum(len(each.names) for each in columns) > MOST_OF_SEVERAL


def plan_of_group(plan: Plan, unit: PrivacyUnit) -> Plan:
    """Return the plan that answers each group alone. Raises ParameterError (also Infeasible)."""
    return plan if unit.is_one_record else CalibratesEach(unit, calibrate)(plan, None)[0]


def refuse_shares(column: Data, plan: Plan) -> None:
    """Raise ParameterError where rows are shares of persons and the plan needs whole records."""
    if column.unit > 1:
        mechanism_of(plan)
        able = [key for key, mechanism in MECHANISMS.items() if mechanism.PROFILE.reads_shares]
        if plan.mechanism not in able:
            words = ("must make one record of each person, such as random, unless the ", Name("mechanism"))
            raise ParameterError(
                "per_person", (*words, f" is one of {', '.join(able)}."), (Remedy("mechanism", able[0]),)
            )
        if column.in_ranges and plan.mechanism in DRAWS_TOGETHER:
            raise ParameterError("mechanism", TOGETHER_ELSEWHERE)


DRAWS_TOGETHER = frozenset(["jointexp", "freetotal"])
"""The mechanisms that always draw several quantiles at once; AQ draws them either way."""
TOGETHER_ELSEWHERE = (
    "must draw one quantile at a time where the rows of a person weigh 1 together on a cluster: use aq, indexp, "
    "aggtree or binhist."
)


def read_plan(data: Data, plan: Plan) -> Plan:
    """Return the plan with the options that a sketch already decided.

    A mechanism names in READS what it reads besides a Column. Raises ParameterError where it does not take a sketch,
    and where the plan has other options than the sketch's own.
    """
    check_plan(plan)
    reads = mechanism_of(plan).READS
    if data.held == ROWS:
        return plan
    if not isinstance(data, reads):
        able = [key for key, mechanism in MECHANISMS.items() if isinstance(data, mechanism.READS)]
        raise ParameterError(
            "mechanism",
            f"must be {' or '.join(able)} to read a {type(data).__name__}, got {shown(plan.mechanism)}.",
        )
    for name, own in data.options.items():
        if plan.options.get(name, own) != own:
            raise ParameterError(
                name, f"must be left out, or the sketch's own {shown(own)}, got {shown(plan.options[name])}."
            )
    return replace(plan, options={**plan.options, **data.options})


def public_count(column: Data, plan: Plan) -> int | None:
    """Return the number of records where the adjacency makes it public. Raises DataError where some were dropped."""
    if plan.adjacency is Adjacency.ADD_REMOVE or column.unit_between(plan.adjacency).steps_per_group > 1:
        return None
    if column.dropped and column.protects == "person":
        raise DataError(
            "some values or ids are missing, so the number of people is not public: choose a value for `missing`, and "
            "give every row an id, or say `missing_is_person`.",
            discloses=Disclosure.MISSING,
        )
    if column.dropped:
        raise DataError(
            "the column has missing values, so the number of people is not public: choose a value for `missing`.",
            discloses=Disclosure.MISSING,
        )
    return column.n


def calibrated_or_refused(
    plan: Plan, unit: PrivacyUnit = RECORD, count: int | None = None
) -> Calibrated | ParameterError:
    """Return a plan without intervals calibrated for a number of records and for neighbours, or why it is refused."""
    try:
        known = None if plan.adjacency is Adjacency.ADD_REMOVE else count
        return Calibrated.of_facts(plan, CalibratesEach(unit, calibrate), known)
    except ParameterError as error:
        return error.with_traceback(None)
