"""AggTree: count the records in a tree of ranges, add noise to every count, and read all quantiles off the counts.

Idea. The grid is cut into branching^height leaves. Every node except the root gets integer noise; the noisy counts
are made consistent (children add up to their parent, none is negative); a quantile is where the sum of
the leaves from the left reaches its fraction of the total, linearly inside a leaf. Noise is paid for once, for any
number of quantiles.

Source. Dwork, Naor, Pitassi & Rothblum 2010 and Chan, Shi & Song 2011 for the tree; as a baseline for quantiles in
Gillenwater, Joseph & Kulesza, "Differentially Private Quantiles", ICML 2021, and in Kaplan, Schnapp & Stemmer, ICML
2022; agreement after Hay, Rastogi, Miklau & Suciu 2010.

Claim. ADD_REMOVE: a record that joins adds 1 to one node of each level, `height` counts in all. SUBSTITUTE: a
replaced one changes two on each level at most. `counts.noise` states what integer noise on several counts loses,
exactly. The rest is post-processing. The total is the noisy one under ADD_REMOVE; n itself only under SUBSTITUTE.

Paper says / we do / why: see NOTES, which the app shows.

Cost. O(leaves log n + leaves log branching); with the bounds so wide that most records share a leaf, interpolation
decides, so a tree wants bounds that fit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from ...arrays import Integers
from ...noise.entropy import Entropy
from ...people.shares import unit_of
from ...plan import Plan
from ...privacy.budgets import Adjacency, Guarantee
from ...sample import Sample, SortedCells
from ...sketches.data import Data
from ..base import EVERY_BUDGET, Lemma, LemmaLoss, Option, Sureness, WithEnds, distinct_levels, options_of
from ..counts.budget import budgeted
from ..counts.intervals import interval_leaves
from ..counts.noise import NoiseKind, NoisyCounts, loss_of_counts, loss_of_shares
from ..counts.tree import TreeShape, consistent, leaf_edges, least_squares, node_counts, quantile_cells
from ..profile import Profile, TimeCost
from .trace import Counted, TreeStep, of_trial, steps

KEY = "aggtree"
LABEL = "Counting with a tree (AggTree)"
SUMMARY = (
    "Counts the people in ranges of several sizes, adds noise to every count, and reads all quantiles off the counts. "
    "The noise is paid for once, so a hundred quantiles cost no more than one. "
    "A good choice for very many quantiles, if the bounds are not much wider than the data."
)
CLAIM = "Pure, approximate or concentrated privacy, for a person who joins or leaves and for one who is replaced."
REFERENCE = (
    "Dwork, Naor, Pitassi, Rothblum 2010; Chan, Shi, Song 2011; consistent counts after Hay, Rastogi, Miklau, Suciu "
    "2010; as a baseline in Gillenwater, Joseph, Kulesza: Differentially Private Quantiles. ICML 2021."
)
NOTES = (
    (
        "noise of scale sqrt(h) under a concentrated budget of 1/8",
        "Gaussian noise, or Laplace noise with rho = h tanh(1 / (2 scale)) / scale, which is exact",
        "scale sqrt(h) really spends 0.43, and 0.49 in whole numbers, at h = 4",
    ),
    (
        "the exact number of people at the root",
        "the noisy total, unless one person is replaced by another",
        "with whole-numbered noise the exact number gives a person away: an answer of probability 0.46 becomes "
        "impossible when one joins",
    ),
    (
        "least squares",
        "least squares among counts that are not negative",
        "no noise is spread over empty ranges: about a third less error at no cost",
    ),
    (
        "branching 12, height 4",
        "a shape chosen from the kind and the size of the budget",
        "three wide levels for pure budgets, six to eight narrow ones for Gaussian noise, finer for larger budgets",
    ),
)
SUPPORTS = EVERY_BUDGET
READS = Sample
OPTIONS: tuple[Option, ...] = ()
_LEAVES_AT_ONCE = 2**19
"""Trials go side by side until they have this many leaves: more would fall out of the processor's cache."""


@dataclass(frozen=True, kw_only=True)
class TreeParameters(NoisyCounts):
    """The tree, the noise on each of its counts, and how its counts are made consistent."""

    shape: TreeShape
    nonnegative: bool
    knows_its_intervals: ClassVar[bool] = True

    def run_with_intervals(self, data: Data, entropy: Entropy, sure: Sureness) -> WithEnds:
        """Return what `run` draws with the intervals that the same noisy counts leave possible."""
        assert isinstance(data, Sample), "a tree reads all records"
        parts, total = [], _total(data, self)
        for tree in _counted(data, self, entropy):
            first, last = interval_leaves(tree.estimates, self.shape, self.noise, self.levels, total, sure, data.unit)
            lows, highs = tree.edges[first], np.maximum(tree.edges[last + 1] - 1, tree.edges[first])
            parts.append((_quantiles(tree, self.levels), lows, highs))
        return WithEnds(*map(np.concatenate, zip(*parts, strict=True)))


