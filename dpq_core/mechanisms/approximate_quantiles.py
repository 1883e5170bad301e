"""ApproximateQuantiles (AQ): answer the middle quantile, split the data there, and go on in both halves.

Idea. The middle level is drawn by the exponential mechanism; records below the answer go left, the others right, and
each half answers its own middle level. A record is looked at once on every level of the recursion instead of once for
every quantile, so the budget is divided by about log2(m) and not by m.

Source. Kaplan, Schnapp, Stemmer, "Differentially Private Approximate Quantiles", ICML 2022, Algorithm 1.

Claim. ADD_REMOVE: for given outputs a record meets the nodes of one path, so losses add up along paths (Theorem 3.1;
concentrated budgets by a Renyi filter, Feldman & Zrnic 2021). SUBSTITUTE: two records, on one path and then on two.
`aq_recursion.claim` proves what a split costs on either side and adds it up; `aq_shape` chooses where to split.

Paper says / we do / why: see NOTES, which the app shows.

Cost. O(m (log n + log(n) / epsilon')), never O(n): the gaps far from a target are not read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ..noise import Entropy
from ..plan import Plan
from ..privacy import ZCDP, Adjacency, ApproxDP, Guarantee, Privacy, PureDP, largest_rho, round_up
from ..sample import Sample, SortedCells
from .aq_recursion import Node, claim, concentrated, expected_error, map_rates, pure
from .base import EVERY_BUDGET, Parameters, Step, calibration, distinct_levels, law_pieces, options_of
from .gap_exponential import Aim, Floats, Integers, Parts, draw, guarded, log_density, sensitivity

KEY = "aq"
LABEL = "Splitting in halves (AQ)"
SUMMARY = (
    "Finds the middle quantile first, splits the data at the answer, and goes on in both halves. "
    "Each person is looked at once for every halving instead of once for every quantile, "
    "so many quantiles cost little more than a few. The best choice for most columns."
)
CLAIM = "Pure, approximate or concentrated privacy, for a person who joins or leaves and for one who is replaced."
REFERENCE = "Kaplan, Schnapp, Stemmer: Differentially Private Approximate Quantiles. ICML 2022, Algorithm 1."
NOTES = (
    (
        "epsilon divided by log2(m) + 1 at every split",
        "split places and budgets with the least expected error, each path filled to epsilon exactly",
        "short branches waste nothing: a quarter less error for 20 quantiles at the same privacy",
    ),
    (
        "target floor(q n), sensitivity 1",
        "target q n without rounding; a person on the longer side of a split pays as at a median, only one on the "
        "shorter side more",
        "up to half the error for the same privacy where one person joins or leaves",
    ),
    (
        "the same budget when one person is replaced",
        "a budget for two paths",
        "a replaced record can follow two paths: a data set with a loss of 2.998 shares where 2 were claimed is known",
    ),
)
SUPPORTS = EVERY_BUDGET
OPTIONS = (calibration("the printed constants, where they are sound"),)


@dataclass(frozen=True)
class Depth:
    """All nodes of one depth side by side: the arrays that the sampler reads."""

    columns: Integers
    parents: Integers
    is_left: NDArray[np.bool_]
    aims: tuple[Aim, ...]


@dataclass(frozen=True, kw_only=True)
class AQParameters(Parameters):
    """The recursion with its rates; `floored` targets belong to the paper's calibration."""

    root: Node | None
    floored: bool
    depths: tuple[Depth, ...]

    def with_rates_times(self, factor: Fraction) -> AQParameters:
        """The same recursion with other noise under the same claim: for audits of broken mechanisms."""
        return self if self.root is None else with_root(self, map_rates(self.root, lambda node: node.rate * factor))


def calibrate(plan: Plan, n_public: int | None) -> AQParameters:
    """The recursion for a plan with the guarantee it gives; `n_public` is not used. O(m)."""
    paper = options_of(plan, OPTIONS)["calibration"] == "paper"
    levels = distinct_levels(plan)
    if not levels:
        nothing = Guarantee(epsilon=0.0, delta=0.0, rho=0.0, adjacency=plan.adjacency)
        return AQParameters(levels=(), guarantee=nothing, root=None, floored=paper, depths=())
    root, epsilon, delta = _root(levels, plan.privacy, plan.adjacency, paper)
    spent = epsilon if delta else round_up(claim(root, plan.adjacency, paper, squared=False))
    rho = round_up(claim(root, plan.adjacency, paper, squared=True))
    guarantee = Guarantee(epsilon=spent, delta=delta, rho=rho, adjacency=plan.adjacency)
    root = map_rates(root, lambda node: guarded(node.rate))
    return AQParameters(levels=levels, guarantee=guarantee, root=root, floored=paper, depths=_depths(root, paper))


