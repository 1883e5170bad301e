"""Draw the answers of a column, step by step, as they were calibrated for it.

A release, a simulation and a trace take this one way. A release has one run, with bits of the operating system; a
simulation has many, from a seed; a trace is one of these that notes what every draw saw. Runs in which the first steps
find the same are drawn together.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from typing import Any, TypeVar

import numpy as np

from .arrays import Flags, Floats, Integers
from .calibrations import Calibrated, check_calibrated, check_plan, mechanism_of, notes_of, refuse_seeded
from .column import Column, Data
from .errors import Infeasible, ParameterError, shown
from .group_privacy import refused_for_each
from .groups.finding import NAMES_ELSEWHERE, PartitionSelection
from .groups.names import GroupName, in_order
from .intervals.drawn import Basis, draw_values, in_plan_order, read_off
from .intervals.ends import as_pairs, of_values
from .mechanisms.base import TraceStep
from .mechanisms.exponential.distribution import Ranges
from .mechanisms.registry import SIDE_BY_SIDE
from .noise.entropy import Entropy
from .noise.exact import ExactEntropy
from .noise.fast import SeededSampler
from .plan import MAX_LEVELS, Plan
from .privacy.budgets import Guarantee
from .privacy.composition import PrivacyUnit, loss_with_first
from .progress import Progress, unheard
from .release import Cells
from .steps import BoundsFirst, CountFirst, Steps

TRIALS_AT_ONCE = 64
"""Runs share numpy passes in parts of this size; each part has a seed of its own."""
ROWS_AT_ONCE = 1 << 17
OF_THE_WALK, OF_THE_COUNT = 2**31, 2**31 + 1
"""The parts of a seed that no mechanism's runs have."""
OF_COUNTED = 2**32
"""The first part of a seed for runs whose groups were counted; no other runs use this part or a later one."""
OF_ONE_PART = 2**40
"""Between the seeds of two parts of groups on a cluster."""
OF_ONE_GROUP = " That is about one group. None of the groups is answered, and all of the budget is spent."
GROUPS_COUNTED = " The groups had been counted by then: none is answered, and all is spent."
A_NUMBER = "must be a number, such as about_n=300, where a run is explained."
Found = TypeVar("Found", bound=Hashable)


@dataclass(frozen=True)
class EntropySource:
    """Random bits for some runs: of the operating system for a release, of one run; else of a seed."""

    seed: int | None = None
    runs: tuple[int, ...] = (0,)
    firsts: int | None = None
    """How often the first of two steps is drawn; runs use these draws in turn. None draws it for every run."""

    @property
    def trials(self) -> int:
        """Return how many runs there are."""
        return len(self.runs)

    def entropy(self, part: int = 0, trials: int | None = None) -> Entropy:
        """Return the bits of a part of a seed, for all runs unless `trials` says how many."""
        if self.seed is None:
            return ExactEntropy()
        return SeededSampler(self.seed, self.trials if trials is None else trials, part)

    def of_first(self, part: int) -> Entropy:
        """Return the bits of a first step."""
        return self.entropy(part, self.firsts)

    def of_block(self, at: int) -> EntropySource:
        """Return the bits of a part of the groups: the first part has the seed itself."""
        return self if self.seed is None else replace(self, seed=self.seed + at * OF_ONE_PART)

    def by_finding(self, findings: Sequence[Found]) -> Iterator[tuple[Found, EntropySource]]:
        """Return each different finding with the runs that share it, which have a seed of their own."""
        runs: dict[Found, list[int]] = {}
        for at, run in enumerate(self.runs):
            runs.setdefault(findings[at % len(findings)], []).append(run)
        for at, (found, own) in enumerate(runs.items()):
            yield found, replace(self, seed=None if self.seed is None else self.seed + at, runs=tuple(own))


RELEASE = EntropySource()
"""One run, with bits of the operating system."""


@dataclass(frozen=True)
class Noted:
    """Which run is noted with what every draw saw, alone; and of which group."""

    run: int
    group: GroupName | None = None


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """The drawn answers of some runs, which share what the first steps found: of all groups, or of those of a part."""

    runs: tuple[int, ...]
    names: tuple[GroupName, ...]
    values: Floats
    """(runs, names, levels), in the order of the plan's levels."""
    ends: Floats | None = None
    """(runs, names, levels, 2), values of the grid; None where the plan asks for no intervals."""
    basis: Basis | None = None
    notes: tuple[str, ...] = ()
    noisy: Mapping[GroupName, int] = field(default_factory=dict)
    """What was counted in the first of the runs, where groups are."""
    counted: tuple[str, ...] = ()
    """The same in sentences, or of what the column has."""
    steps: tuple[TraceStep, ...] = ()
    """What every draw saw and chose, where the run is noted."""


