"""Draw the answers of all groups: side by side where the mechanism can, else one group after the other.

Each group's answers have the same distribution as if the group were alone: the same code reads ranges of records, each
within one group.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from ..accuracy import signed_rank_errors
from ..arrays import Flags, Floats, Integers
from ..combinations import Features, refuse_combination
from ..errors import Infeasible
from ..group_privacy import refused_for_each
from ..intervals.drawn import draw_values, read_off
from ..intervals.ends import as_pairs, of_values
from ..mechanisms.exponential.distribution import Partitions
from ..mechanisms.registry import SIDE_BY_SIDE
from ..noise.entropy import Entropy
from ..noise.exact import ExactEntropy
from ..noise.fast import FastEntropy
from ..progress import Progress, unheard
from ..release import Cells
from ..study import SimulatedCells
from .calibration import CalibratedGroups
from .counting import draw_after_counts
from .finding import NamingRule
from .names import GroupName, in_order
from .table import Groups, refuse_seeded

ROWS_AT_ONCE = 1 << 17
TRIALS_AT_ONCE = 64
NamesFound: TypeAlias = frozenset[GroupName]
"""The names that a release has found, which it may tell."""
OF_ONE_GROUP = " That is about one group. None of the groups is answered, and all of the budget is spent."
OF_ONE_PART = 2**40
"""Between the seeds of two parts of groups on a cluster."""
OF_COUNTED = 2**32
"""The first part of a seed for runs whose groups were counted; no other trials use this part or a later one."""


@dataclass(frozen=True)
class _Drawn:
    """The drawn answers of some groups, in the order of their names."""

    names: list[GroupName]
    values: Floats
    ends: Floats | None
    calibrated: CalibratedGroups
    """The plan calibrated for them: after their records were counted, where they had to be."""


def draw_grouped_cells(groups: Groups, calibrated: CalibratedGroups, named: NamesFound | None = None) -> Cells:
    """Return the answers of every group, or of those named before, for a plan that was calibrated for these data."""
    refuse_seeded(groups)
    drawn = groups.each_part(partial(_drawn, calibrated=calibrated, named=named))
    found = [name for each in drawn for name in each.names]
    names = found if groups.finding is None else in_order(found)
    calibrated = _after_counts(calibrated, [each.calibrated for each in drawn], names)
    rows = [tuple(row) for each in drawn for row in each.values.tolist()]
    ends = [pair for each in drawn if each.ends is not None for pair in of_values(each.ends, groups.domain).tolist()]
    answers, intervals = dict(zip(found, rows, strict=True)), dict(zip(found, map(as_pairs, ends), strict=False))
    return Cells(
        by=groups.by,
        groups=tuple(names),
        values=tuple(answers[name] for name in names),
        guarantee=calibrated.guarantee,
        plan=calibrated.plan,
        domain=groups.domain,
        notes=calibrated.notes,
        intervals=tuple(intervals[name] for name in names if name in intervals),
        basis=calibrated.basis,
    )


def _drawn(groups: Groups, at: int, *, calibrated: CalibratedGroups, named: NamesFound | None) -> _Drawn:
    """Return the answers of all groups of a part, drawn from the operating system's entropy where the part is.

    The rule of names stays where it is: it has computed chances for as many persons as the largest group has.
    """
    before = None if named is None else np.flatnonzero([name in named for name in groups.names])
    entropy = ExactEntropy()
    which, calibrated = _named_and_counted(groups, calibrated, entropy, before)
    values, ends = _one_draw(groups, which, calibrated, entropy)
    return _Drawn([groups.names[place] for place in which.tolist()], values, ends, replace(calibrated, naming=None))


def _after_counts(
    calibrated: CalibratedGroups, parts: list[CalibratedGroups], names: Iterable[GroupName]
) -> CalibratedGroups:
    """Return the plan calibrated for the groups of all parts, if their records were counted first."""
    counted = [each for each in parts if each.noisy]
    if not counted:
        return calibrated
    noisy = {name: number for each in counted for name, number in each.noisy.items()}
    return replace(
        calibrated,
        by_number={number: found for each in counted for number, found in each.by_number.items()},
        numbers={name: number for each in counted for name, number in (each.numbers or {}).items()},
        drawn={number: drawn for each in counted for number, drawn in each.drawn.items()},
        noisy={name: noisy[name] for name in names},
    )


def _named_and_counted(
    groups: Groups, calibrated: CalibratedGroups, entropy: ExactEntropy, which: Integers | None
) -> tuple[Integers, CalibratedGroups]:
    """Return which groups are named, and the plan calibrated for them; count their records first where needed."""
    if which is None:
        which = names_found(groups, calibrated.naming, entropy)
    if calibrated.counting is None or not which.size:
        return which, calibrated
    (noisy,) = calibrated.counting.draw(groups, which, entropy).tolist()
    return which, calibrated.counted({groups.names[at]: number for at, number in zip(which, noisy, strict=True)})


def _one_draw(
    groups: Groups, which: Integers, calibrated: CalibratedGroups, entropy: ExactEntropy
) -> tuple[Floats, Floats | None]:
    try:
        values, intervals = draw_groups(groups, which, calibrated, entropy, 1)
    except Infeasible as refused:
        if refused.noisy_count is None:  # it follows from public facts and reveals nothing about a group
            raise
        of_group = refused_for_each(refused, calibrated.unit)
        raise Infeasible.of_whole(of_group, OF_ONE_GROUP, calibrated.guarantee.epsilon) from None
    return values[0], None if intervals is None else intervals[0]


def find_names(groups: Groups, naming: NamingRule | None) -> NamesFound:
    """Return the names of the groups that are found, drawn from the operating system's entropy where each part is."""
    return frozenset(name for part in groups.each_part(partial(names_of_part, naming=naming)) for name in part)


