"""Answers read off noisy counts: what AggTree and bins, a tree of height one, draw, lose and show.

The counts of all nodes get noise of their own, are made consistent (`tree`), and answer every level. What a pair of
neighbours loses follows from how many counts differ, and by how much (`noise`); all else is post-processing.

Shapes come from a search over 26 trees on five kinds of columns (uniform on a tenth and on all of the bounds,
normal, lognormal, exponential), 300 to 300,000 records, and budgets over a factor of 100. Error hardly depends on the
number of quantiles. Noise that grows with the height (pure budgets) wants three wide levels, noise that grows with
its square root six to eight narrow ones; a larger budget deserves finer leaves. n is private where a record may join,
so it is not used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import ClassVar, NamedTuple, get_args

import numpy as np

from ...arrays import Floats, Integers, SortedCells
from ...column import Column, Data
from ...errors import ParameterError
from ...noise.entropy import Entropy
from ...people.shares import unit_of
from ...plan import Plan
from ...privacy.budgets import SMALLEST_BUDGET, ZCDP, Adjacency, ApproxDP, Guarantee
from ...privacy.conversions import largest_rho, round_up
from ...sketches.bin_counts import BinCounts, bin_edges
from ..base import Confidence, Loss, TraceStep, WithEnds, distinct_levels
from .intervals import interval_leaves
from .noise import (
    Noise,
    NoiseKind,
    NoisyCounts,
    gaussian_for_rho,
    laplace_for_epsilon,
    laplace_for_rho,
    loss_of_counts,
    loss_of_shares,
)
from .tree import MOST_LEAVES, TreeShape, agreed, least_squares, node_counts, quantile_cells

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
            edges = bin_edges(grid, shape.leaves)
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


CHANGED_PER_LEVEL = {
    Adjacency.ADD_REMOVE: 1,  # the node that holds the record
    Adjacency.REPLACE_ONE: 2,  # the nodes of the old and of the new record
}


def budgeted(plan: Plan, shape: TreeShape | None = None, kind: NoiseKind | None = None) -> CountParameters:
    """Return the best tree for the budget; of this shape, or with this kind of noise. Raises ParameterError."""
    kinds, privacy, rho, found = (kind,) if kind else get_args(NoiseKind), plan.privacy, 0.0, list[CountParameters]()
    if isinstance(privacy, ZCDP):
        rho = privacy.rho
    elif "laplace" in kinds:
        found.append(_pure(privacy.epsilon, plan, shape))
    if isinstance(privacy, ApproxDP):
        rho = largest_rho(privacy.epsilon, privacy.delta)
    if rho >= SMALLEST_BUDGET:
        found += [_concentrated(each, rho, plan, shape) for each in kinds]
    assert found, "Gaussian noise has a budget that allows it"
    # the variance of a sum of counts from the left, up to a constant
    return min(found, key=lambda tree: tree.noise.variance * (tree.shape.branching - 1) * tree.shape.height)


def _pure(epsilon: float, plan: Plan, shape: TreeShape | None) -> CountParameters:
    """Return Laplace noise for a pure budget."""
    each = CHANGED_PER_LEVEL[plan.adjacency]
    if shape is None:  # of three levels, with as many leaves as wanted or a little more
        wanted, branching = int(4096 * min(max(epsilon / each, 1), 8)), 2
        while branching**3 < wanted and (branching + 1) ** 3 <= MOST_LEAVES:
            branching += 1
        shape = TreeShape(branching, 3)
    changed = each * shape.height
    noise = laplace_for_epsilon(Fraction(epsilon), changed)
    spent = round_up(Fraction(changed) / noise.size)
    guarantee = Guarantee(epsilon=spent, delta=0.0, rho=noise.rho(changed), adjacency=plan.adjacency)
    return CountParameters(levels=distinct_levels(plan), guarantee=guarantee, shape=shape, noise=noise)


def _concentrated(kind: NoiseKind, rho: float, plan: Plan, shape: TreeShape | None) -> CountParameters:
    """Return noise of this kind for a concentrated budget; under an approximate one `rho` is the largest that fits."""
    each = CHANGED_PER_LEVEL[plan.adjacency]
    if shape is None:
        wanted, height = int(8192 * min(max(sqrt(8 * rho / each), 0.25), 4)), 1
        while 4**height < wanted and 4 ** (height + 1) <= MOST_LEAVES:
            height += 1
        shape = TreeShape(4, height)
    changed = each * shape.height
    noise = (gaussian_for_rho if kind == "gaussian" else laplace_for_rho)(Fraction(rho), changed)
    pure = noise.epsilon(changed)
    epsilon, delta = float("inf") if pure is None else round_up(pure), 0.0
    if isinstance(plan.privacy, ApproxDP) and epsilon > plan.privacy.epsilon:
        epsilon, delta = plan.privacy.epsilon, plan.privacy.delta
    guarantee = Guarantee(epsilon=epsilon, delta=delta, rho=min(noise.rho(changed), rho), adjacency=plan.adjacency)
    return CountParameters(levels=distinct_levels(plan), guarantee=guarantee, shape=shape, noise=noise)


def run_counts(data: Column | BinCounts, parameters: CountParameters, entropy: Entropy) -> Integers:
    """Return the drawn slots, shape (entropy.trials, levels), increasing along levels.

    Raises ParameterError for `bins`.
    """
    found = [some.quantiles(parameters.levels)[0] for some in parameters.counted(data, entropy)]
    return parameters.indices(data, np.concatenate(found))


def loss_of_pair(cells_a: SortedCells, cells_b: SortedCells, parameters: CountParameters, grid: int) -> Loss:
    """Return the exact loss of all noisy counts together for one pair of sorted columns on a grid of that size."""
    shape, of = parameters.shape_on(grid), "bins" if parameters.whole_values else "tree"
    counts = (node_counts(cells, bin_edges(grid, shape.leaves), shape) for cells in (cells_a, cells_b))
    changed, unit = np.concatenate([np.abs(a - b) for a, b in zip(*counts, strict=True)]), unit_of(cells_a)
    if unit > 1:
        return loss_of_shares(parameters.noise, changed / unit, parameters.guarantee, of)
    return loss_of_counts(parameters.noise, int(changed.sum()), parameters.guarantee, of)


@dataclass(frozen=True, kw_only=True)
class TreeNode:
    """A node of the tree, or a bin, with its counts. Private."""

    bounds: tuple[float, float]
    """Its first and its last value."""
    count: int
    noisy: int
    consistent: float
    """After all counts were made consistent."""


@dataclass(frozen=True, kw_only=True)
class TreeStep(TraceStep):
    """How one quantile was read off the tree; its target is a fraction of the tree's own total. Private."""

    total: float
    families: tuple[tuple[TreeNode, ...], ...]
    """The children of the root, of the one that was entered, ..., from left to right; leaves in the end."""
    places: tuple[int, ...]
    """Which of each family was entered; the last one holds the answer."""

    @property
    def path(self) -> tuple[TreeNode, ...]:
        """Return the nodes that were entered."""
        return tuple(family[place] for family, place in zip(self.families, self.places, strict=True))


