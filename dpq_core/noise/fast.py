"""The fast lane: a seeded numpy generator. Repeatable, vectorised, and never a release."""

from __future__ import annotations

from fractions import Fraction
from math import exp

import numpy as np
from numpy.typing import NDArray


class FastEntropy:
    """Seeded randomness for `trials` runs side by side. See `noise.Entropy`.

    `part` makes independent children of one seed, so that part 17 is the same whether or not part 16 ran.
    """

    exact = False

    def __init__(self, seed: int, trials: int = 1, part: int = 0) -> None:
        self.trials = trials
        self._generator = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(part,)))

    def uniform(self, count: int) -> NDArray[np.float64]:
        """Floats in [0, 1)."""
        return self._generator.random(count)

    def below(self, limits: NDArray[np.int64]) -> NDArray[np.int64]:
        """Independent uniform integers, 0 <= x < limit."""
        return self._generator.integers(0, limits, dtype=np.int64)

    def discrete_laplace(self, scale: Fraction, shape: tuple[int, ...]) -> NDArray[np.int64]:
        """Independent integers with P(k) proportional to exp(-|k| / scale): the difference of two geometric counts."""
        stop = -np.expm1(-1 / float(scale)) if scale > 0.002 else 1 - exp(-700)
        first, second = self._generator.geometric(stop, shape), self._generator.geometric(stop, shape)
        return np.asarray(first - second, dtype=np.int64)
