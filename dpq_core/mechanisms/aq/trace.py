"""One run of AQ as steps, one for each quantile; those drawn at once share their part and epsilon."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ...arrays import Integers
from ...column import Column
from ..base import DrawStep
from ..exponential.density import Pieces, condensed, distribution_pieces, ranks_alike_and_in_reach
from ..exponential.distribution import Ranges, Target, left_edges
from ..freetotal.nodes import log_weights
from .rounds import Nodes
from .shape import range_of


@dataclass(frozen=True, kw_only=True)
class AQStep(DrawStep):
    """The draw of one quantile within its part; `depth` is its round. Private."""

    lowest: Fraction
    """The lowest level of those that are drawn together."""

    @property
    def draw(self) -> object:
        """Return that level."""
        return self.lowest


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
                lowest=levels[columns[0]],
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
        logs = np.where(np.diff(edges) > 0, log_weights(target, tuples, count), -np.inf)
        found.append(condensed(column, edges, np.diff(edges) * np.exp(logs - logs.max())))
    return found