def calibrate(
    plan: Plan, n_public: int | None, *, shape: TreeShape | None = None, kind: NoiseKind | None = None
) -> TreeParameters:
    """Return the tree and its noise for a plan with the guarantee they give; `n_public` is not used. O(1).

    The best tree for the budget; or one of this shape, or with this kind of noise.
    """
    options_of(plan, OPTIONS)
    found, levels = budgeted(plan, shape, kind), distinct_levels(plan)
    nothing = Guarantee(epsilon=0.0, delta=0.0, rho=0.0, adjacency=plan.adjacency)
    return TreeParameters(
        levels=levels,
        guarantee=found.guarantee if levels else nothing,
        shape=found.shape,
        noise=found.noise,
        nonnegative=True,
    )


def run(sample: Sample, parameters: TreeParameters, entropy: Entropy) -> Integers:
    """Return the drawn sub-indices, shape (entropy.trials, levels), increasing along levels."""
    if not parameters.levels:
        return np.empty((entropy.trials, 0), np.int64)
    return np.concatenate([_quantiles(tree, parameters.levels) for tree in _counted(sample, parameters, entropy)])


def _quantiles(tree: Counted, levels: tuple[Fraction, ...]) -> Integers:
    return quantile_cells(tree.consistent[-1], tree.edges, tuple(map(float, levels)))[0]


def _total(sample: Sample, parameters: TreeParameters) -> int | None:
    """Return the number of records, or of units of them, where it is public."""
    return sample.records.size if parameters.guarantee.adjacency is Adjacency.SUBSTITUTE else None


def _counted(sample: Sample, parameters: TreeParameters, entropy: Entropy) -> Iterator[Counted]:
    """Yield all trials, some at a time; only the noisy counts, and n where it is public, reach what follows."""
    shape = parameters.shape
    edges = leaf_edges(sample.fine_cells, shape)
    exact = node_counts(sample.records, edges, shape)
    total = _total(sample, parameters)
    at_once = max(_LEAVES_AT_ONCE // shape.leaves, 1)
    for start in range(0, entropy.trials, at_once):
        trials = min(at_once, entropy.trials - start)
        drawn = parameters.noise.draw((trials, sum(shape.sizes)), entropy, sample.unit)
        noise = np.split(drawn, np.cumsum(shape.sizes)[:-1], axis=1)
        noisy = [count + added for count, added in zip(exact, noise, strict=True)]
        estimates = least_squares(noisy, shape)
        agreed = consistent(estimates, shape, total, parameters.nonnegative)
        yield Counted(edges, exact, noisy, estimates, agreed)


def lemma_loss(cells_a: SortedCells, cells_b: SortedCells, parameters: TreeParameters, grid: int) -> LemmaLoss:
    """Return the exact loss of all noisy counts together for one pair of sorted columns on a grid of that size."""
    edges = leaf_edges(grid, parameters.shape)
    levels = zip(*(node_counts(cells, edges, parameters.shape) for cells in (cells_a, cells_b)), strict=True)
    changed, unit = np.concatenate([np.abs(a - b) for a, b in levels]), unit_of(cells_a)
    if unit > 1:
        return loss_of_shares(parameters.noise, changed / unit, parameters.guarantee, "tree")
    return loss_of_counts(parameters.noise, int(changed.sum()), parameters.guarantee, "tree")


def trace(sample: Sample, parameters: TreeParameters, entropy: Entropy, trial: int = 0) -> list[TreeStep]:
    """Return one run, quantile by quantile, with the counts around each answer."""
    if not parameters.levels:
        return []
    tree = of_trial(_counted(sample, parameters, entropy), trial)
    return steps(sample, parameters.shape, parameters.levels, tree)


AUDIT = Lemma(lemma_loss)
PROFILE = Profile(
    colour="#9a6fc4",
    symbol="triangle-up",
    reads_shares=True,
    cost=TimeCost(2e-3, trial=6e-4),
    suits="Noise on the counts is paid for once, for any number of quantiles; an answer adds up many counts.",
)
