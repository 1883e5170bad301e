"""Answers read off noisy counts: what AggTree and bins, a tree of height one, draw and lose.

The counts of all nodes get noise of their own, are made consistent (`tree`), and answer every level. What a pair of
neighbours loses follows from how many counts differ, and by how much (`noise`); all else is post-processing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, NamedTuple

import numpy as np

from ...arrays import Floats, Integers, SortedCells
from ...column import Column, Data
from ...errors import ParameterError
from ...noise.entropy import Entropy
from ...people.shares import unit_of
from ...privacy.budgets import Adjacency
from ...sketches.bin_counts import BinCounts
from ..base import Confidence, LemmaLoss, WithEnds
from .intervals import interval_leaves
from .noise import Noise, NoisyCounts, loss_of_counts, loss_of_shares
from .tree import TreeShape, agreed, leaf_edges, least_squares, node_counts, quantile_cells

_COUNTS_AT_ONCE = 2**19
"""Trials go side by side until they have this many leaves: more would fall out of the processor's cache."""


class Exact(NamedTuple):
    """What is counted: the edges of the leaves (leaves + 1,), and the records of each node, level by level."""

    shape: TreeShape
    edges: Integers
    counts: list[Integers]


class Counted(NamedTuple):
    """A few trials of a tree: exact counts, and all that follows from the noisy ones, (trials, nodes) of each level."""

    exact: Exact
    noisy: list[Integers]
    estimates: list[Floats]
    consistent: list[Floats]

    def quantiles(self, levels: tuple[Fraction, ...]) -> tuple[Integers, Integers]:
        """Return the indices of increasing levels and their leaves, (trials, m): linear within a leaf."""
        return quantile_cells(self.consistent[-1], self.exact.edges, tuple(map(float, levels)))

    def of_trial(self, trial: int) -> Counted:
        """Return one of the trials."""
        one = slice(trial, trial + 1)
        estimates, consistent = ([each[one] for each in some] for some in (self.estimates, self.consistent))
        return Counted(self.exact, [each[one] for each in self.noisy], estimates, consistent)


def noisy_counts(
    exact: Exact, noise: Noise, total: int | None, trials: int, entropy: Entropy, *, unit: int = 1,
    nonnegative: bool = True,
) -> Iterator[Counted]:  # fmt: skip
    """Yield all trials, some at a time; only the noisy counts, and a public total, reach what follows.

    Counts and total are in units, of which a record, or a person, counts `unit`.
    """
    sizes, at_once = exact.shape.sizes, max(_COUNTS_AT_ONCE // exact.shape.leaves, 1)
    for start in range(0, trials, at_once):
        drawn = noise.draw((min(at_once, trials - start), sum(sizes)), entropy, unit)
        more = np.split(drawn, np.cumsum(sizes)[:-1], axis=1)
        noisy = [count + added for count, added in zip(exact.counts, more, strict=True)]
        estimates = least_squares(noisy, exact.shape)
        yield Counted(exact, noisy, estimates, agreed(estimates, exact.shape, total, nonnegative))


def of_trial(found: Iterator[Counted], trial: int) -> Counted:
    """Return the counts of one trial of all that are given."""
    while trial >= len((some := next(found)).noisy[0]):
        trial -= len(some.noisy[0])
    return some.of_trial(trial)


@dataclass(frozen=True, kw_only=True)
class CountParameters(NoisyCounts):
    """The tree whose leaves answer, the noise on each of its counts, and how its counts are made consistent."""

    shape: TreeShape
    whole_values: bool = False
    """Whether leaves are bins of whole values, one value in each at least; otherwise they are of slots."""
    nonnegative: bool = True
    """Whether no count is below 0 in the end."""
    knows_its_intervals: ClassVar[bool] = True

    def shape_on(self, grid: int) -> TreeShape:
        """Return the tree over a grid of this size."""
        return TreeShape(min(self.shape.leaves, grid), 1) if self.whole_values else self.shape

    def exact(self, data: Column | BinCounts) -> Exact:
        """Return what is counted. Raises ParameterError where the data were counted in other bins."""
        grid = data.domain.cells if self.whole_values else data.slots
        shape = self.shape_on(grid)
        if isinstance(data, Column):
            edges = leaf_edges(grid, shape)
            return Exact(shape, edges, node_counts(data.records, self.indices(data, edges), shape))
        assert self.whole_values, "a tree reads all records"
        if data.bins != shape.leaves:
            raise ParameterError("bins", f"must be {data.bins}, as the counts have, got {shape.leaves}.")
        return Exact(shape, data.edges, [data.counts])

    def total(self, data: Column | BinCounts) -> int | None:
        """Return the number of records, or of units of them, where it is public."""
        return data.n * data.unit if self.guarantee.adjacency is Adjacency.REPLACE_ONE else None

    def counted(self, data: Column | BinCounts, entropy: Entropy) -> Iterator[Counted]:
        """Yield all trials, some at a time."""
        given = self.exact(data), self.noise, self.total(data), entropy.trials, entropy
        return noisy_counts(*given, unit=data.unit, nonnegative=self.nonnegative)

    def indices(self, data: Column | BinCounts, found: Integers) -> Integers:
        """Return the slots of indices that edges are of: the first one of each whole value."""
        return data.places.before(found) if self.whole_values else found

    def run_with_intervals(self, data: Data, entropy: Entropy, sure: Confidence) -> WithEnds:
        """Return what `run` draws with the intervals that the same noisy counts leave possible."""
        assert isinstance(data, Column | BinCounts), "counts are of records, or made before"
        parts, total = [], self.total(data)
        for some in self.counted(data, entropy):
            shape, edges, _ = some.exact
            first, last = interval_leaves(some.estimates, shape, self.noise, self.levels, total, sure, data.unit)
            lows, highs = edges[first], np.maximum(edges[last + 1] - 1, edges[first])
            parts.append([self.indices(data, each) for each in (some.quantiles(self.levels)[0], lows, highs)])
        return WithEnds(*map(np.concatenate, zip(*parts, strict=True)))


def run_counts(data: Column | BinCounts, parameters: CountParameters, entropy: Entropy) -> Integers:
    """Return the drawn slots, shape (entropy.trials, levels), increasing along levels.

    Raises ParameterError for `bins`.
    """
    found = [some.quantiles(parameters.levels)[0] for some in parameters.counted(data, entropy)]
    return parameters.indices(data, np.concatenate(found))


def loss_of_pair(cells_a: SortedCells, cells_b: SortedCells, parameters: CountParameters, grid: int) -> LemmaLoss:
    """Return the exact loss of all noisy counts together for one pair of sorted columns on a grid of that size."""
    shape, of = parameters.shape_on(grid), "bins" if parameters.whole_values else "tree"
    counts = (node_counts(cells, leaf_edges(grid, shape), shape) for cells in (cells_a, cells_b))
    changed, unit = np.concatenate([np.abs(a - b) for a, b in zip(*counts, strict=True)]), unit_of(cells_a)
    if unit > 1:
        return loss_of_shares(parameters.noise, changed / unit, parameters.guarantee, of)
    return loss_of_counts(parameters.noise, int(changed.sum()), parameters.guarantee, of)
