"""The exact privacy loss of the two steps of a normal sample: which bin is fullest, then counts around it.

A step's loss is a table of atoms (p, p'): outcomes whose probabilities under two neighbouring columns have one ratio,
taken together. Independent tables multiply; epsilon is the largest |log(p / p')|, and delta at an epsilon the sum of
max(0, p - e^epsilon p'), the worse of both directions. Nothing is sampled.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from math import exp, expm1, inf

import numpy as np

from ...arrays import Floats, Integers
from ..counts.noise import Noise
from .range import RangeRule


@dataclass(frozen=True)
class TwoStageLoss:
    """The loss of both steps together."""

    epsilon: float
    """Infinite where an outcome is possible for one column only."""
    delta: float
    changed: int
    """How many counts differ at most, in both steps."""


def two_stage_loss(a: Integers, b: Integers, rule: RangeRule, noise: Noise, epsilon: float) -> TwoStageLoss:
    """Return the largest loss for two sorted columns that differ in one record, over all bounds and steps of the grid.

    Which other records share the bins of the old and the new one depends on bounds and step; their numbers run over
    those at which the distribution of a kept bin bends.
    """
    only_a, only_b = _only(a, b), _only(b, a)
    if only_a is None or only_b is None:
        return TwoStageLoss(0.0, 0.0, 0)
    inside = [counted(noise), counted(noise)]
    losses = [_loss(reduce(_together, [*step, *inside]), epsilon) for step in _range_steps(a, only_a, only_b, rule)]
    return TwoStageLoss(max(loss[0] for loss in losses), max(loss[1] for loss in losses), 4)


def counted(noise: Noise) -> Floats:
    """Return atoms (2, atoms) of one noisy count that differs by 1: a coin that is true with the odds e^(1/s)."""
    truth = 1 / (1 + exp(-1 / float(noise.size)))
    return np.array([[truth, 1 - truth], [1 - truth, truth]])


def reported_bin(before: int, after: int, noise: Noise, threshold: int) -> Floats:
    """Return atoms (2, atoms) of one bin that is shown if it holds a record and its noisy count is above the threshold.

    Hidden; shown with a noisy count up to the smaller, or from the larger true count on.
    """
    middle = max(min(before, after), threshold)
    rows = []
    for count in (before, after):
        shown = tail(threshold + 1 - count, noise) if count else 0.0
        high = tail(middle + 1 - count, noise) if count else 0.0
        hidden = tail(count - threshold, noise) if count else 1.0
        rows.append([hidden, shown - high, high])
    return np.array(rows)


def tail(least: int, noise: Noise) -> float:
    """Return P(N >= least) for discrete Laplace noise."""
    rate = 1 / float(noise.size)
    below = exp(-rate * (1 - least)) / (1 + exp(-rate)) if least <= 0 else 0.0
    return 1 - below if least <= 0 else exp(-rate * least) / (1 + exp(-rate))


def _range_steps(a: Integers, only_a: int, only_b: int, rule: RangeRule) -> Iterator[list[Floats]]:
    """Yield the two counts that differ in the first step, for every number of others that may share their bins."""
    if rule.threshold is None:
        yield [counted(rule.noise), counted(rule.noise)]
        return
    others = a.size - 1
    with_old, with_new = int((a == only_a).sum()) - 1, int((a == only_b).sum())
    bends = [0, 1, 2, rule.threshold - 1, rule.threshold, rule.threshold + 1, others]
    for old in {min(max(count, with_old), others - with_new) for count in bends}:
        for new in {min(max(count, with_new), others - old) for count in bends}:
            yield [
                reported_bin(old + 1, old, rule.noise, rule.threshold),
                reported_bin(new, new + 1, rule.noise, rule.threshold),
            ]


def _only(a: Integers, b: Integers) -> int | None:
    """Return the record of `a` that `b` lacks, of two columns that differ in one; None where they are equal."""
    values, counts = np.unique(np.concatenate([a, b]), return_counts=True)
    lacking = [int(x) for x in values[counts % 2 == 1] if (a == x).sum() > (b == x).sum()]
    return lacking[0] if lacking else None


def _together(first: Floats, second: Floats) -> Floats:
    return np.asarray((first[:, :, None] * second[:, None, :]).reshape(2, -1), dtype=np.float64)


def _loss(atoms: Floats, epsilon: float) -> tuple[float, float]:
    possible = atoms[:, atoms.max(axis=0) > 0]
    with np.errstate(divide="ignore"):
        logs = np.log(possible)
    largest = float(np.abs(logs[0] - logs[1]).max()) if possible.min() > 0 else inf
    return largest, max(_delta(logs, epsilon), _delta(logs[::-1], epsilon))


def _delta(logs: Floats, epsilon: float) -> float:
    """Return the sum of max(0, p - e^epsilon p'); differences within the rounding of floats count as none."""
    above = logs[0] - logs[1] > epsilon + 1e-12
    return sum(exp(p) * -expm1(epsilon + q - p) for p, q in zip(logs[0][above], logs[1][above], strict=True))
