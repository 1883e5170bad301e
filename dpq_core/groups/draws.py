"""Draw the answers of all groups: side by side where the mechanism can, else one group after the other.

Each group's answers have the distribution that they would have alone: it is the same code, which reads ranges of
records, each within one group.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from ..arrays import Floats, Integers
from ..domain import Domain, warnings_of_groups
from ..frames import (
    COLUMN,
    ByName,
    Contents,
    Part,
    Simulated,
    Tabular,
    contents_of,
    part_of,
    release_numbers,
    study_numbers,
)
from ..mechanisms import MECHANISMS, SIDE_BY_SIDE, Partitions
from ..noise import Entropy, ExactEntropy, FastEntropy
from ..plan import Plan
from ..privacy import Guarantee
from ..version import VERSION
from .calibration import CalibratedGroups
from .names import GroupName
from .table import Groups

ROWS_AT_ONCE = 1 << 17
TRIALS_AT_ONCE = 64


@dataclass(frozen=True, kw_only=True, repr=False)
class GroupedRelease(ByName[GroupName, tuple[float, ...]], Tabular):
    """The answers of a release for every group; everything here may be shown to anyone, and nothing here is exact.

    `values`: those of each named group, in the order of `plan.quantiles`, as in `QuantileRelease`. Which groups are
    there is the public list, or what was found. `guarantee` is that of the whole.
    """

    values: dict[GroupName, tuple[float, ...]]
    guarantee: Guarantee
    plan: Plan
    domain: Domain
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    version: str = VERSION
    by: tuple[str, ...] = ()
    """What the columns are called whose values name the groups, where that is known; public."""

    @property
    def names(self) -> tuple[GroupName, ...]:
        """Return the names of the answered groups."""
        return tuple(self.values)

    def _as_part(self, column: str) -> Part:
        """Return the answers as a part of a table, as those of a column of this name."""
        levels, found = self.plan.quantiles, _held(self, "intervals") or {}
        intervals = [found[name] for name in self.values] if found else []
        numbers = release_numbers(list(self.values.values()), intervals, len(levels), self.domain)
        return part_of(column, levels, numbers, self.by, self.names)

    def _by_name(self) -> dict[GroupName, tuple[float, ...]]:
        return self.values

    def _contents(self) -> Contents:
        return contents_of(self, (self._as_part(COLUMN),))


@dataclass(frozen=True, kw_only=True, repr=False)
class GroupStudy(Simulated):
    """Simulated answers for every group with their rank errors. As private as the data.

    `values` has the shape (trials, groups, m): groups in the order of `names`, levels in that of `plan.quantiles`; NaN
    for a group that a trial did not find. `signed_rank_errors` has the same shape, in records of the group.
    """

    values: Floats
    signed_rank_errors: Floats
    names: tuple[GroupName, ...]
    guarantee: Guarantee
    plan: Plan
    seed: int
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    version: str = VERSION
    by: tuple[str, ...] = ()
    """What the columns are called whose values name the groups, where that is known."""

    @property
    def rank_errors(self) -> Floats:
        """The rank errors without their signs, of the shape of `values` (see `dpq_core.rank_errors`)."""
        return np.abs(self.signed_rank_errors)

    def _as_part(self, column: str) -> Part:
        """Return the answers as a part of a table, as those of a column of this name."""
        numbers = study_numbers(self.values, self.signed_rank_errors, _held(self, "covered"))
        return part_of(column, self.plan.quantiles, numbers, self.by, self.names)

    def _contents(self) -> Contents:
        return contents_of(self, (self._as_part(COLUMN),), seed=self.seed, trials=len(self.values))


def _held(answers: GroupedRelease | GroupStudy, name: str) -> Any:
    """Return what is known of the intervals of groups; None where they have none."""
    return getattr(answers, name, None)


def release_groups(groups: Groups, calibrated: CalibratedGroups, warnings: tuple[str, ...]) -> GroupedRelease:
    """Draw the answers of every group, for a plan that was calibrated for these data."""
    which, cells = draw_once(groups, calibrated, ExactEntropy())
    rows = groups.values_of(_in_plan_order(cells, calibrated)).tolist()
    values = {groups.names[at]: tuple(row) for at, row in zip(which.tolist(), rows, strict=True)}
    return GroupedRelease(
        values=values,
        guarantee=replace(calibrated.guarantee, exact=True),
        plan=calibrated.plan,
        domain=groups.domain,
        warnings=(*warnings_of_groups(values, groups.domain), *warnings),
        notes=calibrated.notes,
        by=groups.by,
    )


def draw_once(groups: Groups, calibrated: CalibratedGroups, entropy: ExactEntropy) -> tuple[Integers, Integers]:
    """Return which groups are named, and the drawn sub-indices of these, (named, levels)."""
    which = np.arange(len(groups.names))
    if calibrated.naming is not None:
        which = which[calibrated.naming.named(groups.sizes, 1, entropy)[0]]
    return which, draw_cells(groups, which, calibrated, entropy, 1)[0]


def simulate_groups(
    groups: Groups, calibrated: CalibratedGroups, trials: int, seed: int, warnings: tuple[str, ...]
) -> GroupStudy:
    """Return `trials` simulated releases of all groups, with their rank errors."""
    count = len(groups.names)
    at_once = min(max(ROWS_AT_ONCE // max(count, 1), 1), TRIALS_AT_ONCE) if trials > 1 else 1
    shape = (trials, count, len(calibrated.plan.quantiles))
    values, errors = np.empty(shape), np.empty(shape)
    for part, first in enumerate(range(0, trials, at_once)):
        entropy = FastEntropy(seed, at_once, part)
        cells = draw_cells(groups, np.arange(count), calibrated, entropy, at_once)
        cells = _in_plan_order(cells, calibrated)[: trials - first]
        found = values[first : first + at_once], errors[first : first + at_once]
        found[0][...] = groups.values_of(cells)
        found[1][...] = _signed_rank_errors(groups, calibrated.plan.quantiles, cells)
        if calibrated.naming is not None:
            left_out = ~calibrated.naming.named(groups.sizes, at_once, entropy)[: trials - first]
            for each in found:
                each[left_out] = np.nan
    return GroupStudy(
        values=values,
        signed_rank_errors=errors,
        names=groups.names,
        guarantee=calibrated.guarantee,
        plan=calibrated.plan,
        seed=seed,
        warnings=warnings,
        notes=calibrated.notes,
        by=groups.by,
    )


def draw_cells(
    groups: Groups, which: Integers, calibrated: CalibratedGroups, entropy: Entropy, trials: int
) -> Integers:
    """Return the drawn sub-indices of some groups, (trials, groups, levels)."""
    key = calibrated.plan.mechanism
    if key not in SIDE_BY_SIDE or calibrated.shared is None:
        mechanism, sizes = MECHANISMS[key], groups.sizes
        runs = [
            mechanism.run(groups.column(group), calibrated.parameters_of(int(sizes[group])), entropy)
            for group in which.tolist()
        ]
        levels = len(set(calibrated.plan.quantiles))
        return np.stack(runs, axis=1) if runs else np.empty((trials, 0, levels), np.int64)
    first, end = (np.tile(groups.starts[which + side], trials) for side in (0, 1))
    ranges = Partitions(first, end, np.zeros(first.size, np.int64), np.full(first.size, groups.fine_cells - 1))
    drawn = SIDE_BY_SIDE[key](groups.records, ranges, calibrated.shared, entropy)
    return drawn.reshape(trials, which.size, drawn.shape[1])


def _ties(groups: Groups, cells: Integers, start: Integers, end: Integers) -> tuple[Integers, Integers]:
    """Return between which places in [start, end) the records have the values of answers: first, and one after last."""
    first = cells >> groups.jitter_bits << groups.jitter_bits
    beyond = first + (1 << groups.jitter_bits)
    low = groups.records.searchsorted_within(first, start, end)
    if groups.records.size == 0:
        return low, low
    high, ends = low.copy(), np.broadcast_to(end, low.shape)
    tied = (low < end) & (groups.records.nearest(low) < beyond)  # few, or the domain is coarse
    high[tied] = groups.records.searchsorted_within(beyond[tied], low[tied], ends[tied])
    return low, high


def _in_plan_order(cells: Integers, calibrated: CalibratedGroups) -> Integers:
    """Return answers to distinct levels, increasing, spread over the plan's levels: any order, repeats repeated."""
    column = {level: at for at, level in enumerate(sorted(set(calibrated.plan.quantiles)))}
    return cells[..., [column[level] for level in calibrated.plan.quantiles]]


def _signed_rank_errors(groups: Groups, quantiles: tuple[Fraction, ...], cells: Integers) -> Floats:
    """Return how many records of its group each answer is off its target: see `accuracy.signed_rank_errors`."""
    start, end = groups.starts[:-1, None], groups.starts[1:, None]
    below, at_most = (places - start for places in _ties(groups, cells, start, end))
    wanted, sizes = np.empty(cells.shape[1:], np.int64), groups.sizes.astype(object)  # integers of any size
    for column, level in enumerate(quantiles):
        wanted[:, column] = sizes * level.numerator // level.denominator
    errors = np.maximum(below - wanted, 0) - np.maximum(wanted - at_most, 0)
    return np.asarray(errors, dtype=np.float64)