def names_of_part(groups: Groups, at: int, *, naming: NamingRule | None) -> list[GroupName]:
    """Return the names of the groups of a part that are found."""
    return [groups.names[place] for place in names_found(groups, naming, ExactEntropy()).tolist()]


def names_found(groups: Groups, naming: NamingRule | None, entropy: ExactEntropy) -> Integers:
    """Return which groups are named: the groups found now, or all where the list is public."""
    which = np.arange(len(groups.names))
    return which if naming is None else which[naming.named(groups.people_in, 1, entropy)[0]]


def refuse_names_elsewhere(groups: Groups) -> None:
    """Raise ParameterError for groups to be found on a cluster: a simulation would take out all their names."""
    found, here = groups.finding is not None, groups.is_in_memory
    refuse_combination(Features(groups_found=found, on_cluster=not here, simulated=True))


def simulate_groups(
    groups: Groups,
    calibrated: CalibratedGroups,
    trials: int,
    seed: int,
    named: Flags | None = None,
    progress: Progress = unheard,
) -> SimulatedCells:
    """Return `trials` simulated releases of all groups, with their rank errors.

    `named`: which groups each trial named before, (trials, groups). Raises ParameterError.
    """
    refuse_names_elsewhere(groups)
    work = partial(_simulated, calibrated=calibrated, trials=trials, seed=seed, named=named)
    parts = groups.each_part(partial(work, progress=progress) if groups.is_in_memory else work)
    if len(parts) == 1:
        return parts[0]

    def joined(arrays: list[Any]) -> Any:
        return None if arrays[0] is None else np.concatenate(arrays, axis=1)

    return replace(
        parts[0],
        values=joined([part.values for part in parts]),
        signed_rank_errors=joined([part.signed_rank_errors for part in parts]),
        groups=groups.names,
        intervals=joined([part.intervals for part in parts]),
        covered=joined([part.covered for part in parts]),
    )