def drawn(
    column: Data,
    steps: Steps,
    source: EntropySource,
    *,
    named: Collection[GroupName] | None = None,
    noisy: Integers | None = None,
    noted: Noted | None = None,
    heard: Progress = unheard,
) -> Iterator[tuple[Data, Drawn]]:
    """Draw the answers of a column by steps that were calibrated for it, for each different finding of first steps.

    They come with the column on the grid that they lie on.

    `named`: the groups that are drawn, where they were found before; `noisy`: the numbers of each run, (runs, numbers),
    where a table was counted; `noted`: the one run that is drawn, with notes. Raises ParameterError, and Infeasible,
    which says of a release what has been spent.
    """
    if source.seed is None:
        refuse_seeded(column)
    if isinstance(steps, BoundsFirst):
        about = partial(charged_already, first=steps.finding, about=" The bounds had been found by then.")
        for domain, own in source.by_finding(steps.find(column, source.of_first(OF_THE_WALK))):
            if noted is None or noted.run in own.runs:
                with _refused(source, Infeasible, about):
                    yield from drawn(column.on(domain), steps.second, own, named=named, noted=noted)
        return
    if isinstance(steps, CountFirst):
        if noted is not None:
            raise ParameterError("about_n", A_NUMBER)
        if not column.in_groups:
            yield from _counted(column, steps, source, noisy)
            return
    assert column.finding is None or named is not None or noted is not None, "names are found before"
    if isinstance(steps, Calibrated):
        check_calibrated(column, steps)
        if noted is not None:
            yield column, _noted(column, steps, source, noted)
            return
    yield column, _of_groups(column, steps, source, named, heard)


def _counted(
    column: Data, steps: CountFirst, source: EntropySource, noisy: Integers | None
) -> Iterator[tuple[Data, Drawn]]:
    """Draw the answers of a column whose records are counted, for each number that they are at least."""
    if noisy is None:
        noisy = steps.noisy(column, source.of_first(OF_THE_COUNT))
    told = steps.count.told(noisy[0])
    about = f" The {steps.count.many} had been counted by then."
    for number, own in source.by_finding(list(map(steps.count.at_least, noisy))):
        with _refused(source, ParameterError, partial(charged_already, first=steps.finding, about=about)):
            for on, part in drawn(column, steps.second(column, number), own):
                yield on, replace(part, basis=steps.basis_with(number), counted=(*part.counted, told))


def _of_groups(
    column: Data,
    steps: Calibrated | CountFirst,
    source: EntropySource,
    named: Collection[GroupName] | None,
    heard: Progress,
) -> Drawn:
    """Draw the answers of a column, or of its groups, each part of them where it is."""
    work = partial(_of_part, steps=steps, source=source, named=named)
    parts = column.each_part(partial(work, heard=heard) if column.is_in_memory else work)
    names = tuple(name for part in parts for name in part.names)
    values, ends = np.concatenate([part.values for part in parts], axis=1), parts[0].ends
    if ends is not None:
        ends = np.concatenate([part.ends for part in parts if part.ends is not None], axis=1)
    if column.finding is not None and source.seed is None:
        found, names = {name: at for at, name in enumerate(names)}, in_order(names)
        order = [found[name] for name in names]
        values, ends = values[:, order], None if ends is None else ends[:, order]
    noisy = {name: number for part in parts for name, number in part.noisy.items()}
    counted: tuple[str, ...] = ()
    if isinstance(steps, CountFirst) and noisy:
        counted = (steps.count.told_of_groups({name: noisy[name] for name in names}),)
    notes = tuple(dict.fromkeys(note for part in parts for note in part.notes))
    return replace(parts[0], names=names, values=values, ends=ends, notes=notes, counted=counted)


def _of_part(
    column: Data,
    at: int,
    *,
    steps: Calibrated | CountFirst,
    source: EntropySource,
    named: Collection[GroupName] | None,
    heard: Progress = unheard,
) -> Drawn:
    """Return the drawn answers of the groups of a part, of all or of those that are named, where the part is."""
    which = np.flatnonzero([named is None or name in named for name in column.names])
    names = tuple(column.names[place] for place in which.tolist())
    trials, source, parts = source.trials, source.of_block(at), itertools.count(OF_COUNTED)
    values, ends, notes, noisy = list[Floats](), list[Floats](), list[str](), dict[GroupName, int]()
    at_once = trials_at_once(column, trials)
    for part, first in enumerate(range(0, trials, at_once)):
        entropy = source.entropy(part, at_once)
        if isinstance(steps, Calibrated):
            with _refused(source, Infeasible, partial(_for_all_groups, column, steps.unit, steps.guarantee)):
                answers, intervals = draw_groups(column, which, steps, entropy)
            notes += steps.notes
        else:
            numbers = steps.noisy(column, entropy, which)
            noisy = noisy or dict(zip(names, numbers[0].tolist(), strict=True))
            answers, intervals, own = _after_counts(column, which, steps, numbers, source, parts)
            notes += own
        values.append(answers)
        ends += [] if intervals is None else [intervals]
        heard(min(first + at_once, trials) / trials)
    return Drawn(
        runs=source.runs, names=names, values=np.concatenate(values)[:trials], basis=steps.basis, noisy=noisy,
        ends=np.concatenate(ends)[:trials] if ends else None, notes=tuple(dict.fromkeys(notes)),
    )  # fmt: skip