class HistogramStep(TreeStep):
    """The same of bins, a tree of height one. Private."""


def trace_counts(
    data: Column | BinCounts, parameters: CountParameters, entropy: Entropy, trial: int = 0
) -> list[TreeStep]:
    """Return one run, quantile by quantile, with the counts around each answer, or with all bins."""
    counted = of_trial(parameters.counted(data, entropy), trial)
    return steps_of(counted, parameters.levels, lambda found: data.values_of(parameters.indices(data, found)))


def steps_of(counted: Counted, levels: tuple[Fraction, ...], values_of: Callable[[Integers], Floats]) -> list[TreeStep]:
    """Return how the first trial's quantiles were read off; `values_of`: of the indices that edges are of."""
    shape, total = counted.exact.shape, float(counted.consistent[0][0].sum())
    kind = HistogramStep if shape.height == 1 else TreeStep
    known: dict[tuple[int, int], tuple[TreeNode, ...]] = {}
    places, leaves = counted.quantiles(levels)
    steps = []
    for level, leaf, value in zip(levels, leaves[0].tolist(), values_of(places[0]).tolist(), strict=True):
        entered = [leaf * size // shape.leaves for size in shape.sizes]
        families = []
        for depth, node in enumerate(entered):
            key = depth, node // shape.branching
            families.append(known[key] if key in known else known.setdefault(key, _family(counted, *key, values_of)))
        steps.append(
            kind(
                level=level,
                target=float(level) * max(total, 0.0),
                total=total,
                families=tuple(families),
                places=tuple(node % shape.branching for node in entered),
                value=value,
            )
        )
    return steps


def _family(counted: Counted, depth: int, parent: int, values_of: Callable[[Integers], Floats]) -> tuple[TreeNode, ...]:
    """Return the children of a node of the level above, from left to right."""
    shape, edges = counted.exact.shape, counted.exact.edges
    some = slice(parent * shape.branching, (parent + 1) * shape.branching)
    width = shape.leaves // shape.sizes[depth]
    low, high = edges[:-1:width][some], edges[width::width][some]
    columns = (
        zip(values_of(low).tolist(), values_of(np.maximum(high - 1, low)).tolist(), strict=True),
        counted.exact.counts[depth][some].tolist(),
        counted.noisy[depth][0, some].tolist(),
        counted.consistent[depth][0, some].tolist(),
    )
    return tuple(
        TreeNode(bounds=bounds, count=count, noisy=noisy, consistent=consistent)
        for bounds, count, noisy, consistent in zip(*columns, strict=True)
    )
