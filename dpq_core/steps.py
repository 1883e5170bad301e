"""The steps that answer one column, whole or in groups: bounds are found or records are counted first, or neither.

Budgets are fixed here, from public facts, before anything is drawn. A plan's budget is divided between a first step and
the quantiles; what the first step finds decides what is drawn then, and never what it may cost.

Persons. A walk reads the records of a whole column, or of all groups together. One person has at most r of them: k, or
k in each of at most g groups. So walks of rate e cost a person r e. Where a person is replaced, up to r records leave
and up to r come, which is no 2 r steps for a walk. Pair them: each pair is one replaced record, and the unpaired ones
join or leave. By the claim in `above_threshold` this costs at most 4/3 r e, or r e where values are never negative.

Intervals. The levels drawn for their ends are fixed before any bound is found, and so is the guarantee of the second
step. The necessary distance of the ends depends on the number of values that answers choose from, and grows with it. So
the ends are computed for a domain with at least as many values as any that can be found, and they hold on all of these.
Records beyond a found bound count as that bound. So an end at a bound is open: the quantile may be farther out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

import numpy as np

from .above_threshold import Walk
from .arrays import Integers
from .calibrations import (
    Calibrated,
    Levels,
    by_number,
    calibrate,
    each_of,
    mechanism_of,
    notes_of,
    public_count,
    read_plan,
)
from .column import Data
from .columns_plan import check_plan
from .domain.domain import Domain
from .draw import Drawn, EntropySource, Found, Noted, Steps, StepsOfGroups, for_all_groups
from .errors import Infeasible, ParameterError
from .group_privacy import CalibratesEach
from .intervals.counted import SHARE, Count, NoisyCount, of_the_ends, refuse_chance
from .intervals.drawn import ANY_NUMBER, Basis, is_proved, refuse_ends, values_and_intervals
from .mechanisms.base import Make
from .noise.entropy import Entropy
from .one_column import ROWS
from .plan import NOISY, Intervals, Plan
from .privacy.budgets import Guarantee, Privacy
from .privacy.composition import RECORD, after_first, first_and_rest, first_of_each, least_noisy, loss_with_first
from .progress import Progress

_ALL = slice(None)
OF_THE_WALK, OF_THE_COUNT = 2**31, 2**31 + 1
"""The parts of a seed that no mechanism's runs have."""
BOUNDS_FOUND = " The bounds had been found by then."
GROUPS_COUNTED = " The groups had been counted by then: none is answered, and all is spent."
A_NUMBER = "must be a number, such as about_n=300, where a run is explained."


def split(
    plan: Plan, ways: list[tuple[Fraction, Privacy]], spent: Callable[[Plan], Guarantee]
) -> tuple[Fraction, Plan, Guarantee]:
    """Return the epsilon of a first step, and the plan with the rest and what it spends, in the least noisy way.

    `ways`: those to divide the budget, by `privacy.composition`; `spent` says what a plan spends. An (epsilon, delta)
    budget goes through rho, or leaves delta to the second step. Raises ParameterError (also Infeasible) where there is
    none.
    """

    def tried(way: tuple[Fraction, Privacy]) -> tuple[Fraction, Plan, Guarantee]:
        rest = replace(plan, privacy=way[1], intervals=None, about_n=None, weights=None)
        return way[0], rest, spent(rest)

    return least_noisy(ways, tried, lambda found: found[2:])


def rest_of(privacy: Privacy, share: Fraction) -> Privacy:
    """Return about what a budget leaves to the quantiles, for advice. Raises ParameterError."""
    return first_and_rest(privacy, share)[0][1]


@dataclass(frozen=True, kw_only=True)
class BoundsFirst(Steps):
    """Find the bounds of a column, and answer it between them."""

    walk: Walk
    second: Steps
    """The steps for the rest of the budget, valid on every domain; with the levels at the ends of intervals.

    Where a column's records are counted, these levels follow later, from the noisy number and the found bounds.
    """
    finding: Fraction
    """The epsilon of the first step, for one person with all records."""

    @property
    def compared(self) -> Guarantee:
        """Return the guarantee of the answers by which ways to divide a budget are compared."""
        return self.second.compared

    def find(self, raw: Data, entropy: Entropy) -> list[Domain]:
        """Return the domain that is found in each trial."""
        return [self.walk.find_bounds.between(*ends) for ends in self.walk.run(raw.in_one_piece(), entropy).tolist()]

    def _drawn(
        self, column: Data, source: EntropySource, found: Found, noted: Noted | None, heard: Progress
    ) -> Iterator[tuple[Data, Drawn]]:
        about = partial(_charged_already, first=self.finding, about=BOUNDS_FOUND)
        for domain, own in source.by_finding(self.find(column, source.entropy(OF_THE_WALK, source.firsts))):
            if noted is None or noted.run in own.runs:
                with source.refused(Infeasible, about):
                    yield from self.second.drawn(column.on(domain), own, found, noted)


