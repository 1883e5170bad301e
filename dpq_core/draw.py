"""Draw the answers of a column from the operating system's entropy, step by step, as they were calibrated for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import TypeAlias

import numpy as np

from .arrays import Floats, Integers
from .calibrations import Calibrated, check_calibrated, check_plan, refuse_seeded
from .column import Column, Data
from .errors import Infeasible, ParameterError, shown
from .group_privacy import refused_for_each
from .groups.finding import NAMES_ELSEWHERE, PartitionSelection
from .groups.names import GroupName, in_order
from .intervals.drawn import draw_values, read_off
from .intervals.ends import as_pairs, of_values
from .mechanisms.exponential.distribution import Ranges
from .mechanisms.registry import SIDE_BY_SIDE
from .noise.entropy import Entropy
from .noise.exact import ExactEntropy
from .plan import MAX_LEVELS, Plan
from .privacy.composition import loss_with_first
from .release import Cells
from .steps import BoundsFirst, CountFirst, Steps

NamesFound: TypeAlias = frozenset[GroupName]
"""The names that a release has found, which it may tell."""
OF_ONE_GROUP = " That is about one group. None of the groups is answered, and all of the budget is spent."


def draw_column(column: Data, steps: Steps, named: NamesFound | None = None, noisy: Integers | None = None) -> Cells:
    """Return the answers of a column, drawn now by steps that were calibrated for it. Raises Infeasible.

    `named`: the groups that were found before, and `noisy`: the numbers of its records, where a table was counted.
    """
    refuse_seeded(column)
    if isinstance(steps, BoundsFirst):
        return _bounds_first(column, steps, named)
    if isinstance(steps, CountFirst) and not column.in_groups:
        return _count_first(column, steps, noisy)
    assert column.finding is None or named is not None, "names are found before"
    if isinstance(steps, Calibrated):
        check_calibrated(column, steps)
    drawn = column.each_part(partial(_of_part, steps=steps, named=named))
    found = [name for each in drawn for name in each.names]
    names = found if column.finding is None else in_order(found)
    rows = [tuple(row) for each in drawn for row in each.values.tolist()]
    ends = [pair for each in drawn if each.ends is not None for pair in of_values(each.ends, column.domain).tolist()]
    answers, intervals = dict(zip(found, rows, strict=True)), dict(zip(found, map(as_pairs, ends), strict=False))
    notes = [note for each in drawn for note in each.notes]
    counted = {name: number for each in drawn for name, number in each.noisy.items()}
    if isinstance(steps, CountFirst) and counted:
        notes.append(steps.count.told_of_groups({name: counted[name] for name in names}))
    return Cells(
        by=column.by,
        groups=tuple(names),
        values=tuple(answers[name] for name in names),
        guarantee=steps.guarantee,
        plan=steps.plan,
        domain=column.domain,
        notes=tuple(dict.fromkeys(notes)),
        intervals=tuple(intervals[name] for name in names if name in intervals),
        basis=steps.basis,
    )


def _bounds_first(raw: Data, steps: BoundsFirst, named: NamesFound | None) -> Cells:
    (domain,) = steps.find(raw, ExactEntropy())
    try:
        answered = draw_column(raw.on(domain), steps.second, named)
    except Infeasible as refused:
        raise charged_already(refused, steps.finding, " The bounds had been found by then.") from None
    return replace(answered, plan=steps.plan, guarantee=steps.guarantee, find_bounds=raw.find_bounds)


def _count_first(column: Data, steps: CountFirst, noisy: Integers | None) -> Cells:
    if noisy is None:
        (noisy,) = steps.noisy(column, ExactEntropy())
    at_least = steps.count.at_least(noisy)
    try:
        answered = draw_column(column, steps.second(column, at_least))
    except ParameterError as refused:
        raise charged_already(refused, steps.finding, f" The {steps.count.many} had been counted by then.") from None
    return replace(
        answered,
        plan=steps.plan,
        guarantee=steps.guarantee,
        basis=steps.basis_with(at_least),
        notes=(*answered.notes, steps.count.told(noisy)),
    )


@dataclass(frozen=True)
class _Drawn:
    """The drawn answers of some groups, in the order of their names."""

    names: list[GroupName]
    values: Floats
    ends: Floats | None
    notes: tuple[str, ...]
    noisy: Mapping[GroupName, int]
    """What was counted, where groups are."""


def _of_part(column: Data, at: int, *, steps: Calibrated | CountFirst, named: NamesFound | None) -> _Drawn:
    """Return the answers of all groups of a part, drawn from the operating system's entropy where the part is."""
    which = np.arange(len(column.names))
    if named is not None:
        which = which[[name in named for name in column.names]]
    names, entropy = [column.names[place] for place in which.tolist()], ExactEntropy()
    noisy: dict[GroupName, int] = {}
    if isinstance(steps, CountFirst):
        (numbers,) = steps.noisy(column, entropy, which).tolist()
        noisy = dict(zip(names, numbers, strict=True))
        calibrated = _after_count(column, steps, noisy)
    else:
        calibrated = steps
    values, ends = all_or_none(column, which, calibrated, entropy, steps.guarantee.epsilon)
    return _Drawn(names, values, ends, calibrated.notes, noisy)


def all_or_none(
    column: Data, which: Integers, calibrated: Calibrated, entropy: ExactEntropy, spent: float
) -> tuple[Floats, Floats | None]:
    """Return one draw of groups and their intervals. Raises Infeasible, which says that `spent` is, where one is."""
    try:
        values, ends = draw_groups(column, which, calibrated, entropy)
    except Infeasible as refused:
        if column.in_groups and refused.noisy_count is None:  # it follows from public facts, and reveals nothing
            raise
        of_one = refused_for_each(refused, calibrated.unit)
        raise Infeasible.of_whole(of_one, OF_ONE_GROUP, spent) if column.in_groups else of_one from None
    return values[0], None if ends is None else ends[0]


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


def _after_count(groups: Data, steps: CountFirst, noisy: Mapping[GroupName, int]) -> Calibrated:
    """Return the plan calibrated for counted groups. Raises Infeasible, because something was drawn."""
    try:
        return steps.of_groups(groups, {name: steps.count.number.at_least(n) for name, n in noisy.items()})
    except ParameterError as refused:
        about = " The groups had been counted by then: none is answered, and all is spent."
        raise Infeasible.of_whole(refused, about, steps.guarantee.epsilon) from None


def find_names(groups: Column, naming: PartitionSelection) -> NamesFound:
    """Return the names of the groups that are found, drawn from the operating system's entropy where each part is."""
    return frozenset(name for part in groups.each_part(partial(names_of_part, naming=naming)) for name in part)


def names_of_part(groups: Column, at: int, *, naming: PartitionSelection) -> list[GroupName]:
    """Return the names of the groups of a part that are found."""
    (named,) = naming.named(groups.people_in, 1, ExactEntropy())
    return [groups.names[place] for place in np.flatnonzero(named).tolist()]


def refuse_names_elsewhere(groups: Column) -> None:
    """Raise ParameterError for groups to be found on a cluster: a simulation would take out all their names."""
    if not groups.is_in_memory:
        raise ParameterError("by", NAMES_ELSEWHERE)


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
