"""Draw the answers of a column from the operating system's entropy, step by step, as they were calibrated for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

import numpy as np

from .arrays import Floats, Integers
from .calibrations import Calibrated, check_calibrated, check_plan
from .column import RawColumn, Source, only, whole_of
from .errors import Infeasible, ParameterError, shown
from .group_privacy import refused_for_each
from .groups.calibration import CalibratedGroups
from .groups.draws import NamesFound, draw_groups
from .groups.names import GroupName, in_order
from .groups.table import Groups, refuse_seeded
from .intervals.drawn import draw_values
from .intervals.ends import as_pairs, of_values
from .noise.entropy import Entropy
from .noise.exact import ExactEntropy
from .plan import MAX_LEVELS, Plan
from .privacy.composition import loss_with_first
from .release import Cells
from .sample import Sample
from .sketches.data import Data
from .steps import BoundsFirst, CountFirst, Steps

OF_ONE_GROUP = " That is about one group. None of the groups is answered, and all of the budget is spent."


def draw_column(column: Source, steps: Steps, named: NamesFound | None = None, noisy: Integers | None = None) -> Cells:
    """Return the answers of a column, drawn now by steps that were calibrated for it. Raises Infeasible.

    `named`: the groups that were found before, and `noisy`: the numbers of its records, where a table was counted.
    """
    if isinstance(steps, BoundsFirst):
        return _bounds_first(only(RawColumn, column), steps, named)
    if isinstance(column, Groups):
        assert isinstance(steps, CalibratedGroups | CountFirst), "calibrated for groups"
        return draw_grouped_cells(column, steps, named)
    if isinstance(steps, CountFirst):
        return _count_first(column, steps, noisy)
    assert isinstance(steps, Calibrated), "calibrated for a column in one piece"
    assert not isinstance(column, RawColumn), "a column on its grid"
    return draw_cells(column, steps)


def _bounds_first(raw: RawColumn, steps: BoundsFirst, named: NamesFound | None) -> Cells:
    refuse_seeded(raw.coarse)
    (domain,) = steps.find(raw, ExactEntropy())
    try:
        answered = draw_column(raw.on(domain), steps.second, named)
    except Infeasible as refused:
        raise charged_already(refused, steps.finding, " The bounds had been found by then.") from None
    return replace(answered, plan=steps.plan, guarantee=steps.guarantee, find_bounds=raw.find_bounds)


def _count_first(column: Source, steps: CountFirst, noisy: Integers | None) -> Cells:
    refuse_seeded(whole_of(column))
    if noisy is None:
        (noisy,) = steps.noisy(only(Sample, column), ExactEntropy())
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


def draw_grouped_cells(groups: Groups, steps: CalibratedGroups | CountFirst, named: NamesFound | None = None) -> Cells:
    """Return the answers of every group, or of those named before, by steps that were calibrated for these data."""
    refuse_seeded(groups)
    assert groups.finding is None or named is not None, "names are found before"
    drawn = groups.each_part(partial(_of_part, steps=steps, named=named))
    found = [name for each in drawn for name in each.names]
    names = found if groups.finding is None else in_order(found)
    rows = [tuple(row) for each in drawn for row in each.values.tolist()]
    ends = [pair for each in drawn if each.ends is not None for pair in of_values(each.ends, groups.domain).tolist()]
    answers, intervals = dict(zip(found, rows, strict=True)), dict(zip(found, map(as_pairs, ends), strict=False))
    notes = [note for each in drawn for note in each.notes]
    noisy = {name: number for each in drawn for name, number in each.noisy.items()}
    if isinstance(steps, CountFirst) and noisy:
        notes.append(steps.count.told_of_groups({name: noisy[name] for name in names}))
    return Cells(
        by=groups.by,
        groups=tuple(names),
        values=tuple(answers[name] for name in names),
        guarantee=steps.guarantee,
        plan=steps.plan,
        domain=groups.domain,
        notes=tuple(dict.fromkeys(notes)),
        intervals=tuple(intervals[name] for name in names if name in intervals),
        basis=steps.basis,
    )


def _of_part(groups: Groups, at: int, *, steps: CalibratedGroups | CountFirst, named: NamesFound | None) -> _Drawn:
    """Return the answers of all groups of a part, drawn from the operating system's entropy where the part is."""
    which = np.arange(len(groups.names))
    if named is not None:
        which = which[[name in named for name in groups.names]]
    names, entropy = [groups.names[place] for place in which.tolist()], ExactEntropy()
    noisy: dict[GroupName, int] = {}
    calibrated = steps
    if isinstance(steps, CountFirst):
        (numbers,) = steps.noisy(groups, entropy, which).tolist()
        noisy = dict(zip(names, numbers, strict=True))
        calibrated = _after_count(groups, steps, noisy)
    assert isinstance(calibrated, CalibratedGroups), "counted by now"
    values, ends = all_or_none(groups, which, calibrated, entropy, steps.guarantee.epsilon)
    return _Drawn(names, values, ends, calibrated.notes, noisy)


