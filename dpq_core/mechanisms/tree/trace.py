"""One run of a tree of counts as steps: the counts around every answer. Private."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from ...arrays import Floats, Integers
from ...sample import Sample
from ..base import TraceStep
from ..counts.tree import TreeShape, quantile_cells


@dataclass(frozen=True)
class Counted:
    """A few trials of the tree: exact counts (nodes,), then everything that follows from the noisy ones."""

    edges: Integers
    exact: list[Integers]
    noisy: list[Integers]
    estimates: list[Floats]
    consistent: list[Floats]


@dataclass(frozen=True, kw_only=True)
class TreeNode:
    """A node of the tree with its counts. Private."""

    bounds: tuple[float, float]
    """Its first and its last value."""
    count: int
    noisy: int
    estimate: float
    """From its own noisy count and all below it."""
    consistent: float
    """After all counts were made consistent."""


@dataclass(frozen=True, kw_only=True)
class TreeStep(TraceStep):
    """How one quantile was read off the tree; its target is a fraction of the tree's own total. Private."""

    total: float
    path: tuple[TreeNode, ...]
    """The nodes around the answer, from a child of the root down to the leaf."""
    families: tuple[tuple[TreeNode, ...], ...]
    """For each node of the path all children of its parent, itself included, from left to right."""


def of_trial(trees: Iterable[Counted], trial: int) -> Counted:
    """Return the tree of one trial of all that are given."""
    for tree in trees:
        if trial < len(tree.noisy[0]):
            rows = slice(trial, trial + 1)
            noisy, estimates = [each[rows] for each in tree.noisy], [each[rows] for each in tree.estimates]
            agreed = [each[rows] for each in tree.consistent]
            return replace(tree, noisy=noisy, estimates=estimates, consistent=agreed)
        trial -= len(tree.noisy[0])
    raise IndexError(trial)


def steps(sample: Sample, shape: TreeShape, levels: tuple[Fraction, ...], tree: Counted) -> list[TreeStep]:
    """Return how the first trial's quantiles were read off, level by level."""
    places, leaves = quantile_cells(tree.consistent[-1], tree.edges, tuple(map(float, levels)))
    total = float(tree.consistent[0][0].sum())
    found = []
    for level, leaf, value in zip(levels, leaves[0].tolist(), sample.values_of(places[0]).tolist(), strict=True):
        families = _families(sample, shape, tree, leaf)
        path = tuple(
            family[leaf // width % shape.branching] for family, width in zip(families, _widths(shape), strict=True)
        )
        target = float(level) * max(total, 0.0)
        found.append(TreeStep(level=level, target=target, total=total, path=path, families=families, value=value))
    return found


def _families(sample: Sample, shape: TreeShape, tree: Counted, leaf: int) -> tuple[tuple[TreeNode, ...], ...]:
    """Return for every level of the tree the node above a leaf and its siblings, from left to right."""
    found = []
    for depth, width in enumerate(_widths(shape)):
        first = leaf // width // shape.branching * shape.branching
        family = range(first, first + shape.branching)
        found.append(tuple(_node(sample, tree, depth, index, width) for index in family))
    return tuple(found)


def _widths(shape: TreeShape) -> list[int]:
    """Return how many leaves a node has, level by level."""
    return [shape.leaves // size for size in shape.sizes]


def _node(sample: Sample, tree: Counted, depth: int, index: int, width: int) -> TreeNode:
    low, high = (int(tree.edges[at * width]) for at in (index, index + 1))
    first, last = sample.values_of(np.array([low, max(high - 1, low)])).tolist()
    return TreeNode(
        bounds=(first, last),
        count=int(tree.exact[depth][index]),
        noisy=int(tree.noisy[depth][0, index]),
        estimate=float(tree.estimates[depth][0, index]),
        consistent=float(tree.consistent[depth][0, index]),
    )
