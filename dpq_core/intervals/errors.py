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

Mirrors. Where each level has its mirror image among them, 1 - q for q, so has each shape with gaps, and one of both is
enough: of both levels the interval that fails oftener counts.

Coarse. Where ends are far, c records count as one whose rate is c times as large, and `simulated` are n / c of them:
that is the law on a column whose records lie c by c in one place, and takes fewer places to weigh. There empty range
begins at the quantile, or up to c - 1 records nearer to the end, instead of one beyond. An interval fails with a low
above, or a high below, what lies `nearer` by as many of the records that are left: (3 / 2 - 1 / c).

Shares. Where all rows of a person weigh 1 together, ranks are sums of weights: empty range may begin a unit beside a
quantile, where a record is missing on whole ones, and from a target to the nearest rank it may be half a person. So
empty range is `OF_SHARES` ranks nearer, among whole records.
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
from ..encoding import checked_bits
from ..mechanisms.base import Parameters
from ..mechanisms.exponential.distribution import Ranges
from ..mechanisms.joint.mechanism import JointParameters
from ..mechanisms.registry import MECHANISMS, SIDE_BY_SIDE
from ..noise.fast import SeededSampler
from ..plan import Plan
from .ends import FEW, ROUNDING, Ends

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
FINE, AT_ONCE = 64, 24
"""Ranks between a level and its end, at least, where records count together: with 24, AQ's get up to 1.25 as far."""
OF_SHARES = 2
"""Ranks: one that is missing among weights, and half a person at either end."""
EVERY = 3
"""In a shape with gaps every third level has one beside it: the ranks between them are full of ties."""


@lru_cache(maxsize=16)
def failing(
    parameters: Parameters, plan: Plan, ends: Sequence[Ends], domain: Domain, n: int, coarse: int = 1, nearer: float = 0
) -> Floats:
    """Return in which share of runs each interval fails, on the worst of the public shapes for it, of n records.

    `parameters` are those of all levels, `as_if_distinct`: equal records would be found sooner than distinct ones
    beside one another; of the population, only the mechanism's part is simulated. `coarse`, `nearer`: how many records
    count as one, and by how many of these ends are nearer to empty range. Repeatable. Raises ParameterError (also
    Infeasible).
    """
    parameters = (parameters.with_rates_times(Fraction(coarse)) if coarse > 1 else parameters).as_if_distinct()
    n, shares = n // coarse, np.zeros(len(ends))
    shared, times = plan.mechanism in SIDE_BY_SIDE, OF_MANY if len(ends) > FEW else 1
    for at, group in enumerate(_side_by_side(_all_shapes(plan, ends, domain, n, nearer), plan)):
        entropy = SeededSampler(SEED, times * (FAMILIES * COPIES if shared else RUNS), at)
        for column, cells in zip(group, _answers(plan, parameters, group, entropy, COPIES), strict=True):
            shares = np.maximum(shares, _failed(plan, parameters, ends, column, cells, nearer).mean(axis=0))
    images = mirrored(plan.quantiles)
    return shares if images is None else np.maximum(shares, shares[images])


