"""The exact sampler: draws from the operating system's entropy by integers alone; JointExp's weights are float64.

`CeilTable` holds the integer weights of the exponential mechanism (the proof is there); noise on counts is drawn by
`integer_noise`.
"""

from __future__ import annotations

import secrets
from bisect import bisect_right
from collections.abc import Callable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from math import prod
from typing import Any, TypeVar

import numpy as np

from ..arrays import Flags, Integers
from . import integer_noise
from .integer_noise import Size

T = TypeVar("T")

FLOOR_BITS = 128
"""Weights never fall below 2^128, so that rounding one up changes it by a factor of at most 1 + 2^-127."""
TOP_BITS = FLOOR_BITS + 126
"""The weight at distance 0 is 2^254: a domain of 2^62 sub-indices at the floor weighs 2^-64 of one at the top."""
WEIGHT_FLOOR = 2.0 ** (FLOOR_BITS - TOP_BITS)
"""The floor as a fraction of the weight at distance 0, for the fast sampler."""
SMALLEST_RATE = Fraction(1, 2**38)
"""Below this the table's rounding could use up the guard of `exponential.guarded`."""
_DIGITS = 60
_INFLATION = Decimal(f"1.{1:0{_DIGITS - 3}d}")  # 1 + 10^-57
_TOP = Decimal(1 << TOP_BITS)


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
    """Return an integer from 2^254 exp(-exponent) to less than 1 + 2^-126 times that; exponent >= 0.

    `Decimal.exp` is correctly rounded; the quotient before it is rounded towards zero, both to 60 digits, so that the
    exponent (at most 254) is off by less than 10^-57 and a factor of 1 + 10^-57 makes up for both.
    """
    if exponent > TOP_BITS:
        return 1
    down, up = Context(prec=_DIGITS, rounding=ROUND_FLOOR), Context(prec=_DIGITS, rounding=ROUND_CEILING)
    quotient = down.divide(Decimal(exponent.numerator), Decimal(exponent.denominator))
    power = down.exp(quotient.copy_negate())  # a plain minus would round to the thread's own context
    return int(up.multiply(up.multiply(power, _INFLATION), _TOP).to_integral_value(ROUND_CEILING))


class ExactEntropy:
    """The exact sampler, one run at a time; see `noise.Entropy`.

    Each method is one draw, from a distribution that its arguments state: `audit.branching` follows all outcomes.
    """

    exact = True
    trials = 1

    def below(self, limits: Integers) -> Integers:
        """Return independent uniform integers, 0 <= x < limit."""
        drawn = [secrets.randbelow(int(limit)) for limit in limits.reshape(-1)]
        return np.array(drawn, dtype=np.int64).reshape(limits.shape)

    def integer_below(self, limit: int) -> int:
        """Return one uniform integer, 0 <= x < limit, of any size."""
        return secrets.randbelow(limit)

    def bernoulli(self, numerator: int, denominator: int) -> bool:
        """True with probability numerator / denominator, or 1 where that is more."""
        return self.integer_below(denominator) < numerator

    def coins(self, numerator: int, denominator: int) -> Flags:
        """One coin for each run, (trials,): true with probability numerator / denominator."""
        return np.array([self.bernoulli(numerator, denominator)])

    def choice(self, sums: Sequence[int]) -> int:
        """A place with probability proportional to its weight, from the running sums of integer weights."""
        return bisect_right(sums, self.integer_below(sums[-1]))

    def accepted(self, attempt: Callable[[Any], T | None]) -> T:
        """What the first attempt gives that is not None; attempts are independent and change nothing else."""
        while (found := attempt(self)) is None:
            pass
        return found

    def accepted_soon(self, attempt: Callable[[Any], T | None], tries: int) -> T | None:
        """What the first of `tries` attempts gives that is not None, or None; attempts as for `accepted`.

        Code that draws in another way where it is None must use the same distribution.
        """
        found = (attempt(self) for _ in range(tries))
        return next((each for each in found if each is not None), None)

    def discrete_laplace(self, scale: Size, shape: tuple[int, ...]) -> Integers:
        """Return independent integers, P(k) exactly proportional to exp(-|k| / scale); scale > 0 and rational."""
        return integer_noise.discrete_laplace(scale, prod(shape)).reshape(shape)

    def discrete_gaussian(self, sigma_squared: Size, shape: tuple[int, ...]) -> Integers:
        """Return independent integers, P(k) exactly proportional to exp(-k^2 / (2 sigma_squared)); rational and > 0."""
        return integer_noise.discrete_gaussian(sigma_squared, prod(shape)).reshape(shape)
