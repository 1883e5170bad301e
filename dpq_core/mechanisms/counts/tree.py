"""A tree of counts over the grid: the edges of its leaves, the counts of its nodes, quantiles from noisy counts.

Leaf i of L holds the indices from floor(i * grid / L) on, exact integers; a node holds `branching` nodes of the level
below. Everything after the counts is post-processing: a function of noisy integers and public facts, so that floats
in it cost no privacy. Levels run from the root's children (first) to the leaves (last), arrays are (trials, nodes).

Leaves alone, a tree of height one, are bins. A sum of noisy counts from the left is unbiased, but strays by the noise
of every empty bin that it passes. Setting negative counts to 0 would be worse, since what is cut off adds up. Instead,
nonnegative counts are fitted to sums: bins are grouped by up to 16, groups by up to 16, and so on; from the top down,
the members of a group get the nearest nonnegative counts that add up to the group's (`consistent`). Ranges that are
empty on a large scale lose their noise at once. Measured over six kinds of columns, 256 to 4096 bins and epsilon from
0.1 to 10: as good as the plain sum where all bins are full, up to two fifths less error where most are empty.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Floats, Integers, SortedCells
from ...sketches.bin_counts import MOST_BINS, bin_edges

_LARGEST_GROUP = 16
MOST_LEAVES = 2**16
"""More would make a release slow, and noise would drown what they resolve."""


@dataclass(frozen=True)
class TreeShape:
    """How wide and how deep a tree is; the root is not counted as a level."""

    branching: int
    height: int

    @property
    def leaves(self) -> int:
        """Return the number of leaves."""
        return int(self.branching**self.height)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Return the number of nodes of each level."""
        return tuple(self.branching**level for level in range(1, self.height + 1))


def node_counts(cells: SortedCells, edges: Integers, shape: TreeShape) -> list[Integers]:
    """Return how many of the sorted records lie in each node, level by level. O(leaves log n)."""
    levels = [np.diff(cells.searchsorted(edges)).astype(np.int64)]
    while len(levels) < shape.height:
        levels.append(levels[-1].reshape(-1, shape.branching).sum(axis=1))
    return levels[::-1]


def least_squares(noisy: list[Integers], shape: TreeShape) -> list[Floats]:
    """Return the best estimate of every node from itself and all nodes below it, for noise of one variance everywhere.

    The first pass of Hay, Rastogi, Miklau & Suciu 2010, section 4.1: own count and sum of children, weighted by the
    inverse of their variances.
    """
    estimates = [noisy[-1].astype(np.float64)]
    variance = 1.0
    for own in noisy[-2::-1]:
        of_sum = shape.branching * variance
        share = of_sum / (of_sum + 1)
        estimates.append(share * own + (1 - share) * _sums(estimates[-1], shape))
        variance = share
    return estimates[::-1]


def consistent(estimates: list[Floats], shape: TreeShape, total: int | None, nonnegative: bool) -> list[Floats]:
    """Return counts of which the children of every node sum to it; `total` is the root's, where it is public.

    From the top down, the nearest point to the children's estimates that adds up to their parent's count: the second
    pass of Hay et al., and with `nonnegative` among counts >= 0 only, which spreads no noise over empty nodes.
    """
    found = estimates[0].sum(axis=1) if total is None else np.full(len(estimates[0]), float(total))
    above = np.maximum(found, 0)[:, None] if nonnegative else found[:, None]
    levels = []
    for estimate in estimates:
        children = estimate.reshape(*above.shape, shape.branching)
        spare = (above - children.sum(axis=2))[..., None] / shape.branching
        fitted = _nearest_nonnegative(children, above) if nonnegative else children + spare
        above = fitted.reshape(len(estimate), -1)
        levels.append(above)
    return levels


def agreed(estimates: list[Floats], shape: TreeShape, total: int | None, nonnegative: bool) -> list[Floats]:
    """Return `consistent` counts; those of leaves alone, where none may be negative, in groups of them."""
    if nonnegative and shape.height == 1:
        return [nonnegative_leaves(estimates[0], total)]
    return consistent(estimates, shape, total, nonnegative)


def nonnegative_leaves(noisy: Floats, total: int | None) -> Floats:
    """Return nonnegative counts (trials, bins) that add up to `total`, or to the sum of the noisy ones, at least 0."""
    trials, bins = noisy.shape
    assert 1 <= bins <= MOST_BINS, "checked where bins are chosen"
    height = 1  # of the flattest tree of groups of up to 16 with a place for every bin; no group is without a bin
    while _LARGEST_GROUP**height < bins:
        height += 1
    branching = 1
    while branching**height < bins:
        branching += 1
    shape = TreeShape(branching, height)
    filled = np.diff(bin_edges(bins, shape.leaves)) == 1
    places = np.zeros((trials, shape.leaves))
    places[:, filled] = noisy
    sums = [places]
    while len(sums) < shape.height:
        sums.append(_sums(sums[-1], shape))
    sums[0] = np.where(filled, places, -np.inf)  # a place without a bin is never given a count
    return consistent(sums[::-1], shape, total, nonnegative=True)[-1][:, filled]


def quantile_cells(leaves: Floats, edges: Integers, levels: tuple[float, ...]) -> tuple[Integers, Integers]:
    """Return the indices of increasing levels and their leaves, (trials, m): linear within a leaf, never decreasing.

    Where the counts come to nothing, all leaves count alike.
    """
    sums = np.cumsum(leaves, axis=1)
    sums[sums[:, -1] <= 0] = np.arange(1, leaves.shape[1] + 1)
    sums = np.maximum.accumulate(np.clip(sums, 0, sums[:, -1:]), axis=1)
    places = np.empty((len(leaves), len(levels)), np.int64)
    found = np.empty_like(places)
    for trial, upto in enumerate(sums):
        target = np.asarray(levels) * upto[-1]
        leaf = np.minimum(np.searchsorted(upto, target, side="right"), np.searchsorted(upto, upto[-1], side="left"))
        before = np.where(leaf > 0, upto[leaf - 1], 0.0)
        share = np.clip((target - before) / (upto[leaf] - before), 0, 1)
        low, high = edges[leaf], edges[leaf + 1]
        places[trial] = np.clip(low + (share * (high - low)).astype(np.int64), low, np.maximum(high - 1, low))
        found[trial] = leaf
    return places, found


def _sums(children: Floats, shape: TreeShape) -> Floats:
    """Return the sums of all families of children, (trials, parents)."""
    return np.asarray(children.reshape(len(children), -1, shape.branching).sum(axis=2), dtype=np.float64)


def _nearest_nonnegative(children: Floats, total: Floats) -> Floats:
    """Return the nearest points >= 0 along the last axis that sum to `total` >= 0: max(child - t, 0), one t a family.

    Held, Wolfe & Crowder 1974: t belongs to the largest k children for which the k-th stays above it.
    """
    ordered = np.sort(children, axis=-1)[..., ::-1]
    excess = (np.cumsum(ordered, axis=-1) - total[..., None]) / np.arange(1, children.shape[-1] + 1)
    positive = np.maximum((ordered > excess).sum(axis=-1, keepdims=True), 1)
    return np.maximum(children - np.take_along_axis(excess, positive - 1, axis=-1), 0)
