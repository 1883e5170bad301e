"""Exact integer noise: whole arrays from words of the operating system's entropy, decided by integers alone.

Idea. A uniform real U is read in words of 62 bits. To decide whether U < p for p = exp(-x), x rational, the first word
is compared with floor(2^62 p): if they differ, the answer is certain; if they are equal (once in 2^62), U and p are
read further. That is exact for the real number p, and arrays are decided by one search in a table of integers.

- Discrete Laplace, P(k) proportional to exp(-|k| / scale): the difference of two independent geometric counts, each
  with P(G >= k) = exp(-k / scale).

- Discrete Gaussian, P(k) proportional to exp(-k^2 / (2 sigma^2)): Canonne, Kamath & Steinke 2020, Algorithm 3, by
  rejection from the discrete Laplace distribution.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache
from math import ceil, isqrt
from typing import NewType

import numpy as np
from numpy.typing import NDArray

from ..arrays import Flags, Integers

Size = NewType("Size", Fraction)
"""The scale of Laplace noise, or the variance of Gaussian noise; only what is calibrated makes one (`counts.Noise`)."""
WORD = 62
"""Bits of a word: the most that leave room in an int64."""
MOST_TABLED = 64
"""A geometric count of a larger scale is split into a high part of at most this scale, and low bits."""
LARGEST_SCALE = 2**50
"""Above this, noise would not fit into an int64."""


def discrete_laplace(scale: Fraction, count: int) -> Integers:
    """Return independent integers with P(k) proportional to exp(-|k| / scale); O(count) for scales up to 64."""
    assert 0 < scale <= LARGEST_SCALE, "checked where scales are made"
    drawn = _geometric(1 / scale, 2 * count)
    return drawn[:count] - drawn[count:]


def discrete_gaussian(sigma_squared: Fraction, count: int) -> Integers:
    """Return independent integers with P(k) proportional to exp(-k^2 / (2 sigma_squared)): Algorithm 3, O(count)."""
    assert 0 < sigma_squared <= LARGEST_SCALE**2, "checked where scales are made"
    t = isqrt(int(sigma_squared)) + 1  # floor(sigma) + 1
    return _first_accepted(
        count,
        lambda missing: discrete_laplace(Fraction(t), missing + missing // 2 + 8),
        lambda size: (size - sigma_squared / t) ** 2 / (2 * sigma_squared),
    )


def _first_accepted(count: int, propose: Callable[[int], Integers], exponent: Callable[[int], Fraction]) -> Integers:
    """Return the first `count` proposals that are accepted, each with probability exp(-exponent(its size))."""
    accepted_noise = [np.empty(0, np.int64)]
    while missing := count - sum(map(len, accepted_noise)):
        proposed = propose(missing)
        sizes, which = np.unique(np.abs(proposed), return_inverse=True)
        exponents = [exponent(size) for size in sizes.tolist()]
        accepted_noise.append(proposed[_bernoulli_exp(exponents, which)][:missing])
    return np.concatenate(accepted_noise)


def exp_floor(exponent: Fraction, bits: int) -> int:
    """Return floor(2^bits * exp(-exponent)): exp of a rational number other than 0 is irrational, so bounds agree."""
    more = 16
    while True:
        low, high = (bound >> more for bound in exp_between(exponent, bits + more))
        if low == high:
            return low
        more *= 2


def exp_between(exponent: Fraction, bits: int) -> tuple[int, int]:
    """Return integers low <= 2^bits * exp(-exponent) <= high, which differ by 4 at most where |exponent| < 2^39.

    Quotient, exp and product are correctly rounded to some digits. So the quotient is off by |exponent| 10^(1 - digits)
    and the result by less than (|exponent| + 3) 10^(2 - digits) of itself, before it is rounded down.
    """
    if exponent == 0:
        return 1 << bits, 1 << bits
    size = float(exponent)
    digits = max(int(bits * 0.30103 - size * 0.43429), 0) + 14
    context = _context(digits)
    quotient = context.divide(Decimal(-exponent.numerator), Decimal(exponent.denominator))
    found = int(context.multiply(context.exp(quotient), Decimal(1 << bits)))
    error = found * (int(abs(size)) + 4) // 10 ** (digits - 2) + 2
    return max(found - error, 0), found + error


@lru_cache(maxsize=64)
def _context(digits: int) -> Context:
    return Context(prec=digits)


def _geometric(rate: Fraction, count: int) -> Integers:
    """Return independent counts with P(G >= k) = exp(-rate k).

    G = low + block * high, independent: P(high >= k) = exp(-rate block k), P(low) proportional to exp(-rate low).
    """
    block = 1 << max(ceil(1 / (rate * MOST_TABLED)) - 1, 0).bit_length()
    high = _tabled_geometric(rate * block, count)
    if block == 1:
        return high
    low = _first_accepted(count, lambda missing: _words(missing + missing // 16 + 8) & (block - 1), lambda k: rate * k)
    return high * block + low


def _tabled_geometric(rate: Fraction, count: int) -> Integers:
    """Return independent counts with P(G >= k) = exp(-rate k), each the number of k with U < exp(-rate k).

    A count that reaches the table's end goes on from there with a fresh draw: the distribution has no memory.
    """
    floors = _floors(rate, WORD)
    total, unfinished = np.zeros(count, np.int64), np.arange(count)
    while unfinished.size:
        words = _words(unfinished.size)
        above = floors.size - np.searchsorted(floors, words, side="right")
        for at in np.flatnonzero(floors[np.maximum(floors.size - 1 - above, 0)] == words):
            above[at] = _count_above(int(words[at]), [rate * k for k in range(1, floors.size + 1)])
        total[unfinished] += above
        unfinished = unfinished[above == floors.size]
    return total


@lru_cache(maxsize=64)
def _floors(rate: Fraction, bits: int) -> Integers:
    """Return floor(2^bits exp(-rate k)) for k = K .. 1, increasing; the end K is reached about once in 10^7 draws."""
    last = max(ceil(16 / rate), 1)
    floors = np.array([exp_floor(rate * k, bits) for k in range(last, 0, -1)], np.int64)
    floors.flags.writeable = False
    return floors


def _bernoulli_exp(exponents: Sequence[Fraction], which: NDArray[np.intp]) -> Flags:
    """Return independent flags, true with probability exp(-exponents[which])."""
    floors = np.array([exp_floor(exponent, WORD) for exponent in exponents], np.int64)[which]
    words = _words(which.size)
    accepted = words < floors
    for at in np.flatnonzero(words == floors):
        accepted[at] = _count_above(int(words[at]), [exponents[which[at]]]) == 1
    return accepted


def _count_above(word: int, exponents: Sequence[Fraction]) -> int:
    """Return for how many exponents U < exp(-exponent); `word` is the first word of U, more are read as needed."""
    bits, above, open_ones = WORD, 0, list(exponents)
    while True:
        floors = [exp_floor(exponent, bits) for exponent in open_ones]
        above += sum(word < floor for floor in floors)
        open_ones = [exponent for exponent, floor in zip(open_ones, floors, strict=True) if word == floor]
        if not open_ones:
            return above
        word, bits = (word << WORD) | secrets.randbits(WORD), bits + WORD


def _words(count: int) -> Integers:
    """Return independent uniform integers below 2^62 from the operating system."""
    return (np.frombuffer(os.urandom(8 * count), np.uint64) >> np.uint64(64 - WORD)).astype(np.int64)
