"""Propose in floats, accept exactly: how the exact sampler draws from exponential weights.

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

from fractions import Fraction
from math import exp, ldexp, log

import numpy as np

from ..arrays import Floats, Integers
from .integer_noise import exp_between

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
