"""One run of AQ as steps, one for each quantile; two drawn at once share their part and epsilon."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ...arrays import Integers
from ...sample import Sample
from ..base import DrawStep
from ..exponential import Partitions, Pieces, TargetLevel, condensed, law_pieces, left_edges, runs_of_gaps, sensitivity
from ..exponential.pairs import PairAim, log_pair_weights, split_pair_targets, ways
from .rounds import Nodes
from .shape import moved

_REACH, _ALIKE = 50, 0.15
"""As in exponential/pieces.py, but with fewer and longer runs: every run of one target meets every run of the other."""


class AQStep(DrawStep):
    """The draw of one quantile within its part; `depth` is its round. Private."""


def steps_of(
    sample: Sample, levels: tuple[Fraction, ...], number: int, nodes: Nodes, parts: Partitions, chosen: Integers
) -> list[AQStep]:
    """Return the steps of the nodes of one round, counted from 0, in the first trial."""
    steps: list[AQStep] = []
    target_levels: tuple[TargetLevel | PairAim, ...] = nodes.target_levels
    for at, target_level in enumerate(target_levels):
        start, end, low, high = (int(x[0, at]) for x in (parts.start, parts.end, parts.low, parts.high))
        low_value, high_value = sample.values_of(np.array([low, high])).tolist()
        if isinstance(target_level, TargetLevel):
            laws, targets = (
                [law_pieces(sample, (start, end), low, high, target_level)],
                [target_level.target(end - start)],
            )
            moves = sensitivity(target_level.level, target_level.floored)
        else:
            laws, targets = (
                pair_pieces(sample, (start, end), low, high, target_level),
                target_level.targets(end - start),
            )
            moves = moved(target_level.levels)
        columns, values = nodes.columns[at].reshape(-1), sample.values_of(chosen[0, at].reshape(-1))
        steps += [
            AQStep(
                level=levels[column],
                depth=number,
                records=(start, end),
                bounds=(low_value, high_value),
                target=start + float(target),
                value=value,
                epsilon=float(2 * target_level.rate * moves),
                law=law,
            )
            for column, value, target, law in zip(columns.tolist(), values.tolist(), targets, laws, strict=True)
        ]
    return steps


def pair_pieces(sample: Sample, records: tuple[int, int], low: int, high: int, target_level: PairAim) -> list[Pieces]:
    """Return the distribution of either quantile of a pair by itself as (values, probabilities)."""
    part = Partitions(*(np.array([place]) for place in (*records, low, high)))
    whole, rest = split_pair_targets(part.counts[:, None], (target_level,))
    rate, count = target_level.rate_as_float, records[1] - records[0]
    runs = [runs_of_gaps(each, count, rate, _REACH, _ALIKE) for each in whole[0, 0].tolist()]
    edges = [left_edges(sample.records, part, each[None, :])[0] for each in runs]
    middle = (min(runs[0][1] - runs[0][0], runs[1][1] - runs[1][0]) - 1) // 2
    lower, upper = middle + runs[0][:-1, None], middle + runs[1][None, :-1]
    lengths = [np.diff(each) for each in edges]
    counted = ways(lower, lengths[0][:, None], upper, lengths[1][None, :])
    weights = counted * np.exp(log_pair_weights(lower, upper, whole[0, 0], rest[0, 0], rate))
    return [condensed(sample, edges[side], weights.sum(axis=1 - side)) for side in (0, 1)]
