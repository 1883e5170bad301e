"""Draw the recursion of AQ round by round, all nodes of a round at once, and see one run as steps.

Answers are in a padded table: column 0 is the first index, column i + 1 the answer to level i, the last column the
last index, and beside them the records below each. A node draws between the two answers around its levels.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from ...arrays import Cells, Floats, Integers
from ...column import Column
from ...domain.measure import EVERY_INDEX, BaseMeasure
from ...noise.entropy import Entropy
from ..base import DrawStep
from ..exponential.density import Pieces, condensed, distribution_pieces, log_density, ranks_alike_and_in_reach
from ..exponential.distribution import Ranges, Rate, Target, count_below, left_edges
from ..exponential.sampling import draw
from ..freetotal.draws import draw_parts, log_density_of_parts
from ..joint.distance import all_missed
from ..joint.draws import LARGEST_RATE
from .recursion import Node, size
from .shape import range_of


@dataclass(frozen=True)
class Nodes:
    """Nodes of one round that draw equally many levels: the arrays that the sampler reads."""

    columns: Integers
    """Of their levels, (nodes, levels)."""
    after: Integers
    """Of the padded table: the answer below each node; `before` is the one above."""
    before: Integers
    target_levels: tuple[Target, ...]

    def draw(self, records: Cells, partitions: Ranges, entropy: Entropy, copies: int = 1) -> Integers:
        """Return answers of shape (copies x trials, *columns.shape)."""
        if self.columns.shape[1] == 1:
            return draw(records, partitions, self.target_levels, entropy, copies=copies)[:, :, None]
        return draw_parts(records, partitions.repeated(copies), self.target_levels, entropy)

    def log_density(self, records: Cells, partitions: Ranges, chosen: Integers) -> Floats:
        """Return log probabilities of such answers, (trials, nodes)."""
        if self.columns.shape[1] == 1:
            return log_density(records, partitions, self.target_levels, chosen[:, :, 0])
        return log_density_of_parts(records, partitions, self.target_levels, chosen)


Round: TypeAlias = tuple[Nodes, ...]
"""Its nodes, those of one kind together."""


def rounds_of(root: Node, floored: bool, whole_values: bool) -> tuple[Round, ...]:
    """Return the nodes of the recursion, round by round; `whole_values`: drawn where nothing lies below a node."""
    rounds: list[Round] = []
    row = [root]
    while row:
        kinds = sorted({_kind(node) for node in row})
        alike = ([node for node in row if _kind(node) == kind] for kind in kinds)
        rounds.append(tuple(_alike(nodes, floored, whole_values) for nodes in alike))
        row = [child for node in row for child in node.children if child is not None]
    return tuple(rounds)


def _kind(node: Node) -> tuple[int, bool]:
    """Return how many levels a node draws, and whether it is one that nothing lies below."""
    return len(node.levels), len(node.levels) == 1 and not any(node.children)


def _alike(nodes: list[Node], floored: bool, whole_values: bool) -> Nodes:
    """Return nodes of one round and of one kind."""
    signed = whole_values and _kind(nodes[0])[1]
    columns = np.array([node.columns for node in nodes])
    rates = [node.rate if len(node.levels) == 1 else min(node.rate, LARGEST_RATE) for node in nodes]
    targets = (Target(node.levels, Rate(rate), floored, signed) for node, rate in zip(nodes, rates, strict=True))
    first = np.array([node.columns[0] - size(node.children[0]) for node in nodes])
    last = first + np.array([size(node) for node in nodes]) + 1  # a node's own levels are all those between
    return Nodes(columns, first, last, tuple(targets))


def padded(inner: Integers, first: Integers | int, last: Integers | int) -> Integers:
    """Return the columns with one before them and one behind, whose rows may differ."""
    return np.column_stack([np.broadcast_to(first, len(inner)), inner, np.broadcast_to(last, len(inner))])


def between(nodes: Nodes, answers: Integers, ranks: Integers, values: BaseMeasure = EVERY_INDEX) -> Ranges:
    """Return the ranges that the nodes read, (trials, nodes); `values`: which indices they have.

    Records equal to an answer lie above it; its index is in both ranges.
    """
    return Ranges(
        start=ranks[:, nodes.after],
        end=ranks[:, nodes.before],
        low=answers[:, nodes.after],
        high=answers[:, nodes.before],
        values=values,
    )


def descend(
    records: Cells, runs: Ranges, rounds: tuple[Round, ...], levels: int, entropy: Entropy, copies: int = 1
) -> Iterator[tuple[int, Nodes, Ranges, Integers]]:
    """Yield (round from 0, nodes, their ranges, their answers), with one search of ranks for an answer.

    `runs` (rows,): the whole range of each run; runs side by side may read different columns. `copies`: how often each
    node draws in its range, (copies x rows, nodes); runs go on from the first of them, the others are only yielded.
    """
    nothing = np.zeros((runs.start.size, levels), np.int64)
    answers, ranks = padded(nothing, runs.low, runs.high), padded(nothing, runs.start, runs.end)
    for number, some in enumerate(rounds):
        for nodes in rounds[number - 1] if number else ():
            known = nodes.columns.reshape(-1) + 1
            ranks[:, known] = runs.start[:, None] + count_below(records, runs.standing, answers[:, known])
        for nodes in some:
            partitions = between(nodes, answers, ranks, runs.values)
            chosen = nodes.draw(records, partitions, entropy, copies)
            answers[:, nodes.columns + 1] = chosen[: len(answers)]
            yield number, nodes, partitions, chosen


class AQStep(DrawStep):
    """The draw of one quantile within its part; `depth` is its round. Private."""


def steps_of(
    data: Column, levels: tuple[Fraction, ...], number: int, nodes: Nodes, parts: Ranges, chosen: Integers,
    trial: int,
) -> list[AQStep]:  # fmt: skip
    """Return the steps of the nodes of one round in one trial, both counted from 0."""
    steps: list[AQStep] = []
    for at, target in enumerate(nodes.target_levels):
        start, end, low, high = (int(x[trial, at]) for x in (parts.start, parts.end, parts.low, parts.high))
        low_value, high_value = data.values_of(np.array([low, high])).tolist()
        if len(target.levels) == 1:
            laws = [distribution_pieces(data, (start, end), low, high, target)]
        else:
            laws = joint_pieces(data, (start, end), low, high, target, chosen[trial, at])
        columns, values = nodes.columns[at], data.values_of(chosen[trial, at])
        steps += [
            AQStep(
                level=levels[column],
                depth=number,
                together=levels[columns[0]],
                records=(start, end),
                bounds=(low_value, high_value),
                target=start + float(rank),
                value=value,
                epsilon=float(target.rate * range_of(target.levels, target.floored)),
                distribution=distribution,
            )
            for column, value, rank, distribution in zip(
                columns.tolist(), values.tolist(), target.ranks(end - start), laws, strict=True
            )
        ]
    return steps


def joint_pieces(
    column: Column, records: tuple[int, int], low: int, high: int, target: Target, chosen: Integers
) -> list[Pieces]:
    """Return for each quantile of a draw its distribution given the others, as (values, probabilities)."""
    count, found = records[1] - records[0], []
    length, far = ranks_alike_and_in_reach(target.rate_as_float, count)
    ranks = np.clip(column.records.searchsorted(chosen) - records[0], 0, count)
    for at, rank in enumerate(target.ranks(count)):
        around = [low, *chosen.tolist(), high]
        part = Ranges(*(np.array([place]) for place in (*records, around[at], around[at + 2])))
        first, end = ([0, *ranks.tolist(), count][place] for place in (at, at + 2))
        runs = np.arange(max(int(rank) - far, 0) // length * length, min(int(rank) + far, count) + 1, length)
        runs = np.unique(np.concatenate([[first], runs[(runs > first) & (runs <= end)], [end + 1]]))
        edges = left_edges(column.records, part, runs[None, :])[0]
        tuples = np.tile(ranks, (runs.size - 1, 1))
        tuples[:, at] = (runs[:-1] + runs[1:] - 1) // 2
        _, apart = all_missed(tuples, count, target.levels, free=True)
        logs = np.where(np.diff(edges) > 0, -target.rate_as_float * apart, -np.inf)
        found.append(condensed(column, edges, np.diff(edges) * np.exp(logs - logs.max())))
    return found
