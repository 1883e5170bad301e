"""Data sets that cost most: all small neighbours, and a climb among values near both ends of a large grid."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from dpq_core import Adjacency

ROUNDING = 1e-9
HUGE = 10**13
END = HUGE - 1


def neighbours(records: tuple[int, ...], cells: int, adjacency: Adjacency) -> list[tuple[int, ...]]:
    """What a data set on a small grid becomes by one change; a pair is listed once, in one direction."""
    if adjacency is Adjacency.ADD_REMOVE:
        return [(*records, x) for x in range(cells)]
    return [(*records[:i], x, *records[i + 1 :]) for i in range(len(records)) for x in range(records[i] + 1, cells)]


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
