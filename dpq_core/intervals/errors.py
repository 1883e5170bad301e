"""How often intervals hold, and how far answers err: by simulation on public shapes within the bounds, or by a theorem.

No data is read. The shapes are made without randomness, from their quantile functions.

Shares. Where all rows of a person weigh 1 together, shapes are made of rows with weights, and drawn from as such rows
are: errors of whole records would be too small. Ranks are sums of weights, so a value may have just a unit less than
the quantile needs, where a record is missing on whole ones; and from a target to the nearest rank it may be half a
person. Both are so in these shapes: the values on both sides of an empty range meet a unit beside the quantile, and
each value begins with half a person, then come whole ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import ceil, sqrt
from statistics import NormalDist

import numpy as np

from ..accuracy import signed_rank_errors
from ..arrays import Flags, Floats, Integers
from ..domain.domain import Domain
from ..domain.even import MAX_CELLS
from ..errors import ParameterError
from ..mechanisms.base import Parameters
from ..mechanisms.exponential.distribution import Partitions
from ..mechanisms.registry import MECHANISMS, SIDE_BY_SIDE
from ..noise.fast import FastEntropy
from ..noise.jitter import jitter
from ..people.shares import WeightedCells
from ..plan import Plan
from ..sample import Sample, checked_bits, encode_records
from .distances import Verdict
from .ends import ROUNDING, Ends

FEWEST_RECORDS, TIMES_THE_ERROR = 4000, 16
"""Of a shape, where there are more: rank errors hardly change with their number once that is far above the errors."""
APART, MOST_RECORDS = 4, 1 << 18
"""Times the error, between two levels: where neither has ends that the other needs, none has them in a shape."""
BEYOND = 4
"""Of an interval that fails as often as it may, about twice as many runs fail."""
FEWEST_RUNS, MOST_RUNS = 64, 2048
AT_ONCE, MOST_STAGES = 10, 14
"""Families of runs on the hardest shapes after which a check may end because it cannot pass; and stages of a look."""
COPIES, COPIES_IN_LOOKS = 8, 16
"""Runs that draw in each range of a family: the last to part. More of them in rough looks, which certify nothing."""
FEWEST_ROUGH, ROUGH = 64, 1.5
"""Runs of a rough look: at least, and how many then fail of an interval that fails as often as it may."""
LESS = 1.5
"""Standard errors below the limit at which a shape passes before the end.