def all_or_none(
    groups: Groups, which: Integers, calibrated: CalibratedGroups, entropy: ExactEntropy, spent: float
) -> tuple[Floats, Floats | None]:
    """Return one draw of groups and their intervals. Raises Infeasible, which says that `spent` is, where one is."""
    try:
        values, ends = draw_groups(groups, which, calibrated, entropy, 1)
    except Infeasible as refused:
        if refused.noisy_count is None:  # it follows from public facts and reveals nothing about a group
            raise
        raise Infeasible.of_whole(refused_for_each(refused, calibrated.unit), OF_ONE_GROUP, spent) from None
    return values[0], None if ends is None else ends[0]


def _after_count(groups: Groups, steps: CountFirst, noisy: Mapping[GroupName, int]) -> CalibratedGroups:
    """Return the plan calibrated for counted groups. Raises Infeasible, because something was drawn."""
    try:
        return steps.of_groups(groups, {name: steps.count.number.at_least(n) for name, n in noisy.items()})
    except ParameterError as refused:
        about = " The groups had been counted by then: none is answered, and all is spent."
        raise Infeasible.of_whole(refused, about, steps.guarantee.epsilon) from None


def charged_already(refused: ParameterError, first: Fraction, about: str) -> Infeasible:
    """Return a refusal of a second step, with a word `about` the first one: it has drawn and spent already."""
    words = (*refused.words[2:], about)
    if not isinstance(refused, Infeasible):
        return Infeasible(refused.name, words, refused.remedies, charged=loss_with_first(first, 0.0))
    charged = loss_with_first(first, refused.charged)
    return Infeasible(
        refused.name, words, refused.remedies, count=refused.count, noisy_count=refused.noisy_count, charged=charged
    )


def draw_cells(sample: Data, calibrated: Calibrated) -> Cells:
    """Return the answers of a column in one piece, for a plan that was calibrated for these data. Raises Infeasible."""
    refuse_seeded(sample)
    check_calibrated(sample, calibrated)
    try:
        values, intervals = draw(sample, calibrated, ExactEntropy())
    except Infeasible as refused:
        raise refused_for_each(refused, calibrated.unit) from None
    pairs = None if intervals is None else as_pairs(of_values(intervals[0], sample.domain).tolist())
    return Cells(
        values=(tuple(values[0].tolist()),),
        guarantee=calibrated.guarantee,
        plan=calibrated.plan,
        domain=sample.domain,
        notes=calibrated.notes,
        intervals=() if pairs is None else (pairs,),
        basis=calibrated.basis,
    )


def draw(sample: Data, calibrated: Calibrated, entropy: Entropy) -> tuple[Floats, Floats | None]:
    """Return drawn values (trials, m) and their intervals (trials, m, 2): see `draw_values`."""
    values, intervals = draw_values(sample, calibrated.drawn_plan, calibrated.parameters, calibrated.drawn, entropy)
    among = calibrated.interpolation
    return (values, intervals) if among is None else (among.answers(values, sample.domain), among.intervals(intervals))


def synthetic_plan(plan: Plan, size: int) -> Plan:
    """Return the plan that a synthetic column of `size` values answers. Raises ParameterError."""
    if isinstance(size, bool) or not isinstance(size, int) or not 1 <= size <= MAX_LEVELS:
        raise ParameterError("size", f"must be a whole number from 1 to {MAX_LEVELS}, got {shown(size)}.")
    check_plan(plan)
    levels = [Fraction(2 * i + 1, 2 * size) for i in range(size)]
    return Plan(levels, plan.mechanism, plan.privacy, plan.adjacency, plan.options)
