"""The fast sampler: a seeded numpy generator. Repeatable, vectorised, and never a release.

Mechanisms pass weights and chances, and never get a uniform float, so that `audit.branching` can follow all outcomes.
"""

from __future__ import annotations

from functools import lru_cache
from math import exp, prod, sqrt

import numpy as np

from ..arrays import Flags, Floats, Integers
from .entropy import Entropy
from .integer_noise import Size

MOST_TABLED = 2.0**30
"""Above this variance a rounded normal number has the discrete Gaussian's weights up to a factor of 1 + 10^-8."""


class SeededSampler(Entropy):
    """The fast sampler: seeded randomness for `trials` runs side by side; see `noise.Entropy`.

    `part` makes independent children of one seed, so that part 17 is the same whether or not part 16 ran.
    """

    exact = False

    def __init__(self, seed: int, trials: int = 1, part: int = 0) -> None:
        self.trials = trials
        self._generator = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(part,)))

    def below(self, limits: Integers) -> Integers:
        """Return independent uniform integers, 0 <= x < limit."""
        return self._generator.integers(0, limits, dtype=np.int64)

    def coins(self, numerator: int, denominator: int) -> Flags:
        """One coin for each run, (trials,): true with probability numerator / denominator, denominator < 2^63."""
        return np.asarray(self.below(np.full(self.trials, denominator)) < numerator, dtype=np.bool_)

    def bernoulli(self, chances: Floats) -> Flags:
        """Return independent flags, true with each of these probabilities, or 1 where that is more."""
        return np.asarray(self._generator.random(chances.size) < chances, dtype=np.bool_)

    def choice(self, sums: Floats) -> Integers:
        """Return a place for each row of running sums (rows, places), with probability proportional to its weight."""
        points = self._points(sums[:, -1])
        return np.asarray(np.count_nonzero(sums <= points[:, None], axis=1), dtype=np.int64)

    def choices(self, sums: Floats, count: int) -> Integers:
        """Return `count` places, each with probability proportional to its weight, from the running sums (places,)."""
        return np.searchsorted(sums, self._points(np.broadcast_to(sums[-1], count)), side="right")

    def choice_within(self, sums: Floats, first: Integers, last: Integers) -> Integers:
        """Return a place first <= x < last for each pair, with probability proportional to sums[x + 1] - sums[x].

        `sums` rise from each `first` to its `last`, and sums[first] < sums[last]. By bisection.
        """
        below, above = first, last
        points = np.maximum(sums[first] + self._points(sums[last] - sums[first]), sums[first])
        points = np.minimum(points, np.nextafter(sums[last], -np.inf))
        for _ in range(int((last - first).max(initial=1) - 1).bit_length()):
            middle = (below + above) >> 1
            right = sums[middle] <= points
            below, above = np.where(right, middle, below), np.where(right, above, middle)
        return below

    def _points(self, totals: Floats) -> Floats:
        """Return uniform floats below each total; one that would be rounded up to the total stays below it."""
        return np.minimum(self._generator.random(totals.size) * totals, np.nextafter(totals, 0.0))

    def discrete_laplace(self, scale: Size, shape: tuple[int, ...]) -> Integers:
        """Return independent integers, P(k) proportional to exp(-|k| / scale), as differences of geometric counts."""
        stop = -np.expm1(-1 / float(scale)) if scale > 0.002 else 1 - exp(-700)
        first, second = self._generator.geometric(stop, shape), self._generator.geometric(stop, shape)
        return np.asarray(first - second, dtype=np.int64)

    def discrete_gaussian(self, sigma_squared: Size, shape: tuple[int, ...]) -> Integers:
        """Return independent integers, P(k) proportional to exp(-k^2 / (2 sigma_squared)), by a table of sums."""
        if sigma_squared > MOST_TABLED:
            return np.rint(self._generator.normal(0, sqrt(sigma_squared), shape)).astype(np.int64)
        sums = _gaussian_sums(float(sigma_squared))
        return self.choices(sums, prod(shape)).reshape(shape) - sums.size // 2


@lru_cache(maxsize=8)
def _gaussian_sums(sigma_squared: float) -> Floats:
    """Return P(X <= k) for k = -reach .. reach; what lies beyond weighs less than 2^-53."""
    farthest = int(9 * sqrt(sigma_squared)) + 2
    weights = np.exp(-(np.arange(-farthest, farthest + 1) ** 2) / (2 * sigma_squared))
    sums = np.cumsum(weights)
    return np.asarray(np.minimum(sums / sums[-1], 1.0), dtype=np.float64)