def coarseness(distance: float, parameters: Parameters, of_shares: bool) -> tuple[int, float]:
    """Return how many records may count as one where the nearest ends are this far, and how much nearer they are."""
    fine = AT_ONCE if isinstance(parameters, JointParameters) else FINE
    coarse = max(int(distance) // fine, 1) if parameters.slowest_rate else 1
    return coarse, (1.5 - 1 / coarse if coarse > 1 else 0.0) + (OF_SHARES / coarse if of_shares else 0.0)


def mirrored(levels: Sequence[Fraction]) -> list[int] | None:
    """Return where the mirror image 1 - q of each level is; None where one has none."""
    places = {level: at for at, level in enumerate(levels)}
    return [places[1 - level] for level in levels] if all(1 - level in places for level in levels) else None


def _all_shapes(plan: Plan, ends: Sequence[Ends], domain: Domain, n: int, nearer: float) -> tuple[Column, ...]:
    """Return all shapes on which a plan is simulated."""
    sigma, mean_bound = plan.options.get("sigma"), plan.options.get("mean_bound")
    if isinstance(sigma, int | float) and isinstance(mean_bound, int | float):
        return bells(domain, n, float(sigma), float(mean_bound))
    both = zip(plan.quantiles, ends, strict=True)
    apart = max((abs(level - end) for level, pair in both for end in pair if end is not None), default=0)
    sides = (1, -1) if mirrored(plan.quantiles) is None else (1,)
    rounded = ties(domain, n, plan.quantiles, max(round(apart * n), 1), nearer)
    return (*shapes(domain, n, plan.quantiles, sides, nearer), *rounded)


def _side_by_side(columns: Sequence[Column], plan: Plan) -> list[Sequence[Column]]:
    """Return the shapes that are drawn from at once: all, or one after another."""
    fits = plan.mechanism in SIDE_BY_SIDE and len(columns) * columns[0].slots <= MAX_CELLS
    return [columns] if fits else [[column] for column in columns]


def _answers(
    plan: Plan, parameters: Parameters, columns: Sequence[Column], entropy: SeededSampler, copies: int
) -> Iterable[Integers]:
    """Yield answers (runs, levels) of each column; each has its own distribution in every run.

    `copies` share all ranges. Side by side, each column's cells come after those of the one before.
    """
    if plan.mechanism not in SIDE_BY_SIDE:
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


def _failed(
    plan: Plan, parameters: Parameters, ends: Sequence[Ends], read: Column, cells: Integers, nearer: float = 0
) -> Flags:
    """Return which intervals have a low above the true quantile or a high below it: (runs, levels).

    Of a population, which are farther than its own error from what it was drawn for. `nearer`: as in `failing`.
    """
    inside = Fraction(nearer) / max(read.n, 1)
    values = read.values_of(cells)
    column = {level: at for at, level in enumerate(parameters.levels)}
    failed = np.zeros((len(values), len(ends)), dtype=np.bool_)
    for side, ends_there in ((1, [low for low, _ in ends]), (-1, [high for _, high in ends])):
        drawn = [at for at, end in enumerate(ends_there) if end is not None]
        chosen = values[:, [column[end] for end in ends_there if end is not None]]
        true = [min(max(plan.quantiles[at] - side * inside, Fraction(0)), Fraction(1)) for at in drawn]
        errors = signed_rank_errors(read, true, chosen)
        failed[:, drawn] |= np.asarray(errors * side > 0, dtype=np.bool_)
    return failed


@lru_cache(maxsize=4)
def shapes(
    domain: Domain, n: int, levels: tuple[Fraction, ...], sides: tuple[int, ...] = (1, -1), nearer: float = 0
) -> tuple[Column, ...]:
    """Return n public records with gaps: each level has one beside it in one shape, above it or below it (`sides`)."""
    distinct = sorted(set(levels))
    gaps = [distinct[first::EVERY] for first in range(min(EVERY, len(distinct)))]
    return tuple(_with_gaps(domain, n, chosen, side * (1 - nearer)) for chosen in gaps for side in sides)


def _with_gaps(domain: Domain, n: int, levels: Sequence[Fraction], beside: float) -> Column:
    """Return records at a few values far apart: each level, or `beside` ranks above it, begins one. Of no level: a tie.

    Few bits tell records apart, so that many shapes fit side by side.
    """
    u, starts = (np.arange(n) + 0.5) / max(n, 1), np.array([float(level) + beside / max(n, 1) for level in levels])
    places = np.asarray(np.searchsorted(starts, u, side="right") / max(starts.size, 1), dtype=np.float64)
    bits = min(n.bit_length() + 1, checked_bits(None, domain))
    return Column.from_values(domain.at_fractions(places), domain, seed=SEED, tie_bits=bits)


@lru_cache(maxsize=4)
def bells(domain: Domain, n: int, sigma: float, mean_bound: float) -> tuple[Column, ...]:
    """Return n public records of normal columns, where the column is known to be normal."""
    low, high = max(float(domain.lower), -mean_bound), min(float(domain.upper), mean_bound)
    # to load scipy for the normal quantiles takes longer
    bell = sigma * np.array([NormalDist().inv_cdf((at + 0.5) / n) for at in range(n)], dtype=np.float64)
    columns = [low + place * (high - low) + bell for place in _BELLS]
    return tuple(Column.from_values(column, domain, seed=SEED) for column in columns)


@lru_cache(maxsize=4)
def ties(domain: Domain, n: int, levels: tuple[Fraction, ...], apart: int, nearer: float = 0) -> tuple[Column, ...]:
    """Return n public records of rounded values: as many of each as ends are far, and a part; for either side.

    Each level is the last record of a value, or the first.
    """
    starts = [Fraction(0)]
    for before, after in pairwise(sorted({Fraction(0), Fraction(1), *levels})):
        pieces = max(round(float(after - before) * n / (TIED * apart)), 1)
        starts += [before + (after - before) * piece / pieces for piece in range(1, pieces + 1)]
    inner = [level for level in starts if 0 < level < 1]
    return tuple(_with_gaps(domain, n, inner, side * (1 - nearer)) for side in (1, -1))
