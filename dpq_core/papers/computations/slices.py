"""[SLICE] Imola, Boninsegna, Keller, Aamand, Roy Chowdhury, Pagh, "Differentially Private Quantiles with Smaller
Error", 2025: Figure 1 and Table 1, recomputed.

Adult ages and hours, every record ten times with tiny noise of its own; levels are a random subset of i / 251. The
paper sets records apart by their sorted position, which depends on the data; noise of their own does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

import numpy as np

from ...audit import printed
from ...calibrations import calibrate, singly
from ...errors import ParameterError
from ...mechanisms.base import Make
from ...mechanisms.slices.layout import public_layout
from ...mechanisms.slices.setup import SliceParameters
from ...plan import Plan
from ...privacy.budgets import ZCDP, Adjacency, ApproxDP, Privacy, PureDP
from ...studies.configuration import seed_of
from ...studies.design import even_levels
from ..data import COPIES, SEED, random_levels, slice_sample
from ..figures import Point
from ..tasks import Task, draws, published_aq, with_error

COUNTS = tuple(range(10, 201, 10))
FEW_COUNTS = (10, 100, 200)
DELTA = 1e-16
CONCENTRATED = ZCDP(0.007)  # what the paper compares with at (1, 1e-16)
PANELS = {
    ("adult-age", Adjacency.REPLACE_ONE): "Ages, one person is replaced",
    ("adult-hours", Adjacency.REPLACE_ONE): "Hours, one person is replaced",
    ("adult-age", Adjacency.ADD_REMOVE): "Ages, one person joins or leaves",
    ("adult-hours", Adjacency.ADD_REMOVE): "Hours, one person joins or leaves",
}
GRID_BITS = (16, 32, 48)
GRID_M = 100
TOTAL = 5.0  # 2 eps1 + 3 eps2 with eps1 = eps2 = 1, as in the paper's example
MOST_RECORDS = 10**12

Variant = tuple[str, str, Privacy, Make]  # curve, mechanism, budget, and what makes the parameters


def variants(adjacency: Adjacency) -> list[Variant]:
    """Return the curves of Figure 1, each sound for the adjacency at its budget."""
    sliced = ApproxDP(1.0, DELTA)
    found: list[Variant] = [("slice", "slice", sliced, calibrate), ("aq", "aq", PureDP(1.0), singly)]
    make: Make = published_aq
    if adjacency is Adjacency.REPLACE_ONE:  # 2 L - 1 instead of the code's L, which is not private here
        found.append(("slice-printed", "slice", sliced, printed.slices))
        make = printed.aq
    return [*found, ("aq-published", "aq", PureDP(1.0), make), ("aq-concentrated", "aq", CONCENTRATED, make)]


def error_tasks(quick: bool) -> Iterator[Task]:
    """Yield Figure 1: the worst rank error, averaged over runs, against m."""
    for (data, adjacency), panel in PANELS.items():
        for m in FEW_COUNTS if quick else COUNTS:
            for variant in variants(adjacency):
                run = partial(_largest_error, panel, data, adjacency, m, variant, quick)
                yield Task(panel, variant[0], m, run, cost=100 + m)


def _largest_error(
    panel: str, data: str, adjacency: Adjacency, m: int, variant: Variant, quick: bool
) -> Iterable[Point]:
    """Yield the mean with its error over choices of levels; nothing where some choice leaves no room for slices."""
    curve, mechanism, privacy, make = variant
    column, (choices, each) = slice_sample(data, COPIES), (4, 5) if quick else (10, 20)
    means = []
    for number in range(choices):
        plan = Plan(random_levels(m, number), mechanism, privacy, adjacency)
        try:
            errors = draws(column, plan, each, seed_of(SEED, panel, curve, m, number), make)
        except ParameterError:  # slices without room
            return
        means.append(errors.max(axis=1).mean())
    yield with_error(panel, curve, m, np.array(means), choices * each)


def room_tasks(quick: bool) -> Iterator[Task]:
    """Yield Table 1: the least number of records for 100 even quantiles, against the size of the grid."""
    for bits in GRID_BITS:
        for curve, privacy in (("pure", PureDP(TOTAL)), ("approximate", ApproxDP(TOTAL, DELTA))):
            yield Task("Records needed", curve, bits, partial(_least_records, curve, bits, privacy))


def _least_records(curve: str, bits: int, privacy: Privacy) -> Iterable[Point]:
    """Search by bisection: room for slices only grows with the number of records, up to rounding of ranks."""
    plan = Plan(even_levels(GRID_M), "slice", privacy, Adjacency.REPLACE_ONE)
    low, high = 0, MOST_RECORDS
    while high - low > max(1, high // 1000):
        middle = (low + high) // 2
        low, high = (low, middle) if _has_room(plan, middle, 1 << bits) else (middle, high)
    yield Point("Records needed", curve, bits, float(high))


def _has_room(plan: Plan, count: int, cells: int) -> bool:
    try:
        parameters = calibrate(plan, count)
        assert isinstance(parameters, SliceParameters), "the plan is one of slices"
        public_layout(parameters.rules, count, cells)
    except ParameterError:
        return False
    return True