The first part of a check are as many runs as it takes where none fails. A check that can no longer pass ends at once.
"""
AT_LAST = 0.5
"""Standard errors that all runs must stay below the limit: of several distances the shortest that passes is taken,
which would be one that passed by chance.
"""
SECONDS = 0.05
"""How long the runs on one shape may take, by the stated costs; fewer runs are made of what is expensive."""
SEED = 0
_BELLS = (0.25, 0.5, 0.75)

TIED = 1.45
"""How many records of rounded values are equal, in distances of the ends."""
EVERY = 3
"""In a shape with gaps every third level has one beside it: the ranks between them are full of ties."""
KIND = 4
"""The last shapes are without such gaps: intervals hold there more often."""
SHAPES = 2 * EVERY + 2 + KIND
"""The most that there are."""


def verdict(
    parameters: Parameters,
    plan: Plan,
    ends: Sequence[Ends],
    domain: Domain,
    n: int,
    tail: float,
    number: int = 0,
    unit: int = 1,
    *,
    rough: bool = False,
    before: Sequence[int] = (),
) -> Verdict:
    """Return how often intervals fail on public shapes of n records, and which fail no more often than twice `tail`.

    With a `unit` above 1 shapes are of n persons, whose rows weigh that many units together. `number` tells the runs of
    one look from those of another. A `rough` look leaves out what is never the hardest, or the mirror image of another
    shape, and certifies nothing. A check draws from the shapes with the numbers `before` first: where an earlier one
    failed, so that it soon ends if that is so again.

    The hardest shapes have empty range on one side of a quantile, so that one end fails alone. Where a few records lie
    between empty ranges both may, each half as often: the nearer range takes the answers that would have failed.
    `parameters` are those of all levels, `as_if_distinct`: equal records would be found sooner than distinct ones
    beside one another; of the population, only the mechanism's part is simulated. Repeatable. Raises ParameterError
    (also Infeasible).
    """
    parameters = parameters.as_if_distinct()
    samples, kind = _all_shapes(plan, ends, domain, n, unit)
    together = plan.mechanism in SIDE_BY_SIDE and unit == 1
    copies = (COPIES_IN_LOOKS if rough else COPIES) if together else 1
    runs = _runs(plan, tail, len(parameters.levels))
    numbers = [*range(len(samples))]
    if rough:
        numbers = [*range(0, kind, 2 if kind and is_symmetric(plan.quantiles) else 1)] or numbers
        parts = [max(ceil(min(max(ROUGH / (2 * tail), FEWEST_ROUGH), runs) / copies), 2)]
    else:
        first = ceil(LESS**2 / (2 * tail) / copies)
        parts = [first + 1, max(ceil(runs / copies) - first - 1, first + 1)]
    tally = Tally.of(2 * tail, copies, len(samples), len(ends))
    holds = np.ones((len(samples), len(ends)), np.bool_)
    holds[numbers] = False
    for stage, (part, chosen, families) in enumerate(_stages(parts, kind, numbers, before)):
        left = [shape for shape in chosen if not holds[shape].all()]
        for group in _side_by_side(left, samples, copies):
            entropy = FastEntropy(SEED, families * copies, (MOST_STAGES * number + stage) * SHAPES + group[0])
            found = _answers(plan, parameters, [samples[shape] for shape in group], entropy, copies)
            for shape, cells in zip(group, found, strict=True):
                tally.add(shape, _failed(plan, parameters, ends, samples[shape], cells))
        may_pass = tally.may_pass(sum(parts) * copies)
        if not rough and not may_pass.all():
            return tally.verdict(may_pass)
        whole = [shape for shape in left if tally.runs[shape] == copies * sum(parts[: part + 1])]
        holds[whole] = tally.below(AT_LAST if part == len(parts) - 1 else LESS)[whole]
    return tally.verdict(holds)


def _stages(
    parts: Sequence[int], kind: int, numbers: Sequence[int], before: Sequence[int]
) -> Iterator[tuple[int, list[int], int]]:
    """Yield the part of each stage, its shapes, and how many families of runs are drawn from each of them.

    Those `before` come first, then the hardest, a few families at a time: where these decide, the others are not drawn.
    """
    yield from ((part, [*before], families) for part, families in enumerate(parts) if before)
    hardest = [shape for shape in numbers if shape < kind and shape not in before]
    others = [shape for shape in numbers if shape >= kind and shape not in before]
    for part, families in enumerate(parts):
        pieces = min(max(families // AT_ONCE, 1), MOST_STAGES // len(parts) - 2)
        for piece in range(pieces):
            yield part, hardest, families * (piece + 1) // pieces - families * piece // pieces
        yield part, others, families


def _all_shapes(plan: Plan, ends: Sequence[Ends], domain: Domain, n: int, unit: int) -> tuple[tuple[Sample, ...], int]:
    """Return all shapes, and the number from which on intervals hold more often on them."""
    if unit > 1:
        samples = shapes_of_shares(domain, n, plan.quantiles, unit)
        return samples, len(samples) - KIND
    sigma, mean_bound = plan.options.get("sigma"), plan.options.get("mean_bound")
    known = isinstance(sigma, int | float) and isinstance(mean_bound, int | float)
    normal = (float(sigma or 0), float(mean_bound or 0)) if known else (None, None)
    samples = shapes(domain, n, plan.quantiles, *normal)
    if normal[0] is not None:
        return samples, 0
    both = zip(plan.quantiles, ends, strict=True)
    apart = max((abs(level - end) for level, pair in both for end in pair if end is not None), default=0)
    tied = ties(domain, n, plan.quantiles, max(round(apart * n), 1))
    return (*samples[:-KIND], *tied, *samples[-KIND:]), len(samples) + len(tied) - KIND


def is_symmetric(levels: Sequence[Fraction]) -> bool:
    """Return whether each level has another one as far on the other side of the middle, or is the middle."""
    return {1 - level for level in levels} == set(levels)


@dataclass
class Tally:
    """Failures of intervals on shapes: the number of runs (shapes,), and how many of them fail (shapes, intervals)."""

    limit: float
    copies: int
    runs: Integers
    failed: Floats
    squared: Floats
    """The sums of squared failures in families of runs, of which copies draw in the same ranges."""

    @classmethod
    def of(cls, limit: float, copies: int, shapes: int, intervals: int) -> Tally:
        """Return a tally of nothing yet."""
        return cls(limit, copies, np.zeros(shapes, np.int64), *np.zeros((2, shapes, intervals)))

    def add(self, shape: int, failed: Flags) -> None:
        """Count the runs (copies x families, intervals) of one more part."""
        families = failed.reshape(self.copies, -1, failed.shape[1]).sum(axis=0)
        self.runs[shape] += len(failed)
        self.failed[shape] += families.sum(axis=0)
        self.squared[shape] += (families**2).sum(axis=0)

    @property
    def shares(self) -> Floats:
        """Return the share of runs that failed; 0 where none was made."""
        return np.asarray(self.failed / np.maximum(self.runs, 1)[:, None], dtype=np.float64)

    def verdict(self, holds: Flags) -> Verdict:
        """Return what was seen on all shapes; `holds` (shapes, intervals)."""
        seen, failing = self.runs[self.runs > 0], np.flatnonzero(~holds.all(axis=1))
        shares, everywhere = self.shares.max(axis=0, initial=0), np.asarray(holds.all(axis=0), np.bool_)
        return Verdict(shares, int(seen.min()), everywhere, tuple(failing.tolist()))

    def may_pass(self, runs: int) -> Flags:
        """Return which have not yet more failures than `below` allows after all these runs, AT_LAST."""
        expected = self.limit * runs
        return np.asarray(self.failed <= expected - AT_LAST * sqrt(expected), dtype=np.bool_)

    def below(self, errors: float) -> Flags:
        """Return where the failures are fewer than the limit by this number of standard errors.

        They are those of runs that fail as often as they may, times what families of runs have in common: their
        failures vary more than those of runs by themselves.
        """
        families, mean = np.maximum(self.runs[:, None], 1) / self.copies, self.shares * self.copies
        alone = np.maximum(mean * (1 - mean / self.copies), 1e-9)
        variance = (self.squared / families - mean**2) * families / np.maximum(families - 1, 1)
        expected = self.limit * self.runs[:, None]
        return np.asarray(
            self.failed <= expected - errors * np.sqrt(expected * np.maximum(variance / alone, 1.0)), dtype=np.bool_
        )


def _side_by_side(left: Sequence[int], samples: Sequence[Sample], copies: int) -> list[list[int]]:
    """Return the shapes that are drawn from at once: all, or one after another."""
    if not left:
        return []
    fits = copies > 1 and len(samples) * samples[0].fine_cells <= MAX_CELLS
    return [[*left]] if fits else [[shape] for shape in left]


def _answers(
    plan: Plan, parameters: Parameters, samples: Sequence[Sample], entropy: FastEntropy, copies: int
) -> Iterable[Integers]:
    """Yield answers (runs, levels) of each sample; each has its own distribution in every run.

    `copies` share all ranges. Side by side, each sample's cells come after those of the one before.
    """
    if plan.mechanism not in SIDE_BY_SIDE or samples[0].unit > 1:
        return [MECHANISMS[plan.mechanism].run(sample, parameters, entropy) for sample in samples]
    first, families = np.arange(len(samples)) * samples[0].fine_cells, entropy.trials // copies
    records = np.concatenate([sample.cells + before for sample, before in zip(samples, first.tolist(), strict=True)])
    ends = np.cumsum([0, *(sample.n for sample in samples)])
    ranges = (ends[:-1], ends[1:], first, first + samples[0].fine_cells - 1)
    runs = Partitions(*(np.repeat(each, families) for each in ranges))
    cells = SIDE_BY_SIDE[plan.mechanism](records, runs, parameters, entropy, copies)
    cells = cells.reshape(copies, len(samples), families, -1) - first[:, None, None]
    return [cells[:, at].reshape(entropy.trials, -1) for at in range(len(samples))]


def records_to_simulate(n: int, error: float, levels: Sequence[Fraction] = ()) -> int:
    """Return how many records of n a shape needs where answers err by `error` ranks.

    Ends that are levels themselves must not meet those of their neighbours among fewer records either.
    """
    known = sorted({Fraction(0), Fraction(1), *levels})
    apart = min(after - before for before, after in pairwise(known))
    enough = max(FEWEST_RECORDS, ceil(TIMES_THE_ERROR * error))
    return min(n, max(enough, min(MOST_RECORDS, ceil(APART * (error + ROUNDING) / apart))))


def _runs(plan: Plan, tail: float, levels: int) -> int:
    cost = MECHANISMS[plan.mechanism].PROFILE.cost
    in_time = SECONDS / (cost.trial + cost.trial_and_level * levels)
    return max(FEWEST_RUNS, int(min(MOST_RUNS, ceil(BEYOND / tail), in_time)))


def _failed(plan: Plan, parameters: Parameters, ends: Sequence[Ends], sample: Sample, cells: Integers) -> Flags:
    """Return which intervals have a low above the true quantile or a high below it: (runs, levels).

    Of a population, which are farther than its own error from what it was drawn for.
    """
    values = sample.values_of(cells)
    column = {level: at for at, level in enumerate(parameters.levels)}
    failed = np.zeros((len(values), len(ends)), dtype=np.bool_)
    for side, ends_there in ((1, [low for low, _ in ends]), (-1, [high for _, high in ends])):
        drawn = [at for at, end in enumerate(ends_there) if end is not None]
        chosen = values[:, [column[end] for end in ends_there if end is not None]]
        errors = signed_rank_errors(sample, [plan.quantiles[at] for at in drawn], chosen)
        failed[:, drawn] |= np.asarray(errors * side > 0, dtype=np.bool_)
    return failed


def proved_error(plan: Plan, parameters: Parameters, cells: int, beta: float) -> float:
    """Return a theorem's bound on all rank errors of a run, which fails with chance beta. Raises ParameterError."""
    bound = parameters.bound(plan, cells, beta)
    if bound is None or not bound.proved:
        raise ParameterError("intervals", "must be approximate for this mechanism: no theorem bounds its error.")
    return bound.error


