"""Read quantiles off noisy counts of bins: how many bins, how their counts are made consistent.

Everything after the noise is post-processing: a function of noisy integers and public facts, so that floats in it
cost no privacy.

A sum of noisy counts from the left is unbiased, but strays by the noise of every empty bin that it passes. Setting
negative counts to 0 would be worse, since what is cut off adds up. Instead, nonnegative counts are fitted to sums:
bins are grouped by up to 16, groups by up to 16, and so on; from the top down, the members of a group get the nearest
nonnegative counts that add up to the group's (`counts.tree.consistent`). Ranges that are empty on a large scale lose
their noise at once. Measured over six kinds of columns, 256 to 4096 bins and epsilon from 0.1 to 10: as good as the
plain sum where all bins are full, up to two fifths less error where most are empty.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import log2

import numpy as np

from ...arrays import Floats, Integers
from ...domain.domain import Domain
from ...noise.entropy import Entropy
from ...sketches.bin_counts import MOST_BINS, USUAL_BINS
from ..base import TraceStep
from ..counts.noise import Noise
from ..counts.tree import TreeShape, consistent, leaf_edges, quantile_cells

_LARGEST_GROUP = 16
_COUNTS_AT_ONCE = 2**19
"""Trials go side by side until they have this many counts: more would fall out of the processor's cache."""
_USUAL_VARIANCE = 2.0
"""Of Laplace noise of scale 1, for which `USUAL_BINS` is about best."""


@dataclass(frozen=True)
class Histogram:
    """Some trials of noisy bins: edges in grid indices (bins + 1,), exact counts (bins,), the rest (trials, bins)."""

    edges: Integers
    exact: Integers
    noisy: Integers
    agreed: Floats

    def quantiles(self, levels: tuple[Fraction, ...]) -> tuple[Integers, Integers]:
        """Return the grid indices of increasing levels and their bins, (trials, m): linear within a bin."""
        return quantile_cells(self.agreed, self.edges, tuple(map(float, levels)))


@dataclass(frozen=True, eq=False, kw_only=True)
class BinTable:
    """All bins of one run, arrays of shape (bins,). Private."""

    first: Floats
    """The first value of each bin."""
    count: Integers
    noisy: Integers
    agreed: Floats
    """After the counts were made nonnegative and consistent; quantiles are read off their running sum."""


@dataclass(frozen=True, kw_only=True)
class HistogramStep(TraceStep):
    """How one quantile was read off the bins; its target is a fraction of their consistent total. Private."""

    total: float
    bin: int
    """Which bin holds the answer."""
    bins: BinTable
    """The same table for every quantile of a run."""


def bins_for(noise: Noise) -> int:
    """Return how many bins suit a noise, a power of 2 from 256 to 4096: fewer where more noise would add up.

    Half the deviation of the noise deserves sqrt(2) times the bins: the error of a sum grows with the root of their
    number, the error inside a bin falls with it. n is private where a record may join, so it is not used.
    """
    wanted = USUAL_BINS * (_USUAL_VARIANCE / max(noise.variance, 1e-6)) ** 0.25
    return int(2 ** round(log2(min(max(wanted, USUAL_BINS / 4), USUAL_BINS * 4))))


def of_trial(histograms: Iterable[Histogram], trial: int) -> Histogram:
    """Return the histogram of one trial of all that are given."""
    for histogram in histograms:
        if trial < len(histogram.noisy):
            rows = slice(trial, trial + 1)
            return replace(histogram, noisy=histogram.noisy[rows], agreed=histogram.agreed[rows])
        trial -= len(histogram.noisy)
    raise IndexError(trial)


def noisy_histograms(
    edges: Integers, exact: Integers, noise: Noise, total: int | None, trials: int, entropy: Entropy, unit: int = 1
) -> Iterator[Histogram]:
    """Yield all trials, some at a time; `total` is the number of records where it is public. O(bins) a trial.

    Counts are in units, of which a record, or a person, counts `unit`.
    """
    at_once = max(_COUNTS_AT_ONCE // exact.size, 1)
    for start in range(0, trials, at_once):
        noisy = exact + noise.draw((min(at_once, trials - start), exact.size), entropy, unit)
        yield Histogram(edges, exact, noisy, nonnegative(noisy, total))


def nonnegative(noisy: Integers, total: int | None) -> Floats:
    """Return nonnegative counts (trials, bins) that add up to `total`, or to the sum of the noisy ones, at least 0."""
    trials, bins = noisy.shape
    shape = _grouping(bins)
    filled = np.diff(leaf_edges(bins, shape)) == 1
    places = np.zeros((trials, shape.leaves))
    places[:, filled] = noisy
    sums = [places]
    while len(sums) < shape.height:
        sums.append(sums[-1].reshape(trials, -1, shape.branching).sum(axis=2))
    sums[0] = np.where(filled, places, -np.inf)  # a place without a bin is never given a count
    return consistent(sums[::-1], shape, total, nonnegative=True)[-1][:, filled]


def _grouping(bins: int) -> TreeShape:
    """Return the flattest tree of groups of up to 16 with a place for every bin; no group is without a bin."""
    assert 1 <= bins <= MOST_BINS, "checked where bins are chosen"
    height = 1
    while _LARGEST_GROUP**height < bins:
        height += 1
    branching = 1
    while branching**height < bins:
        branching += 1
    return TreeShape(branching, height)


def steps(domain: Domain, levels: tuple[Fraction, ...], histogram: Histogram) -> list[HistogramStep]:
    """Return how the first trial's quantiles were read off, level by level."""
    places, bins = histogram.quantiles(levels)
    agreed = histogram.agreed[0]
    first = domain.decode(histogram.edges[:-1])
    table = BinTable(first=first, count=histogram.exact, noisy=histogram.noisy[0], agreed=agreed)
    total = float(agreed.sum())
    return [
        HistogramStep(level=level, target=float(level) * total, total=total, bin=held, value=value, bins=table)
        for level, held, value in zip(levels, bins[0].tolist(), domain.decode(places[0]).tolist(), strict=True)
    ]
