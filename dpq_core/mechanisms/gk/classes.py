"""Draw by the exponential mechanism among classes of grid indices with equal rank bounds.

A sketch with points v_1 < ... < v_k knows 2 k + 1 classes of indices: the points, the open intervals between them, and
the two outer intervals. All indices of a class have the same bounds [lo, hi], and both ends rise from class to class.
An index's distance is that of the target from [lo, hi]; its weight exp(-rate * distance), never below 2^-126. Some
class always has distance 0: the first with hi >= target has lo <= #{< x} <= hi of the class before it < target.

The exact sampler. Classes are taken together in runs over which rate * distance grows by about 1, each under the weight
of its class nearest to the target, an integer (`ceil_exp`). One draw picks a run by mass, a uniform index in it, and
accepts with the ratio of the index's own weight to the run's, or else starts again: rejection sampling under an
envelope, exact for any runs. So floats may choose the runs, and only a few hundred weights are ever computed.

Rank errors are bounded with a sound scale of the noise.

[BSPACE] Alabi, Ben-Eliezer, Chaturvedi, "Bounded Space Differentially Private Quantiles", 2022.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise
from math import log
from operator import mul

import numpy as np

from ...arrays import Floats, Integers
from ...noise.entropy import Entropy
from ...noise.exact import ExactEntropy
from ...noise.fast import FastEntropy
from ...privacy.budgets import Privacy
from ...sketches.rank_bounds import RankBounds
from ..base import USUAL_BETA, Bound
from ..exponential.distribution import Rate, TargetLevel, check_positive, error_of_one_draw
from ..exponential.weights import FLOOR_BITS, WEIGHT_FLOOR, ceil_exp
from ..indexp.composition import epsilon_of_each, one_by_one

_MOST_RUNS = 90
"""On each side: weights reach their floor of 2^-126 at rate * distance = 87.4."""


@dataclass(frozen=True, eq=False)
class Classes:
    """Indices first[i] .. first[i + 1] - 1 have rank bounds [least[i], most[i]]; `first` ends with the grid's size."""

    first: Integers
    least: Integers
    most: Integers
    stored: Integers
    """1 where the class is a point of the sketch, 0 where it is an open interval."""

    @classmethod
    def of(cls, bounds: RankBounds, grid: int) -> Classes:
        """Return the classes of a sketch on a grid of `grid` values, without empty ones. O(points)."""
        through = np.concatenate([[0], bounds.least_through])
        below = np.append(bounds.most_below, bounds.n)
        first = np.concatenate([[0], np.stack([bounds.cells, bounds.cells + 1], axis=1).reshape(-1)])
        least, most = np.repeat(through, 2)[:-1], np.repeat(below, 2)[1:]
        stored = np.arange(first.size) % 2
        some = np.diff(first, append=grid) > 0
        return cls(np.append(first[some], grid), least[some], most[some], stored[some])

    def distances(self, target: Fraction) -> Floats:
        """Return how far the target lies from each class's bounds, in records: negative for classes below it."""
        whole = int(target)
        rest = float(target - whole)
        too_high = np.maximum(self.least - whole - rest, 0.0)
        too_low = np.maximum(whole - self.most + rest, 0.0)
        return np.asarray(too_high - too_low, dtype=np.float64)

    def distance(self, at: int, target: Fraction) -> Fraction:
        """Return the exact distance of one class, without the sign."""
        return max(int(self.least[at]) - target, target - int(self.most[at]), Fraction(0))

    def log_weights(self, target_level: TargetLevel, n: int) -> Floats:
        """Return the log weight of each index of a class, where there are n records."""
        distances = np.abs(self.distances(target_level.target(n)))
        return np.maximum(-target_level.rate_as_float * distances, log(WEIGHT_FLOOR))

    def probabilities(self, target_level: TargetLevel, n: int) -> Floats:
        """Return the probability of each class."""
        weights = np.diff(self.first) * np.exp(self.log_weights(target_level, n))
        return np.asarray(weights / weights.sum(), dtype=np.float64)

    def log_density(self, cells: Integers, target_level: TargetLevel, n: int) -> Floats:
        """Return the log probability of each of the indices, same shape."""
        logs = self.log_weights(target_level, n)
        of_cell = np.searchsorted(self.first, cells, side="right") - 1
        return np.asarray(logs[of_cell] - np.log(np.sum(np.diff(self.first) * np.exp(logs))), dtype=np.float64)

    def draw(self, target_level: TargetLevel, n: int, entropy: Entropy) -> Integers:
        """Return drawn indices, shape (entropy.trials,). O(classes), and O(log classes) for each trial."""
        if isinstance(entropy, ExactEntropy):
            return np.array([self._draw_exact(target_level.target(n), target_level.rate, entropy)], np.int64)
        assert isinstance(entropy, FastEntropy), "there are two samplers"
        sums = np.cumsum(self.probabilities(target_level, n))
        at = entropy.choices(sums, entropy.trials)
        return np.asarray(self.first[at] + entropy.below(np.diff(self.first)[at]), dtype=np.int64)

    def _draw_exact(self, target: Fraction, rate: Rate, entropy: ExactEntropy) -> int:
        step = np.clip(np.trunc(self.distances(target) * float(rate)), -_MOST_RUNS, _MOST_RUNS)
        starts = np.flatnonzero(np.diff(step, prepend=np.nan))
        ends = np.append(starts[1:], step.size)
        runs = [(int(start), int(end)) for start, end in zip(starts, ends, strict=True)]
        envelopes = [self._envelope(start, end, target, rate) for start, end in runs]
        first: list[int] = self.first[np.append(starts, step.size)].tolist()
        sums = list(accumulate(map(mul, envelopes, (high - low for low, high in pairwise(first)))))

        def attempt(entropy: ExactEntropy) -> int | None:
            run = entropy.choice(sums)
            cell = first[run] + entropy.integer_below(first[run + 1] - first[run])
            at = int(np.searchsorted(self.first, cell, side="right")) - 1
            return cell if entropy.bernoulli(_weight(self.distance(at, target), rate), envelopes[run]) else None

        return entropy.accepted(attempt)

    def _envelope(self, start: int, end: int, target: Fraction, rate: Rate) -> int:
        """Return the weight of the class of a run that is nearest to the target, which none of the others exceeds.

        Distances fall towards the target and rise from there, so that it is an end of the run, or one with distance
        0.
        """
        nearest = min(self.distance(start, target), self.distance(end - 1, target))
        holds_target = int(self.least[start]) <= target <= int(self.most[end - 1])
        return _weight(Fraction(0) if holds_target else nearest, rate)


def _weight(distance: Fraction, rate: Rate) -> int:
    """Return the integer weight of an index: from 2^254 * exp(-rate * distance) to (1 + 2^-126) times that."""
    return max(ceil_exp(rate * distance), 1 << FLOOR_BITS)


def error_of_one_level(threshold: int, cells: int, epsilon: float, beta: float = USUAL_BETA) -> float:
    """Return the error of the sketch and of noise of sensitivity E for one level: after [BSPACE] Theorem 4.11.

    E is the `threshold` of the sketch, max(1, floor(2 alpha n_max)): `sketches.merge_threshold`.
    """
    check_positive(threshold=threshold)
    return threshold - 1 + error_of_one_draw(cells, epsilon, beta, threshold)


def for_each_level(
    levels: tuple[Fraction, ...], cells: int, privacy: Privacy, beta: float, threshold: int
) -> Bound | None:
    """Return the bound for each of m independent draws, with beta / m; a sketch with E = 1 counts as all records."""
    m = len(levels)
    if m == 0 or threshold == 1:
        return one_by_one(levels, cells, privacy, beta)
    error = error_of_one_level(threshold, cells, epsilon_of_each(m, privacy), beta / m)
    return Bound(error, "after BSPACE, Theorem 4.11, for each level")
