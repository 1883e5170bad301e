"""Noise that a test dictates, so that what a mechanism makes of its noisy counts can be enumerated."""

from __future__ import annotations

from fractions import Fraction

import pytest

from dpq_core.arrays import Integers


class Dictated:
    """Entropy whose noise is dictated: arrays (trials, counts), taken one after the other. Nothing else is drawn."""

    exact = False

    def __init__(self, *noise: Integers) -> None:
        self._noise, self.trials = list(noise), len(noise[0])

    def below(self, limits: Integers) -> Integers:
        pytest.fail(f"only noise may be drawn, not uniform integers of shape {limits.shape}")

    def discrete_laplace(self, scale: Fraction, shape: tuple[int, ...]) -> Integers:
        taken, left = self._noise[0][: shape[0]], self._noise[0][shape[0] :]
        self._noise[:1] = [left] if len(left) else []
        assert taken.shape == shape
        return taken

    discrete_gaussian = discrete_laplace
