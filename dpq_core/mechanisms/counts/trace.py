"""How quantiles were read off noisy counts, one by one: the nodes beside each answer. Private."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ...arrays import Floats, Integers
from ...column import Column
from ...noise.entropy import Entropy
from ...sketches.bin_counts import BinCounts
from ..base import TraceStep
from .answers import Counted, CountParameters, of_trial


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
