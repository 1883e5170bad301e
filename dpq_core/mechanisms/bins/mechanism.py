"""Exact-bin histogram: count the records in fixed bins, add noise to every count, and read all quantiles off the sums.

Idea. The bins are chosen before any data is read, so their counts can be taken exactly while the data streams by, in
as much space as there are bins (`BinCounts`). Every count gets integer noise; the noisy counts are made nonnegative
and consistent (`bins.reading`); a quantile is where their sum from the left reaches its fraction of the total, linearly
inside a bin. Noise is paid for once, for any number of quantiles.

Source. In place of Algorithm DPHistGK of Alabi, Ben-Eliezer & Chaturvedi, "Bounded Space Differentially Private
Quantiles", 2022, section 4; the mechanism itself is the histogram of Dwork, McSherry, Nissim & Smith 2006.

Claim. ADD_REMOVE: a record that joins adds 1 to one count. SUBSTITUTE: a replaced one changes two counts, or none, by
1. `counts.noise` states what integer noise on several counts loses, exactly. The rest is post-processing. The total is
the sum of the noisy counts under ADD_REMOVE; n itself only under SUBSTITUTE.

Paper says / we do / why: see NOTES, which the app shows.

Cost. O(bins log n) for a sample, O(bins) for counts of bins.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...arrays import Integers
from ...errors import ParameterError
from ...noise.entropy import Entropy
from ...people.shares import unit_of
from ...plan import Plan
from ...privacy.budgets import Adjacency, Guarantee
from ...sample import Sample, SortedCells
from ...sketches.bin_counts import MOST_BINS, BinCounts, bin_edges
from ...sketches.data import Data
from ..base import EVERY_BUDGET, Lemma, LemmaLoss, Option, Sureness, WithEnds, distinct_levels, options_of
from ..counts.budget import budgeted
from ..counts.intervals import interval_leaves
from ..counts.noise import NoisyCounts, loss_of_counts, loss_of_shares
from ..counts.tree import TreeShape
from ..profile import Profile, TimeCost
from .reading import Histogram, HistogramStep, bins_for, noisy_histograms, of_trial, steps

KEY = "binhist"
LABEL = "Counting in bins (histogram)"
SUMMARY = (
    "Counts the people in a fixed number of equal ranges, adds noise to every count, and reads all quantiles off the "
    "sums. It reads data of any length once and remembers the counts only. "
    "A good choice for streams and for very many quantiles, if the bounds are not much wider than the data."
)
CLAIM = "Pure, approximate or concentrated privacy, for a person who joins or leaves and for one who is replaced."
REFERENCE = (
    "Dwork, McSherry, Nissim, Smith: Calibrating Noise to Sensitivity in Private Data Analysis. TCC 2006; in place of "
    "DPHistGK in Alabi, Ben-Eliezer, Chaturvedi: Bounded Space Differentially Private Quantiles. 2022."
)
NOTES = (
    (
        "counts of bins read from a Greenwald-Khanna sketch",
        "exact counts",
        "bins do not depend on the data, so they can be counted exactly in as little space",
    ),
    (
        "noise of scale 2 / epsilon on the sketch's counts",
        "scale 1 / epsilon for a person who joins, 2 / epsilon for one who is replaced, on exact counts",
        "when one early record changes, a sketch merges others from then on: its counts change by hundreds, not by 2",
    ),
    (
        "noisy counts as they are",
        "the nearest counts that are not negative, in groups of ranges",
        "up to two fifths less error where most ranges are empty, at no cost in privacy",
    ),
    (
        "one bin as the answer",
        "a point inside the bin, by its share of the bin's count",
        "a bin is an answer of its own width",
    ),
)
SUPPORTS = EVERY_BUDGET
READS = BinCounts
OPTIONS = (
    Option(
        name="bins",
        kind="integer",
        default=None,
        minimum=2,
        maximum=MOST_BINS,
        help="How many equal ranges are counted, at most one for each value of the grid. Chosen from the noise by "
        "default: about 1,000 at ε = 1.",
    ),
)


@dataclass(frozen=True, kw_only=True)
class BinParameters(NoisyCounts):
    """How many bins, as many as the grid has cells at most, and the noise on each of their counts."""

    bins: int
    knows_its_intervals: ClassVar[bool] = True

    def run_with_intervals(self, data: Data, entropy: Entropy, sure: Sureness) -> WithEnds:
        """Return what `run` draws with the intervals that the same noisy counts leave possible."""
        assert isinstance(data, Sample | BinCounts), "bins read records or their counts"
        parts, total, before = [], _total(data, self), data.places.before
        for found in _histograms(data, self, entropy):
            flat, counts = TreeShape(found.noisy.shape[1], 1), [found.noisy.astype(np.float64)]
            first, last = interval_leaves(counts, flat, self.noise, self.levels, total, sure, _unit(data))
            lows, highs = found.edges[first], found.edges[last + 1] - 1
            parts.append((before(found.quantiles(self.levels)[0]), before(lows), before(highs)))
        return WithEnds(*map(np.concatenate, zip(*parts, strict=True)))


def calibrate(plan: Plan, n_public: int | None) -> BinParameters:
    """Return the bins and their noise with the guarantee they give; `n_public` is not used."""
    bins, levels = options_of(plan, OPTIONS)["bins"], distinct_levels(plan)
    found = budgeted(plan, TreeShape(2, 1))  # one level of counts, any width
    return BinParameters(
        levels=levels,
        guarantee=found.guarantee if levels else Guarantee(epsilon=0.0, delta=0.0, rho=0.0, adjacency=plan.adjacency),
        bins=bins_for(found.noise) if bins is None else int(bins),
        noise=found.noise,
    )


def run(data: Sample | BinCounts, parameters: BinParameters, entropy: Entropy) -> Integers:
    """Return the drawn sub-indices, shape (entropy.trials, levels), increasing along levels.

    Raises ParameterError for `bins`.
    """
    if not parameters.levels:
        return np.empty((entropy.trials, 0), np.int64)
    parts = [histogram.quantiles(parameters.levels)[0] for histogram in _histograms(data, parameters, entropy)]
    return data.places.before(np.concatenate(parts))


def _unit(data: Sample | BinCounts) -> int:
    return data.unit if isinstance(data, Sample) else 1


def _total(data: Sample | BinCounts, parameters: BinParameters) -> int | None:
    """Return the number of records, or of units of them, where it is public."""
    return data.n * _unit(data) if parameters.guarantee.adjacency is Adjacency.SUBSTITUTE else None


def _histograms(data: Sample | BinCounts, parameters: BinParameters, entropy: Entropy) -> Iterator[Histogram]:
    edges, exact = _counted(data, parameters)
    total = _total(data, parameters)
    return noisy_histograms(edges, exact, parameters.noise, total, entropy.trials, entropy, _unit(data))


def _counted(data: Sample | BinCounts, parameters: BinParameters) -> tuple[Integers, Integers]:
    """Return edges in grid indices and exact counts; counts made beforehand have their bins in the plan."""
    bins = min(parameters.bins, data.domain.cells)
    if isinstance(data, BinCounts):
        if data.bins != bins:
            raise ParameterError("bins", f"must be {data.bins}, as the counts have, got {bins}.")
        return data.edges, data.counts
    edges = bin_edges(data.domain.cells, bins)
    return edges, np.diff(data.count_below(edges))


def lemma_loss(cells_a: SortedCells, cells_b: SortedCells, parameters: BinParameters, grid: int) -> LemmaLoss:
    """Return the exact loss of all noisy counts together for one pair of sorted columns on a grid of that size."""
    edges = bin_edges(grid, min(parameters.bins, grid))
    counts = [np.diff(cells.searchsorted(edges)) for cells in (cells_a, cells_b)]
    changed, unit = np.abs(counts[0] - counts[1]), unit_of(cells_a)
    if unit > 1:
        return loss_of_shares(parameters.noise, changed / unit, parameters.guarantee, "bins")
    return loss_of_counts(parameters.noise, int(changed.sum()), parameters.guarantee, "bins")


def trace(data: Sample | BinCounts, parameters: BinParameters, entropy: Entropy, trial: int = 0) -> list[HistogramStep]:
    """Return one run, quantile by quantile, with all bins."""
    if not parameters.levels:
        return []
    return steps(data.domain, parameters.levels, of_trial(_histograms(data, parameters, entropy), trial))


AUDIT = Lemma(lemma_loss)
PROFILE = Profile(
    colour="#5f7f4f",
    symbol="hexagon",
    reads_shares=True,
    cost=TimeCost(1e-3, trial=2.5e-4),
    suits="It remembers the counts of fixed bins only. Their noise is paid for once, for any number of quantiles.",
)
