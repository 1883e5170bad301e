"""The exact sampler: whole random bits of the operating system, compared with exact numbers.

Exponential weights are drawn by `choice` and `accept` (`noise.proposals`), noise on counts by `integer_noise`.
"""

from __future__ import annotations

import secrets
from bisect import bisect_right
from collections.abc import Sequence
from fractions import Fraction
from math import prod

import numpy as np

from ..arrays import Flags, Integers
from . import integer_noise
from .entropy import Entropy
from .integer_noise import Size
from .proposals import at_most, chance_between

WORD = 32  # bits that a coin reads at a time


class ExactEntropy(Entropy):
    """The exact sampler, one run at a time; each method is one draw, from a distribution that its arguments state."""

    exact = True
    trials = 1

    def below(self, limits: Integers) -> Integers:
        """Return independent uniform integers, 0 <= x < limit."""
        drawn = [self.integer_below(limit) for limit in limits.reshape(-1).tolist()]
        return np.array(drawn, dtype=np.int64).reshape(limits.shape)

    def integer_below(self, limit: int) -> int:
        """Return one uniform integer, 0 <= x < limit, of any size: random bits, read again while they are too large."""
        bits = (limit - 1).bit_length()
        while (drawn := secrets.randbits(bits)) >= limit:
            pass
        return drawn

    def bernoulli(self, numerator: int, denominator: int) -> bool:
        """True with probability numerator / denominator, or 1 where that is more."""
        return self.integer_below(denominator) < numerator

    def accept(self, ratio: Fraction, exponent: Fraction) -> bool:
        """True with probability ratio * exp(-exponent), exactly, which must be at most 1; ratio > 0.

        Random bits are the first ones of a uniform real U; more are read until they decide whether it lies below.
        Mostly floats can tell from the first ones that it does not.
        """
        bits, drawn = WORD, secrets.randbits(WORD)
        if drawn >= at_most(ratio, exponent, WORD):
            return False
        while True:
            low, high = chance_between(ratio, exponent, bits)
            assert low <= 1 << bits, "a proposal is never rarer than its weight"
            if drawn < low:
                return True
            if drawn >= high:
                return False
            bits, drawn = bits + WORD, drawn << WORD | secrets.randbits(WORD)

    def coins(self, numerator: int, denominator: int) -> Flags:
        """One coin for each run, (trials,): true with probability numerator / denominator."""
        return np.array([self.bernoulli(numerator, denominator)])

    def choice(self, sums: Sequence[int] | Integers) -> int:
        """A place with probability proportional to its weight, from the running sums of integer weights."""
        return bisect_right(sums, self.integer_below(int(sums[-1])))

    def discrete_laplace(self, scale: Size, shape: tuple[int, ...]) -> Integers:
        """Return independent integers, P(k) exactly proportional to exp(-|k| / scale); scale > 0 and rational."""
        return integer_noise.discrete_laplace(scale, prod(shape)).reshape(shape)

    def discrete_gaussian(self, sigma_squared: Size, shape: tuple[int, ...]) -> Integers:
        """Return independent integers, P(k) exactly proportional to exp(-k^2 / (2 sigma_squared)); rational and > 0."""
        return integer_noise.discrete_gaussian(sigma_squared, prod(shape)).reshape(shape)