def trials_at_once(column: Data, trials: int) -> int:
    """Return how many runs of all groups are worked on side by side."""
    return min(max(ROWS_AT_ONCE // max(len(column.names), 1), 1), TRIALS_AT_ONCE) if trials > 1 else 1


def draw_groups(
    column: Data, which: Integers, calibrated: Calibrated, entropy: Entropy
) -> tuple[Floats, Floats | None]:
    """Return the drawn values (trials, groups, m) of some groups, and their intervals (trials, groups, m, 2) or None.

    Side by side where the mechanism can, else one group after the other. Each group's answers have the same
    distribution as if the group were alone: the same code reads ranges of records, each within one group. In the plan's
    order, and for values of the grid, as `draw_values` gives them.
    """
    plan, trials, among = calibrated.drawn_plan, entropy.trials, calibrated.interpolation
    side_by_side = bool(plan.quantiles) and plan.mechanism in SIDE_BY_SIDE
    if side_by_side and calibrated.numbers is None and column.segments is not None:
        first, end = (np.tile(column.starts[which + side], trials) for side in (0, 1))
        whole = np.zeros(first.size, np.int64), np.full(first.size, column.slots - 1)
        ranges = Ranges(first, end, *whole, values=column.places)
        cells = SIDE_BY_SIDE[plan.mechanism](column.segments, ranges, calibrated.parameters, entropy, 1)
        values = column.values_of(cells.reshape(trials, which.size, cells.shape[2]))
        return read_off(values, plan, calibrated.parameters, calibrated.drawn, column.domain)
    shape = (trials, which.size, len(plan.quantiles))
    asked = calibrated.basis is not None
    answers, ends = np.empty(shape), np.empty((*shape, 2) if asked else 0)
    for at, group in enumerate(which.tolist()):
        parameters, drawn = calibrated.of_group(column.names[group])
        answers[:, at], own = draw_values(column.column(group), plan, parameters, drawn, entropy)
        if own is not None:
            ends[:, at] = own
    intervals = ends if asked else None
    return (
        (answers, intervals) if among is None else (among.answers(answers, column.domain), among.intervals(intervals))
    )


def _after_counts(
    groups: Data, which: Integers, steps: CountFirst, noisy: Integers, source: EntropySource, parts: Iterator[int]
) -> tuple[Floats, Floats, list[str]]:
    """Return values and intervals of groups as `draw_groups` does, each run by its own numbers; and what is noted.

    `noisy`: the numbers, (runs, groups); `parts` of a seed: one for all runs of a group with one number.
    """
    numbers = np.array([list(map(steps.count.number.at_least, run)) for run in noisy.tolist()], np.int64)
    epsilon, plan, unit = steps.guarantee.epsilon, steps.plan, steps.each.unit
    counted = partial(Infeasible.of_whole, about=GROUPS_COUNTED, charged=epsilon)
    with _refused(source, ParameterError, counted):
        levels = steps.by_number(groups, np.unique(numbers).tolist())
    values = np.empty((*noisy.shape, len(plan.quantiles)))
    ends = np.empty((*values.shape, 2))
    for at, group in enumerate(which.tolist()):
        for number in dict.fromkeys(numbers[:, at].tolist()):
            runs = np.flatnonzero(numbers[:, at] == number)
            _, parameters, drawn = levels[number]
            entropy = source.entropy(next(parts), runs.size)
            with _refused(source, Infeasible, partial(_for_all_groups, groups, unit, steps.guarantee)):
                values[runs, at], own = draw_values(groups.column(group), plan, parameters, drawn, entropy)
            assert own is not None, "counted for intervals"
            ends[runs, at] = own
    return values, ends, notes_of(levels)


def find_names(groups: Column, naming: PartitionSelection, source: EntropySource) -> dict[GroupName, Flags]:
    """Return which runs name a group, (trials,), drawn where each part is: in a release for the named ones alone.

    Raises ParameterError for a simulation on a cluster: it would take out all names.
    """
    if source.seed is not None and not groups.is_in_memory:
        raise ParameterError("by", NAMES_ELSEWHERE)
    found = groups.each_part(partial(names_of_part, naming=naming, source=source))
    return {name: runs for part in found for name, runs in part.items()}


def names_of_part(
    groups: Column, at: int, *, naming: PartitionSelection, source: EntropySource = RELEASE
) -> dict[GroupName, Flags]:
    """Return which runs name a group of a part; in a release of the named ones alone."""
    named = naming.named(groups.people_in, source.trials, source.entropy())
    told = np.flatnonzero(named[0]) if source.seed is None else np.arange(len(groups.names))
    return {groups.names[place]: named[:, place] for place in told.tolist()}


def _noted(column: Data, steps: Calibrated, source: EntropySource, noted: Noted) -> Drawn:
    """Draw a run that is noted: of the one group that is named, as it is alone. Raises ParameterError."""
    at = column.place_of(noted.group)
    if column.unit > 1:
        raise ParameterError("per_person", "must make one record of each person, such as random: steps show records.")
    one, parameters, among = column.column(at), steps.of_group(column.names[at])[0], steps.interpolation
    part, trial = divmod(source.runs.index(noted.run), TRIALS_AT_ONCE)
    entropy = source.entropy(part, TRIALS_AT_ONCE if source.trials > 1 else 1)  # runs side by side share it
    mechanism = mechanism_of(steps.plan)
    found = tuple(mechanism.trace(one, parameters, entropy, trial)) if parameters.levels else ()
    values = in_plan_order(np.array(sorted(step.value for step in found)), steps.drawn_plan, parameters)
    if among is not None:
        values = among.answers(values, one.domain)
    names, values = (column.names[at],), values[None, None]
    return Drawn(runs=(noted.run,), names=names, values=values, steps=found)


def cells_of(
    column: Data, steps: Steps, named: Collection[GroupName] | None = None, noisy: Integers | None = None
) -> Cells:
    """Return the answers of a column, drawn now by steps that were calibrated for it. Raises Infeasible.

    `named`: the groups that were found before, and `noisy`: (1, numbers) of its records, where a table was counted.
    """
    ((on, found),) = drawn(column, steps, RELEASE, named=named, noisy=noisy)
    ends = () if found.ends is None else of_values(found.ends[0], on.domain).tolist()
    return Cells(
        by=column.by,
        groups=found.names,
        values=tuple(map(tuple, found.values[0].tolist())),
        guarantee=steps.guarantee,
        plan=steps.plan,
        domain=on.domain,
        find_bounds=column.find_bounds,
        notes=tuple(dict.fromkeys([*found.notes, *found.counted])),
        intervals=tuple(map(as_pairs, ends)),
        basis=found.basis,
    )


@contextmanager
def _refused(
    source: EntropySource, kind: type[ParameterError], in_release: Callable[[Any], ParameterError]
) -> Iterator[None]:
    """Let a refusal of this kind say what a release has spent by then; a simulation spends nothing."""
    try:
        yield
    except kind as refused:
        if source.seed is not None:
            raise
        raise in_release(refused) from None


def _for_all_groups(column: Data, unit: PrivacyUnit, spent: Guarantee, refused: Infeasible) -> ParameterError:
    """Return a refusal of one group as that of all, because none is answered."""
    if column.in_groups and refused.noisy_count is None:  # it follows from public facts, and reveals nothing
        return refused
    of_one = refused_for_each(refused, unit)
    return Infeasible.of_whole(of_one, OF_ONE_GROUP, spent.epsilon) if column.in_groups else of_one


def charged_already(refused: ParameterError, first: Fraction, about: str) -> Infeasible:
    """Return a refusal of a second step, with a word `about` the first one: it has drawn and spent already."""
    words = (*refused.words[2:], about)
    if not isinstance(refused, Infeasible):
        return Infeasible(refused.name, words, refused.remedies, charged=loss_with_first(first, 0.0))
    charged = loss_with_first(first, refused.charged)
    return Infeasible(
        refused.name, words, refused.remedies, count=refused.count, noisy_count=refused.noisy_count, charged=charged
    )


def synthetic_plan(plan: Plan, size: int) -> Plan:
    """Return the plan that a synthetic column of `size` values answers. Raises ParameterError."""
    if isinstance(size, bool) or not isinstance(size, int) or not 1 <= size <= MAX_LEVELS:
        raise ParameterError("size", f"must be a whole number from 1 to {MAX_LEVELS}, got {shown(size)}.")
    check_plan(plan)
    levels = [Fraction(2 * i + 1, 2 * size) for i in range(size)]
    return Plan(levels, plan.mechanism, plan.privacy, plan.adjacency, plan.options)
