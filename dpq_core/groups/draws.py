"""Draw the answers of all groups: side by side where the mechanism can, else one group after the other.

Each group's answers have the same distribution as if the group were alone: the same code reads ranges of records, each
within one group.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import TypeAlias

import numpy as np

from ..accuracy import signed_rank_errors
from ..arrays import Floats, Integers
from ..combinations import Features, refuse_combination
from ..intervals.drawn import draw_values, read_off
from ..mechanisms.exponential.distribution import Partitions
from ..mechanisms.registry import SIDE_BY_SIDE
from ..noise.entropy import Entropy
from ..noise.exact import ExactEntropy
from .calibration import CalibratedGroups
from .finding import NamingRule
from .names import GroupName
from .table import Groups

NamesFound: TypeAlias = frozenset[GroupName]
"""The names that a release has found, which it may tell."""


def find_names(groups: Groups, naming: NamingRule) -> NamesFound:
    """Return the names of the groups that are found, drawn from the operating system's entropy where each part is."""
    return frozenset(name for part in groups.each_part(partial(names_of_part, naming=naming)) for name in part)


def names_of_part(groups: Groups, at: int, *, naming: NamingRule) -> list[GroupName]:
    """Return the names of the groups of a part that are found."""
    (named,) = naming.named(groups.people_in, 1, ExactEntropy())
    return [groups.names[place] for place in np.flatnonzero(named).tolist()]


def refuse_names_elsewhere(groups: Groups) -> None:
    """Raise ParameterError for groups to be found on a cluster: a simulation would take out all their names."""
    found, here = groups.finding is not None, groups.is_in_memory
    refuse_combination(Features(groups_found=found, on_cluster=not here, simulated=True))


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
        cells = SIDE_BY_SIDE[plan.mechanism](groups.records, ranges, calibrated.shared, entropy, 1)
        values = groups.values_of(cells.reshape(trials, which.size, cells.shape[2]))
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