def _simulated(
    groups: Groups,
    at: int,
    *,
    calibrated: CalibratedGroups,
    trials: int,
    seed: int,
    named: Flags | None,
    progress: Progress = unheard,
) -> SimulatedCells:
    """Return simulated releases of the groups of a part; the first part has the seed itself."""
    seed += at * OF_ONE_PART
    count, plan = len(groups.names), calibrated.plan
    at_once = min(max(ROWS_AT_ONCE // max(count, 1), 1), TRIALS_AT_ONCE) if trials > 1 else 1
    shape = (trials, count, len(plan.quantiles))
    values, errors = np.empty(shape), np.empty(shape)
    asked = calibrated.basis is not None
    ends, covered = np.empty((*shape, 2) if asked else 0), np.zeros(shape if asked else 0, np.bool_)
    counted = itertools.count(OF_COUNTED)
    for part, first in enumerate(range(0, trials, at_once)):
        entropy, here = FastEntropy(seed, at_once, part), slice(first, min(first + at_once, trials))
        if calibrated.counting is None:
            drawn, intervals = draw_groups(groups, np.arange(count), calibrated, entropy, at_once)
        else:
            drawn, intervals = draw_after_counts(groups, plan, calibrated.counting, seed, entropy, counted)
        values[here] = drawn[: trials - first]
        errors[here] = rank_errors_of(groups, plan.quantiles, values[here])
        if intervals is not None:
            on_grid = intervals[: trials - first]
            covered[here] = _covered(groups, plan.quantiles, on_grid)
            ends[here] = of_values(on_grid, groups.domain)
        left_out = None if named is None else ~named[here]
        if calibrated.naming is not None:
            left_out = ~calibrated.naming.named(groups.people_in, at_once, entropy)[: trials - first]
        if left_out is not None:
            for each in (values, errors, ends) if asked else (values, errors):
                each[here][left_out] = np.nan
            if asked:
                covered[here][left_out] = False
        progress(here.stop / trials)
    return SimulatedCells(
        by=groups.by,
        groups=groups.names,
        values=values,
        signed_rank_errors=errors,
        guarantee=calibrated.guarantee,
        plan=plan,
        domains=(groups.domain,),
        notes=calibrated.notes,
        intervals=ends if asked else None,
        covered=covered if asked else None,
        basis=calibrated.basis,
        seed=seed,
    )


def draw_groups(
    groups: Groups, which: Integers, calibrated: CalibratedGroups, entropy: Entropy, trials: int
) -> tuple[Floats, Floats | None]:
    """Return the drawn values (trials, groups, m) of some groups, and their intervals (trials, groups, m, 2) or None.

    In the plan's order, and for values of the grid, as `draw_values` gives them.
    """
    plan = calibrated.plan
    if plan.mechanism in SIDE_BY_SIDE and calibrated.shared is not None and not groups.one_by_one:
        first, end = (np.tile(groups.starts[which + side], trials) for side in (0, 1))
        whole = np.zeros(first.size, np.int64), np.full(first.size, groups.fine_cells - 1)
        ranges = Partitions(first, end, *whole, values=groups.places)
        cells = SIDE_BY_SIDE[plan.mechanism](groups.records, ranges, calibrated.shared, entropy)
        values = groups.values_of(cells.reshape(trials, which.size, cells.shape[1]))
        return read_off(values, plan, calibrated.shared, calibrated.of_number(None)[1], groups.domain)
    shape = (trials, which.size, len(plan.quantiles))
    asked = calibrated.basis is not None
    answers, ends = np.empty(shape), np.empty((*shape, 2) if asked else 0)
    for at, group in enumerate(which.tolist()):
        parameters, drawn = calibrated.of_number(calibrated.number_of(groups.names[group]))
        answers[:, at], own = draw_values(groups.column(group), plan, parameters, drawn, entropy)
        if own is not None:
            ends[:, at] = own
    return answers, ends if asked else None


def _ties(groups: Groups, cells: Integers, start: Integers, end: Integers) -> tuple[Integers, Integers]:
    """Return between which places in [start, end) the records have the values of grid indices: first, and one after
    last.
    """
    first, own = groups.places.own(cells)
    beyond = first + own
    low = groups.records.searchsorted_within(first, start, end)
    if groups.records.size == 0:
        return low, low
    high, ends = low.copy(), np.broadcast_to(end, low.shape)
    tied = (low < end) & (groups.records.nearest(low) < beyond)  # few, or the domain is coarse
    high[tied] = groups.records.searchsorted_within(beyond[tied], low[tied], ends[tied])
    return low, high


def _covered(groups: Groups, quantiles: tuple[Fraction, ...], intervals: Floats) -> Flags:
    """Return whether intervals (..., groups, m, 2) hold a true quantile of their group: see `Study.coverage`."""
    low, high = (rank_errors_of(groups, quantiles, intervals[..., end]) for end in range(2))
    return np.asarray((low <= 0) & (high >= 0), dtype=np.bool_)


def rank_errors_in_parts(groups: Groups, quantiles: tuple[Fraction, ...], values: Floats) -> Floats:
    """Return what `rank_errors_of` gives of values (trials, groups, m), each part of the groups done where it is."""
    place = {name: at for at, name in enumerate(groups.names)}
    return np.concatenate(
        groups.each_part(partial(_errors_of_part, place=place, quantiles=quantiles, values=values)), axis=1
    )


def _errors_of_part(
    groups: Groups, at: int, *, place: dict[GroupName, int], quantiles: tuple[Fraction, ...], values: Floats
) -> Floats:
    return rank_errors_of(groups, quantiles, values[:, [place[name] for name in groups.names]])


def rank_errors_of(groups: Groups, quantiles: tuple[Fraction, ...], values: Floats) -> Floats:
    """Return how many records of its group each value of the grid (..., groups, m) is off its target.

    As `accuracy.signed_rank_errors`; in persons where all rows of a person weigh 1. An upper bound between the grid's
    values counts as the last of them: no record is above that.
    """
    if groups.one_by_one:
        each = [signed_rank_errors(groups.column(at), quantiles, values[..., at, :]) for at in range(len(groups.names))]
        return np.stack(each, axis=-2) if each else np.empty(values.shape)
    cells = groups.domain.encode(values)
    start, end = groups.starts[:-1, None], groups.starts[1:, None]
    below, at_most = (places - start for places in _ties(groups, cells, start, end))
    wanted, sizes = np.empty(cells.shape[1:], np.int64), groups.sizes.astype(object)  # integers of any size
    for column, level in enumerate(quantiles):
        wanted[:, column] = sizes * level.numerator // level.denominator
    errors = np.maximum(below - wanted, 0) - np.maximum(wanted - at_most, 0)
    return np.asarray(errors, dtype=np.float64)
