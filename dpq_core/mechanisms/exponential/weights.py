"""Integer weights of the block samplers of one level, rounded upwards."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from ...noise.integer_noise import exp_between

FLOOR_BITS = 128
"""Weights never fall below 2^128, so that rounding one up changes it by a factor of at most 1 + 2^-127."""
TOP_BITS = FLOOR_BITS + 126
"""The weight at distance 0 is 2^254: a domain of 2^62 sub-indices at the floor weighs 2^-64 of one at the top."""
WEIGHT_FLOOR = 2.0 ** (FLOOR_BITS - TOP_BITS)
"""The floor as a fraction of the weight at distance 0, for the fast sampler."""
SMALLEST_RATE = Fraction(1, 2**38)
"""Below this the table's rounding could use up the guard of `exponential.guarded`."""


class CeilTable:
    """Integer weights w(d) close above 2^254 * max(exp(-rate * d), 2^-126), for distances d = offset, offset + 1, ...

    `rate` > 0 is public; `offset` >= 0 may depend on the data. Both are exact.
    T[0] = ceil(2^254 exp(-rate * offset)), and T[j+1] = max(2^128, ceil(T[j] * num / 2^254)) with
    num = ceil(2^254 exp(-rate)).

    Lemma. T is non-increasing, T[j] <= T[j+1] * exp(rate), and ideal <= T[j] <= ideal * (1 + 2^-75). Proof. num /
    2^254 >= exp(-rate), and rounding is upwards, which gives the first two and the lower bound. Each step multiplies
    by num / 2^254 <= exp(-rate) (1 + 2^-126) while num > 2^126 (else the floor is reached at once) and adds less than
    1 to a number of at least 2^128; the floor is reached within 88 / rate <= 2^45 steps, each contributing less than
    2^-125 to the relative error.
    """

    def __init__(self, rate: Fraction, offset: Fraction) -> None:
        assert rate >= SMALLEST_RATE, "checked where rates are made"
        assert offset >= 0, "no weight is above that of distance 0"
        self._ratio = _ratio(rate)
        self._weights = [max(ceil_exp(rate * offset), 1 << FLOOR_BITS)]

    def upto(self, count: int) -> list[int]:
        """Return at least the first `count` weights, the table's own list, which must not be changed. O(count) once."""
        weights, ratio, floor = self._weights, self._ratio, 1 << FLOOR_BITS
        while len(weights) < count:
            weights.append(max(floor, -((-weights[-1] * ratio) >> TOP_BITS)))
        return weights


@lru_cache(maxsize=1024)
def _ratio(rate: Fraction) -> int:
    """Return `ceil_exp` of a rate, cached: rates are public, and nothing that depends on data is cached."""
    return ceil_exp(rate)


def ceil_exp(exponent: Fraction) -> int:
    """Return an integer from 2^254 exp(-exponent) to less than 1 + 2^-126 times that; exponent >= 0."""
    return exp_between(exponent, TOP_BITS)[1]
