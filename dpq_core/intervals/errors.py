"""How often intervals hold, and how far answers err: by simulation on public shapes within the bounds, or by a theorem.

No data is read. Two kinds of shapes are the hardest that we know.

Gaps. Records lie at a few single values as far apart as the domain allows, with a quantile just inside the last record
of one value, or the first. An answer that leaves its value finds only empty range there, which draws it as far away as
data can.

Rounded values. Each value has as many records as an end is far and a part more. Where several levels are drawn at once,
their answers leave their values together, if each has an empty range nearly as far above it, or below it: the score of
a draw hardly grows where all its answers are displaced alike, and each of them gains an empty range. They take along
the ends between them. Where values have fewer records than three quarters of what an end is far, each answer finds a
nearer range on its way, and intervals hold; and not on every column with more.

Shares. Where all rows of a person weigh 1 together, shapes are made of rows with weights, and drawn from as such rows
are: errors of whole records would be too small. Ranks are sums of weights, so a value may have just a unit less than
the quantile needs, where a record is missing on whole ones; and from a target to the nearest rank it may be half a
person. Both are so in these shapes: the values on both sides of an empty range meet a unit beside the quantile, and
each value begins with half a person, then come whole ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import ceil
from statistics import NormalDist

import numpy as np

from ..accuracy import signed_rank_errors
from ..arrays import Flags, Floats, Integers
from ..column import Column
from ..domain.domain import Domain
from ..domain.even import MAX_CELLS
from ..encoding import checked_bits, encode_records
from ..errors import ParameterError
from ..mechanisms.base import Parameters
from ..mechanisms.exponential.distribution import Ranges
from ..mechanisms.registry import MECHANISMS, SIDE_BY_SIDE
from ..noise.fast import SeededSampler
from ..noise.tie_breaking import tie_breaking
from ..people.shares import WeightedCells
from ..plan import Plan
from .distances import FEW
from .ends import ROUNDING, Ends

FEWEST_RECORDS, TIMES_THE_ERROR = 4000, 16
"""Of a shape, where there are more: rank errors hardly change with their number once that is far above the errors."""
APART, MOST_RECORDS = 4, 1 << 18
"""Times the error, between two levels: where neither has ends that the other needs, none has them in a shape."""
FAMILIES, COPIES, RUNS, OF_MANY = 3, 8, 24, 3
"""Of a check on each shape: how often ranges are weighed, the runs that draw in each of them, and runs one by one; and
times as many of more than `FEW` levels, of which one may fail oftener than the others."""
SEED = 0
_BELLS = (0.25, 0.5, 0.75)
TIED = 1.45
"""How many records of rounded values are equal, in distances of the ends."""
EVERY = 3
"""In a shape with gaps every third level has one beside it: the ranks between them are full of ties."""


def failing(parameters: Parameters, plan: Plan, ends: Sequence[Ends], domain: Domain, n: int, unit: int = 1) -> Floats:
    """Return in which share of runs each interval fails, on the worst of the public shapes for it, of n records.

    With a `unit` above 1 shapes are of n persons, whose rows weigh that many units together. `parameters` are those of
    all levels, `as_if_distinct`: equal records would be found sooner than distinct ones beside one another; of the
    population, only the mechanism's part is simulated. Repeatable. Raises ParameterError (also Infeasible).
    """
    parameters, shares = parameters.as_if_distinct(), np.zeros(len(ends))
    shared, times = plan.mechanism in SIDE_BY_SIDE and unit == 1, OF_MANY if len(ends) > FEW else 1
    for at, group in enumerate(_side_by_side(_all_shapes(plan, ends, domain, n, unit), plan, unit)):
        entropy = SeededSampler(SEED, times * (FAMILIES * COPIES if shared else RUNS), at)
        for column, cells in zip(group, _answers(plan, parameters, group, entropy, COPIES), strict=True):
            shares = np.maximum(shares, _failed(plan, parameters, ends, column, cells).mean(axis=0))
    return shares


def _all_shapes(plan: Plan, ends: Sequence[Ends], domain: Domain, n: int, unit: int) -> tuple[Column, ...]:
    """Return all shapes on which a plan is simulated."""
    if unit > 1:
        return shapes_of_shares(domain, n, plan.quantiles, unit)
    sigma, mean_bound = plan.options.get("sigma"), plan.options.get("mean_bound")
    if isinstance(sigma, int | float) and isinstance(mean_bound, int | float):
        return bells(domain, n, float(sigma), float(mean_bound))
    both = zip(plan.quantiles, ends, strict=True)
    apart = max((abs(level - end) for level, pair in both for end in pair if end is not None), default=0)
    return (*shapes(domain, n, plan.quantiles), *ties(domain, n, plan.quantiles, max(round(apart * n), 1)))


def _side_by_side(columns: Sequence[Column], plan: Plan, unit: int) -> list[Sequence[Column]]:
    """Return the shapes that are drawn from at once: all, or one after another."""
    fits = plan.mechanism in SIDE_BY_SIDE and unit == 1 and len(columns) * columns[0].slots <= MAX_CELLS
    return [columns] if fits else [[column] for column in columns]


def _answers(
    plan: Plan, parameters: Parameters, columns: Sequence[Column], entropy: SeededSampler, copies: int
) -> Iterable[Integers]:
    """Yield answers (runs, levels) of each column; each has its own distribution in every run.

    `copies` share all ranges. Side by side, each column's cells come after those of the one before.
    """
    if plan.mechanism not in SIDE_BY_SIDE or columns[0].unit > 1:
        return [MECHANISMS[plan.mechanism].run(column, parameters, entropy) for column in columns]
    first, families = np.arange(len(columns)) * columns[0].slots, entropy.trials // copies
    records = np.concatenate([column.cells + before for column, before in zip(columns, first.tolist(), strict=True)])
    ends = np.cumsum([0, *(column.n for column in columns)])
    ranges = (ends[:-1], ends[1:], first, first + columns[0].slots - 1)
    runs = Ranges(*(np.repeat(each, families) for each in ranges))
    cells = SIDE_BY_SIDE[plan.mechanism](records, runs, parameters, entropy, copies)
    cells = cells.reshape(copies, len(columns), families, -1) - first[:, None, None]
    return [cells[:, at].reshape(entropy.trials, -1) for at in range(len(columns))]


def records_to_simulate(n: int, error: float, levels: Sequence[Fraction] = (), *, decides: bool = False) -> int:
    """Return how many records of n a shape needs where answers err by `error` ranks.

    Ends that are levels must not meet those of neighbours among fewer. A known n `decides` what is drawn at once.
    """
    known = sorted({Fraction(0), Fraction(1), *levels})
    apart = min(after - before for before, after in pairwise(known))
    enough = max(MOST_RECORDS if decides else FEWEST_RECORDS, ceil(TIMES_THE_ERROR * error))
    return min(n, max(enough, min(MOST_RECORDS, ceil(APART * (error + ROUNDING) / apart))))


def _failed(plan: Plan, parameters: Parameters, ends: Sequence[Ends], read: Column, cells: Integers) -> Flags:
    """Return which intervals have a low above the true quantile or a high below it: (runs, levels).

    Of a population, which are farther than its own error from what it was drawn for.
    """
    values = read.values_of(cells)
    column = {level: at for at, level in enumerate(parameters.levels)}
    failed = np.zeros((len(values), len(ends)), dtype=np.bool_)
    for side, ends_there in ((1, [low for low, _ in ends]), (-1, [high for _, high in ends])):
        drawn = [at for at, end in enumerate(ends_there) if end is not None]
        chosen = values[:, [column[end] for end in ends_there if end is not None]]
        errors = signed_rank_errors(read, [plan.quantiles[at] for at in drawn], chosen)
        failed[:, drawn] |= np.asarray(errors * side > 0, dtype=np.bool_)
    return failed


def proved_error(plan: Plan, parameters: Parameters, cells: int, beta: float) -> float:
    """Return a theorem's bound on all rank errors of a run, which fails with chance beta. Raises ParameterError."""
    bound = parameters.bound(plan, cells, beta)
    if bound is None or not bound.proved:
        raise ParameterError("intervals", "must be approximate for this mechanism: no theorem bounds its error.")
    return bound.error