@dataclass(frozen=True, kw_only=True)
class CountFirst(StepsOfGroups):
    """Count the records of a column, or of each of its groups, and answer with intervals that rest on noisy numbers.

    The guarantee is that of both steps together, or, where all columns of a table are counted together, of the column's
    own part: for any levels that are drawn.
    """

    rest: Plan
    """With what is left of the budget and of the chance to fail; without a number of records."""
    count: Count
    each: CalibratesEach
    """What calibrates a plan for one record of a group, fixed before anything is counted."""
    bare: Guarantee
    """Of the answers without intervals, whose levels are known before: by it ways to divide a budget are compared."""
    finding: Fraction = Fraction(0)
    """The epsilon of the number, for one person with all records; 0 where all columns are counted together."""

    @property
    def compared(self) -> Guarantee:
        """Return the guarantee of the answers by which ways to divide a budget are compared."""
        return self.bare

    def noisy(self, column: Data, entropy: Entropy, which: Integers | slice = _ALL) -> Integers:
        """Return the noisy numbers of groups in units, which may be shown: (trials, groups)."""
        return self.count.number.noisy(np.tile(column.masses[which], (entropy.trials, 1)), entropy)

    def second(self, column: Data, at_least: int) -> Steps:
        """Return the steps of the answers of a column in one piece. Raises ParameterError (also Infeasible)."""
        return steps_of(column, replace(self.rest, about_n=at_least))

    def by_number(self, groups: Data, numbers: Iterable[int]) -> dict[int, Levels]:
        """Return what is drawn of a group, by the number of its records. Raises ParameterError (also Infeasible)."""
        return by_number(groups, self.rest, self.each, numbers)

    @property
    def basis(self) -> Basis:
        """Return what the intervals of groups rest on: the same in each of them."""
        return self.count.basis(0, proved=is_proved(self.rest))

    def _drawn(
        self, column: Data, source: EntropySource, found: Found, noted: Noted | None, heard: Progress
    ) -> Iterator[tuple[Data, Drawn]]:
        if noted is not None:
            raise ParameterError("about_n", A_NUMBER)
        if column.in_groups:
            drawn = self._of_groups(column, source, found, heard)
            told = self.count.told_of_groups({name: drawn.noisy[name] for name in drawn.names})
            yield column, replace(drawn, counted=(told,) if drawn.names else ())
            return
        noisy = self.noisy(column, source.entropy(OF_THE_COUNT, source.firsts)) if found.noisy is None else found.noisy
        told, about = self.count.told(noisy[0]), f" The {self.count.many} had been counted by then."
        for number, own in source.by_finding(list(map(self.count.at_least, noisy))):
            with source.refused(ParameterError, partial(_charged_already, first=self.finding, about=about)):
                basis = self.count.basis(number, proved=is_proved(self.rest))
                for on, part in self.second(column, number).drawn(column, own):
                    yield on, replace(part, basis=basis, counted=(*part.counted, told))

    def _some(
        self, column: Data, which: Integers, entropy: Entropy, source: EntropySource, parts: Iterator[int]
    ) -> Drawn:
        """Draw groups, each run by its own numbers: one part of a seed for all runs of a group with one number."""
        noisy, names = self.noisy(column, entropy, which), tuple(column.names[place] for place in which.tolist())
        numbers = np.array([list(map(self.count.number.at_least, run)) for run in noisy.tolist()], np.int64)
        counted = partial(Infeasible.of_whole, about=GROUPS_COUNTED, charged=self.guarantee.epsilon)
        with source.refused(ParameterError, counted):
            levels = self.by_number(column, np.unique(numbers).tolist())
        values = np.empty((*noisy.shape, len(self.plan.quantiles)))
        ends = np.empty((*values.shape, 2))
        for at, group in enumerate(which.tolist()):
            for number in dict.fromkeys(numbers[:, at].tolist()):
                runs = np.flatnonzero(numbers[:, at] == number)
                _, parameters, drawn = levels[number]
                of_number = source.entropy(next(parts), runs.size)
                with source.refused(Infeasible, partial(for_all_groups, column, self.each.unit, self.guarantee)):
                    values[runs, at], own = values_and_intervals(
                        column.column(group), self.plan, parameters, drawn, of_number
                    )
                assert own is not None, "counted for intervals"
                ends[runs, at] = own
        told = dict(zip(names, noisy[0].tolist(), strict=True))
        notes = tuple(notes_of(levels))
        return Drawn(runs=(), names=names, values=values, ends=ends, basis=self.basis, notes=notes, noisy=told)


