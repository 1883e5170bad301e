"""The exact sampler: whole random bits of the operating system, compared with exact numbers.

Noise on counts is drawn by `integer_noise`, exponential weights by `choice` and `accept`: propose in floats, accept
exactly.

Setting. Option i has the weight W_i = a_i exp(-x_i), a_i and x_i exact rational numbers. Floats know its logarithm only
roughly: let l_i >= log W_i - 2^-21. It may be too large by anything, which costs time alone. Let m be the largest l_i.

One attempt. `whole_weights` makes integers v_i >= S exp(l_i - m) (1 - 2^-30), S = 2^40; V is their sum.
`ExactEntropy.choice` proposes i with chance v_i / V. `ExactEntropy.accept` accepts it with chance
    ONE_LESS S a_i / v_i * exp(-(x_i + m)),   ONE_LESS = 1 - 2^-20.
Otherwise everything starts again.

Theorem. The accepted option is i with chance W_i / sum W, exactly. Proof. An attempt ends with i with chance
v_i / V * ONE_LESS S W_i exp(-m) / v_i = W_i * (ONE_LESS S exp(-m) / V). The factor in brackets is the same for all i,
no matter how v and m were rounded. So the chance of i among what is accepted is W_i / sum W, and the number of attempts
is independent of i.

The chance of `accept` is at most 1: W_i exp(-m) <= exp(l_i - m + 2^-21) <= v_i / S * exp(2^-21) / (1 - 2^-30), and
(1 - 2^-20) exp(2^-21) / (1 - 2^-30) < 1. Where W_i exp(-m) <= 1 / S no l_i is needed, since v_i >= 1.

`whole_weights` keeps its promise. Where l_i - m <= -28, S exp(l_i - m) < 1 <= v_i. Elsewhere the difference is off by
less than 2^-47 and numpy's exp by a few units of 2^-53, which is less than 2^-30 together; scaling by a power of two is
exact, and ceil rounds upwards. V <= 2^21 (S + 2^11) < 2^62 for up to 2^21 options.

A path of several choices s multiplies their V_s / v. Then exp(-m) is replaced by exp(-B), B a bound for the whole path,
and ONE_LESS is raised to a power that is the same for all paths.
"""

from __future__ import annotations

import secrets
from bisect import bisect_right
from collections.abc import Sequence
from fractions import Fraction
from math import exp, ldexp, log, prod

import numpy as np

from ..arrays import Flags, Floats, Integers
from . import integer_noise
from .entropy import Entropy
from .integer_noise import Size, exp_between

ONE_LESS = 1 - Fraction(1, 2**20)
"""The part of its largest possible chance with which a proposal is accepted: room for the rounding of floats."""
SCALE_BITS = 40
"""S = 2^40."""
ACCEPTED = int(ONE_LESS * 2**SCALE_BITS)
"""ONE_LESS S."""


def whole_weights(logs: Floats) -> tuple[Integers, Floats]:
    """Return integers v close above S exp(logs - m), and m, the largest of each row; options are the last axis.

    v is 0 where a logarithm is -inf, and 1 at least elsewhere. Each row needs one that is finite.
    """
    largest = logs.max(axis=-1)
    assert logs.shape[-1] <= 2**21, "the sum of weights fits an integer"
    assert np.isfinite(largest).all(), "each row has an option, and no logarithm is NaN"
    raised = np.ceil(np.ldexp(np.exp(logs - largest[..., None]), SCALE_BITS))
    return np.where(logs == -np.inf, 0, np.maximum(raised, 1)).astype(np.int64), largest


def at_most(ratio: Fraction, exponent: Fraction, bits: int) -> float:
    """Return more than 2^bits * ratio * exp(-exponent), or 2^bits where that is less; 1 at least: no chance is 0.

    Floats are off by a few units of 2^-53 of each of three logarithms; what is added is 2^10 times that.
    """
    logs = log(ratio.numerator), log(ratio.denominator), float(exponent)
    spare = 2.0**-10 + 2.0**-40 * sum(map(abs, logs))
    return max(ldexp(exp(min(logs[0] - logs[1] - logs[2] + spare, 0.0)), bits), 1.0)


def chance_between(ratio: Fraction, exponent: Fraction, bits: int) -> tuple[int, int]:
    """Return integers low <= 2^bits * ratio * exp(-exponent) <= high, which differ by 2 at most; ratio > 0."""
    over, under = ratio.as_integer_ratio()
    spare = max(over.bit_length() - under.bit_length(), 0) + 8
    low, high = exp_between(exponent, bits + spare)
    return low * over // under >> spare, -(-high * over // under >> spare)


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