@lru_cache(maxsize=4)
def shapes(
    domain: Domain, n: int, levels: tuple[Fraction, ...], sigma: float | None = None, mean_bound: float | None = None
) -> tuple[Sample, ...]:
    """Return n public records of each shape; of normal ones only, where the column is known to be normal."""
    u = (np.arange(n) + 0.5) / max(n, 1)
    if sigma is None or mean_bound is None:
        places = [
            *(_with_gaps(u, chosen, side / max(n, 1)) for chosen, side in _gaps(levels)),
            u * 0,
            u * 0 + 1,
            _heavy_tail(u),
            u,
        ]
        columns = [domain.at_fractions(place) for place in places]
    else:
        low, high = max(float(domain.lower), -mean_bound), min(float(domain.upper), mean_bound)
        columns = [low + place * (high - low) + sigma * _normal_quantiles(u) for place in _BELLS]
    return tuple(Sample.from_values(column, domain, seed=SEED) for column in columns)


@lru_cache(maxsize=4)
def shapes_of_shares(domain: Domain, n: int, levels: tuple[Fraction, ...], unit: int) -> tuple[Sample, ...]:
    """Return the same shapes of n public persons, whose rows weigh `unit` units together: see the module's claim."""
    found = []
    for chosen, side in _gaps(levels):
        starts = [min(max(level.numerator * n * unit // level.denominator + side, 0), n * unit) for level in chosen]
        rows, weights = _rows_of_shares(n, unit, starts)
        found.append((np.searchsorted(starts, rows, side="right") / len(starts), weights))
    rows, weights = _rows_of_shares(n, unit, [])
    u = rows / max(n * unit, 1)
    found += [(place, weights) for place in (u * 0, u * 0 + 1, _heavy_tail(u), u)]
    return tuple(_of_shares(domain, place, weights, unit) for place, weights in found)


def _rows_of_shares(n: int, unit: int, starts: Sequence[int]) -> tuple[Floats, Integers]:
    """Return rows in units: the middle of each in the sum of all weights, and its weight.

    From 0 and from each of `starts` on a row has half a person, and those after it a whole one, up to the next start.
    """
    known = sorted({0, *starts, n * unit})
    cuts = [cut for first, end in pairwise(known) for cut in (first, *range(first + unit // 2, end, unit))]
    edges = np.array([*cuts, n * unit], np.int64)
    return (edges[:-1] + edges[1:]) / 2, np.diff(edges)


@lru_cache(maxsize=4)
def ties(domain: Domain, n: int, levels: tuple[Fraction, ...], apart: int) -> tuple[Sample, ...]:
    """Return n public records of rounded values: as many of each as ends are far, and a part; for either side.

    The answer at one end then likely leaves its value, for the next is a part of the distance away, and takes along
    those that are drawn between it and others. Each level is the last record of a value, or the first.
    """
    u, starts = (np.arange(n) + 0.5) / max(n, 1), [Fraction(0)]
    known = sorted({Fraction(0), Fraction(1), *levels})
    for before, after in pairwise(known):
        pieces = max(round(float(after - before) * n / (TIED * apart)), 1)
        starts += [before + (after - before) * piece / pieces for piece in range(1, pieces + 1)]
    inner = [level for level in starts if 0 < level < 1]
    columns = [domain.at_fractions(_with_gaps(u, inner, side / max(n, 1))) for side in (1, -1)]
    return tuple(Sample.from_values(column, domain, seed=SEED) for column in columns)


def _of_shares(domain: Domain, places: Floats, weights: Integers, unit: int) -> Sample:
    """Return the rows at these fractions of the way through a domain, with their weights."""
    bits = checked_bits(None, domain)
    cells = encode_records(domain.at_fractions(places), domain, None, bits, jitter(places.size, bits, SEED, 0))
    order = np.argsort(cells, kind="stable")
    records = WeightedCells.of(cells[order], weights[order], unit)
    return Sample(records, domain, bits, SEED, 0, "person", take="share")


def _gaps(levels: Sequence[Fraction]) -> list[tuple[list[Fraction], int]]:
    """Return the levels that have a gap beside them in one shape, and on which side; for each such shape."""
    distinct = sorted(set(levels))
    return [(distinct[start::EVERY], side) for start in range(min(EVERY, len(distinct))) for side in (1, -1)]


def _with_gaps(u: Floats, levels: Sequence[Fraction], beside: float) -> Floats:
    """Return records at a few values as far apart as they can be; each level is the last record of one, or the first.

    An answer that leaves its value finds nothing but empty range, which draws it as far away as any data can.
    """
    starts = np.array([float(level) + beside for level in levels])
    return np.asarray(np.searchsorted(starts, u, side="right") / starts.size, dtype=np.float64)


def _heavy_tail(u: Floats) -> Floats:
    """Return records in far too wide bounds."""
    return np.asarray(0.0005 * np.exp(_normal_quantiles(u)), dtype=np.float64)


def _normal_quantiles(u: Floats) -> Floats:
    """Return the quantiles of the standard normal distribution; to load scipy for them takes longer."""
    return np.array([NormalDist().inv_cdf(each) for each in u.tolist()], dtype=np.float64)