@lru_cache(maxsize=4)
def shapes(domain: Domain, n: int, levels: tuple[Fraction, ...]) -> tuple[Column, ...]:
    """Return n public records with gaps: each level has one beside it in one shape, above it and below it in turn."""
    u = (np.arange(n) + 0.5) / max(n, 1)
    columns = [domain.at_fractions(_with_gaps(u, chosen, side / max(n, 1))) for chosen, side in _gaps(levels)]
    return tuple(Column.from_values(column, domain, seed=SEED) for column in columns)


@lru_cache(maxsize=4)
def bells(domain: Domain, n: int, sigma: float, mean_bound: float) -> tuple[Column, ...]:
    """Return n public records of normal columns, where the column is known to be normal."""
    u = (np.arange(n) + 0.5) / max(n, 1)
    low, high = max(float(domain.lower), -mean_bound), min(float(domain.upper), mean_bound)
    columns = [low + place * (high - low) + sigma * _normal_quantiles(u) for place in _BELLS]
    return tuple(Column.from_values(column, domain, seed=SEED) for column in columns)


@lru_cache(maxsize=4)
def ties(domain: Domain, n: int, levels: tuple[Fraction, ...], apart: int) -> tuple[Column, ...]:
    """Return n public records of rounded values: as many of each as ends are far, and a part; for either side.

    Each level is the last record of a value, or the first.
    """
    u, starts = (np.arange(n) + 0.5) / max(n, 1), [Fraction(0)]
    known = sorted({Fraction(0), Fraction(1), *levels})
    for before, after in pairwise(known):
        pieces = max(round(float(after - before) * n / (TIED * apart)), 1)
        starts += [before + (after - before) * piece / pieces for piece in range(1, pieces + 1)]
    inner = [level for level in starts if 0 < level < 1]
    columns = [domain.at_fractions(_with_gaps(u, inner, side / max(n, 1))) for side in (1, -1)]
    return tuple(Column.from_values(column, domain, seed=SEED) for column in columns)