def _root(
    levels: tuple[Fraction, ...], privacy: Privacy, adjacency: Adjacency, paper: bool
) -> tuple[Node, float, float]:
    """The recursion that serves a budget best, with the epsilon and the delta that it uses of it."""
    epsilon, delta = 0.0, 0.0
    match privacy:
        case PureDP(epsilon):
            root = pure(levels, Fraction(epsilon), adjacency, paper)
        case ZCDP(rho):
            root = concentrated(levels, Fraction(rho), adjacency, paper)
        case ApproxDP(epsilon, delta):
            root = concentrated(levels, Fraction(largest_rho(epsilon, delta)), adjacency, paper)
            without_delta = pure(levels, Fraction(epsilon), adjacency, paper)
            shares = [float(level) for level in levels]
            if expected_error(without_delta, shares) <= expected_error(root, shares):
                root, delta = without_delta, 0.0
    return root, epsilon, delta


def with_root(parameters: AQParameters, root: Node) -> AQParameters:
    """The parameters with another recursion under the same claim: for audits."""
    return replace(parameters, root=root, depths=_depths(root, parameters.floored))


def _depths(root: Node | None, floored: bool) -> tuple[Depth, ...]:
    """The recursion, depth by depth."""
    depths: list[Depth] = []
    row = [] if root is None else [(root, 0, False)]
    while row:
        nodes, parents, is_left = zip(*row, strict=True)
        aims = tuple(Aim(node.level, node.rate, floored) for node in nodes)
        columns = np.array([node.column for node in nodes])
        depths.append(Depth(columns, np.array(parents), np.array(is_left), aims))
        children = [((node.left, at, True), (node.right, at, False)) for at, node in enumerate(nodes)]
        row = [child for pair in children for child in pair if child[0] is not None]
    return tuple(depths)


def run(sample: Sample, parameters: AQParameters, entropy: Entropy) -> Integers:
    """Chosen fine cells, shape (entropy.trials, levels), increasing along levels."""
    answers = np.empty((entropy.trials, len(parameters.levels)), np.int64)
    for depth, _, chosen in _descend(sample, parameters, entropy):
        answers[:, depth.columns] = chosen
    return answers


def _descend(sample: Sample, parameters: AQParameters, entropy: Entropy) -> Iterator[tuple[Depth, Parts, Integers]]:
    """Depth by depth: where the nodes look, and what they chose. Records equal to an answer go right."""
    parts = Parts.whole(sample.n, sample.fine_cells, (entropy.trials, 1))
    chosen = np.zeros((entropy.trials, 1), np.int64)
    for index, depth in enumerate(parameters.depths):
        if index > 0:
            parts = _children(sample.records, parts, chosen, depth)
        chosen = draw(sample.records, parts, depth.aims, entropy)
        yield depth, parts, chosen


def _children(cells: SortedCells, parts: Parts, chosen: Integers, depth: Depth) -> Parts:
    """The parts of the next depth: left of the parent's answer, or from it on; its cell belongs to both ranges."""
    boundary = np.clip(cells.searchsorted(chosen), parts.start, parts.end)[:, depth.parents]
    answer, is_left = chosen[:, depth.parents], depth.is_left
    return Parts(
        start=np.where(is_left, parts.start[:, depth.parents], boundary),
        end=np.where(is_left, boundary, parts.end[:, depth.parents]),
        low=np.where(is_left, parts.low[:, depth.parents], answer),
        high=np.where(is_left, answer, parts.high[:, depth.parents]),
    )


def log_law(outputs: Integers, cells: Integers, parameters: AQParameters, grid: int) -> Floats:
    """Log probabilities of increasing outputs (outputs, levels): the product over all nodes."""
    total = np.zeros(len(outputs))
    parts, chosen = Parts.whole(cells.size, grid, (len(outputs), 1)), outputs
    for index, depth in enumerate(parameters.depths):
        if index > 0:
            parts = _children(cells, parts, chosen, depth)
        chosen = outputs[:, depth.columns]
        total += log_density(cells, parts, depth.aims, chosen).sum(axis=1)
    return total


def trace(sample: Sample, parameters: AQParameters, entropy: Entropy) -> list[Step]:
    """One run, node by node, depth by depth."""
    steps = []
    for number, (depth, parts, chosen) in enumerate(_descend(sample, parameters, entropy)):
        for at, (column, aim) in enumerate(zip(depth.columns, depth.aims, strict=True)):
            start, end, low, high = (int(x[0, at]) for x in (parts.start, parts.end, parts.low, parts.high))
            low_value, high_value, value = sample.values_of(np.array([low, high, chosen[0, at]]))
            steps.append(
                Step(
                    level=parameters.levels[int(column)],
                    depth=number,
                    records=(start, end),
                    bounds=(float(low_value), float(high_value)),
                    target=start + float(aim.target(end - start)),
                    value=float(value),
                    epsilon=float(2 * aim.rate * sensitivity(aim.level, aim.floored)),
                    law=law_pieces(sample, (start, end), low, high, aim),
                )
            )
    return steps