def steps_of(column: Data, plan: Plan, make: Make = calibrate) -> Steps:
    """Return a plan calibrated for one column; nothing is drawn. Raises ParameterError (also Infeasible), DataError.

    `make`: what makes the parameters. Groups that are to be found must have been found by then, from another part of
    the budget.
    """
    check_plan(plan)
    if column.find_bounds is not None:
        return steps_with_bounds(column, plan, make)
    if is_counted(column, plan, make):
        return _steps_with_count(column, plan, make)
    return Calibrated.for_column(column, plan, make)


def steps_with_bounds(raw: Data, plan: Plan, make: Make = calibrate) -> BoundsFirst:
    """Return a plan calibrated for both steps; draw nothing. Raises ParameterError (also Infeasible), DataError.

    Groups that have to be found must have been found before; `make` makes the parameters of answers.
    """
    if plan.intervals is not None and mechanism_of(plan).PROFILE.needs_normal:
        raise ParameterError(
            "intervals",
            f"must be None where bounds are found for {plan.mechanism}: it finds where the records lie by itself, so "
            "give bounds as wide as you like.",
        )

    bounds = raw.find_bounds
    assert bounds is not None, "the bounds are to be found"

    def second(rest: Plan) -> Steps:
        return steps_of(raw.on_any_grid, rest, make)

    first, rest, _ = split(plan, first_and_rest(plan.privacy, bounds.share), lambda rest: second(rest).guarantee)
    rest = replace(rest, intervals=plan.intervals, about_n=plan.about_n)
    walk = Walk.of(bounds, first / raw.records_each, plan.adjacency, raw.unit)
    answers = second(rest)
    both = after_first(plan.privacy, first, answers.guarantee)
    steps = BoundsFirst(plan=plan, guarantee=both, n_public=answers.n_public, walk=walk, second=answers, finding=first)
    assert steps.guarantee.covers(plan.privacy), "both steps together spend no more than requested"
    return steps


def is_counted(column: Data, plan: Plan, make: Make = calibrate) -> bool:
    """Return whether intervals need a number of records that is private, and the plan asks for a noisy one."""
    if plan.about_n != NOISY or not plan.quantiles or public_count(column, plan) is not None:
        return False
    bare = replace(read_plan(column, plan), intervals=None, about_n=None)
    return not each_of(column, plan, make)(bare, None)[1].knows_its_intervals


def _steps_with_count(column: Data, plan: Plan, make: Make) -> CountFirst:
    """Return a plan calibrated for a count, of all records or in each group, and for answers with the rest.

    No number decides how the budget is divided: there is one way for all groups, as in `privacy.composition`. Nothing
    is drawn. Raises ParameterError (also Infeasible), DataError.
    """
    if column.held != ROWS:
        raise ParameterError("about_n", "must be a number where no records are at hand to be counted.")
    intervals, each = intervals_of(plan), each_of(column, plan, make)
    refuse_chance(intervals)
    if column.in_groups:
        ways, of_record = first_of_each(plan.privacy, SHARE, each.unit), each.unit
        first, rest, bare = split(plan, ways, lambda rest: each(rest, None)[1].guarantee)
        rate = first
    else:
        ways = first_and_rest(plan.privacy, SHARE)
        first, rest, bare = split(plan, ways, lambda rest: Calibrated.for_column(column, rest).guarantee)
        rate, of_record = first / column.records_each, RECORD
    unit = column.unit
    count = Count(intervals, NoisyCount.of(rate, intervals, unit), unit > 1, column.in_groups)
    answers = Guarantee.of(rest.privacy, plan.adjacency, each.unit.protects)  # their whole budget, for any levels
    both = after_first(plan.privacy, first, answers, of_record)
    assert both.covers(plan.privacy), "both steps together spend no more than requested"
    rest = replace(rest, intervals=of_the_ends(intervals))
    steps = CountFirst(plan=plan, guarantee=both, rest=rest, count=count, each=each, bare=bare, finding=first)
    refuse_ends(rest, each, unit)
    if intervals.proved:  # whether there is a theorem is public, and said before anything is drawn
        steps.by_number(column, [ANY_NUMBER])
    return steps


def intervals_of(plan: Plan) -> Intervals:
    """Return the intervals that a plan asks for."""
    assert plan.intervals is not None, "a number of records goes with intervals"
    return plan.intervals


def _charged_already(refused: ParameterError, first: Fraction, about: str) -> Infeasible:
    """Return a refusal of a second step, with a word `about` the first one: it has drawn and spent already."""
    if not isinstance(refused, Infeasible):
        refused = Infeasible(refused.name, refused.words[2:], refused.remedies)
    return refused.reworded(after=about, charged=loss_with_first(first, refused.charged))
