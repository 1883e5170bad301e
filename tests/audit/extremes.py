"""Data sets that cost most: all small neighbours, and a climb among values near both ends of a large grid."""

from collections.abc import Callable, Iterable
from functools import cache
from itertools import combinations_with_replacement
from random import Random

import numpy as np
from numpy.typing import ArrayLike

from dpq_core import Adjacency, Plan
from dpq_core.arrays import Floats, Integers
from dpq_core.audit.losses import all_outputs, loss_between
from dpq_core.mechanisms.base import Loss
from tests.harness import ROUNDING, Parameters, parameters, stated

Records = tuple[int, ...]

HUGE = 10**13
END = HUGE - 1


def neighbours(records: Records, cells: int, adjacency: Adjacency) -> list[Records]:
    """What a data set on a small grid becomes by one change, sorted; a pair is listed once, in one direction."""
    if adjacency is Adjacency.ADD_REMOVE:
        changed = [(*records, x) for x in range(cells)]
    else:
        places = range(len(records))
        changed = [(*records[:i], x, *records[i + 1 :]) for i in places for x in range(records[i] + 1, cells)]
    return sorted({tuple(sorted(other)) for other in changed})


def pairs(cells: int, counts: Iterable[int], adjacency: Adjacency) -> list[tuple[Records, Records]]:
    """Every data set of so many records on a small grid, beside each of its neighbours."""
    return [
        (records, other)
        for count in counts
        for records in combinations_with_replacement(range(cells), count)
        for other in neighbours(records, cells, adjacency)
    ]


def small_losses(plan: Plan, cells: int, counts: Iterable[int]) -> list[Loss]:
    """The losses of a plan for every pair of neighbours on a small grid, over all outputs."""
    calibrated = cache(lambda count: parameters(plan, count))

    @cache
    def law(records: Records) -> Floats:
        by = calibrated(len(records))
        return stated(plan, all_outputs(cells, len(by.levels)), np.array(records, np.int64), by, cells)

    counts = tuple(counts)
    claimed = calibrated(max(counts)).guarantee.epsilon
    return all_losses(law, claimed, cells, counts, plan.adjacency)


def all_losses(
    law: Callable[[Records], Floats], epsilon: float, cells: int, counts: Iterable[int], adjacency: Adjacency
) -> list[Loss]:
    """The loss of every pair of neighbours against a claimed epsilon. `law` is asked for each: let it remember."""
    return [loss_between(law(one), law(other), epsilon) for one, other in pairs(cells, counts, adjacency)]


def outputs_beside_records(data_a: ArrayLike, data_b: ArrayLike, cells: int, levels: int) -> Integers:
    """Return the non-decreasing outputs (grid indices) beside the records of two data sets, where losses peak."""
    records = np.concatenate([np.asarray(data_a), np.asarray(data_b)]).astype(np.int64)
    places = np.concatenate([records - 1, records, records + 1, [0, cells - 1]])
    places = np.unique(np.clip(places, 0, cells - 1))
    return places[all_outputs(places.size, levels)]


def share_of_claim(plan: Plan, parameters: Parameters, data: ArrayLike, other: ArrayLike) -> float:
    """Return the loss between two data sets as a share of the claimed epsilon, from the outputs where losses peak."""
    first, second = (np.sort(np.asarray(each, np.int64)) for each in (data, other))
    outputs = outputs_beside_records(first, second, HUGE, len(parameters.levels))
    a, b = (stated(plan, outputs, cells, parameters, HUGE) for cells in (first, second))
    claimed: float = parameters.guarantee.epsilon
    return loss_between(a, b, claimed).epsilon / claimed


def climb(share_of: Callable[[list[int], list[int]], float], adjacency: Adjacency, starts: int, steps: int) -> float:
    """The largest share of a claim that hill-climbing over neighbours finds; never above 1. Fixed seed."""
    random = Random(5)
    places = sorted({0, 1, HUGE // 2} | {10**k for k in range(1, 13)} | {END - 10**k for k in range(13)})
    best = 0.0
    for _ in range(starts):
        data, other = [random.choice(places) for _ in range(3)], random.choice(places)
        for _ in range(steps):
            trial = [random.choice(places) if random.random() < 0.4 else value for value in data]
            moved = random.choice(places) if random.random() < 0.3 else other
            changed = [*trial, moved] if adjacency is Adjacency.ADD_REMOVE else [moved, *trial[1:]]
            share = share_of(trial, changed)
            assert share <= 1 + ROUNDING
            if share >= best:
                best, data, other = share, trial, moved
    return best