@lru_cache(maxsize=4)
def shapes_of_shares(domain: Domain, n: int, levels: tuple[Fraction, ...], unit: int) -> tuple[Column, ...]:
    """Return the same shapes of n public persons, whose rows weigh `unit` units together: see the module's claim."""
    found = []
    for chosen, side in _gaps(levels):
        starts = [min(max(level.numerator * n * unit // level.denominator + side, 0), n * unit) for level in chosen]
        rows, weights = _rows_of_shares(n, unit, starts)
        found.append((np.searchsorted(starts, rows, side="right") / len(starts), weights))
    return tuple(_of_shares(domain, place, weights, unit) for place, weights in found)


def _rows_of_shares(n: int, unit: int, starts: Sequence[int]) -> tuple[Floats, Integers]:
    """Return rows in units: the middle of each in the sum of all weights, and its weight.

    From 0 and from each of `starts` on a row has half a person, and those after it a whole one, up to the next start.
    """
    known = sorted({0, *starts, n * unit})
    cuts = [cut for first, end in pairwise(known) for cut in (first, *range(first + unit // 2, end, unit))]
    edges = np.array([*cuts, n * unit], np.int64)
    return (edges[:-1] + edges[1:]) / 2, np.diff(edges)


def _of_shares(domain: Domain, places: Floats, weights: Integers, unit: int) -> Column:
    """Return the rows at these fractions of the way through a domain, with their weights."""
    bits = checked_bits(None, domain)
    cells = encode_records(domain.at_fractions(places), domain, None, bits, tie_breaking(places.size, bits, SEED, 0))
    order = np.argsort(cells, kind="stable")
    records = WeightedCells.of(cells[order], weights[order], unit)
    return Column(records, domain, bits, SEED, 0, "person", per_person="weight")


def _gaps(levels: Sequence[Fraction]) -> list[tuple[list[Fraction], int]]:
    """Return the levels that have a gap beside them in one shape, and on which side; for each such shape."""
    distinct = sorted(set(levels))
    return [(distinct[start::EVERY], side) for start in range(min(EVERY, len(distinct))) for side in (1, -1)]


def _with_gaps(u: Floats, levels: Sequence[Fraction], beside: float) -> Floats:
    """Return records at a few values far apart; each level is the last record of one, or the first."""
    starts = np.array([float(level) + beside for level in levels])
    return np.asarray(np.searchsorted(starts, u, side="right") / starts.size, dtype=np.float64)


def _normal_quantiles(u: Floats) -> Floats:
    """Return the quantiles of the standard normal distribution; to load scipy for them takes longer."""
    return np.array([NormalDist().inv_cdf(each) for each in u.tolist()], dtype=np.float64)
