"""Positive numbers of any size for JointExp: float64 mantissas with integer exponents beside them.

Weights of whole tuples reach 2^-7000 of each other, far beyond a float64, and every one of them counts for a pure
claim. Here nothing underflows, nothing is subtracted, and every operation has a relative error of at most 2^-53.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from types import EllipsisType
from typing import TypeAlias

import numpy as np

from ...arrays import Floats, Integers

NOTHING = -(2**50)
"""The exponent of a zero: below all others, and still so after a few additions."""
NEGLIGIBLE = 80
"""A term this many binary orders below another one is left out of their sum: at most 2^-78 of it."""
RATE_BITS = 32
"""Rates are whole multiples of 2^-32, so that exponents rate * count split exactly into integer and fraction."""
_SPAN = 800
_BLOCK = 256
_POWERS = np.append(np.ldexp(1.0, -np.arange(1000)), 0.0)
"""2^0, 2^-1, ..., 2^-999, and 0 for all below."""


Place: TypeAlias = int | slice | Integers | EllipsisType | None
"""The index in the brackets of an array, for one of its dimensions."""


@dataclass(frozen=True)
class Wide:
    """Non-negative numbers mantissa * 2^exponent, arrays of one shape; mantissas in [1/2, 1), or 0."""

    mantissa: Floats
    exponent: Integers

    @classmethod
    def of(cls, numbers: Floats, exponent: Integers | int) -> Wide:
        """The numbers times 2^exponent; they are positive normal floats or 0."""
        mantissa, shift = np.frexp(numbers)
        raised = np.add(exponent, shift, dtype=np.int64)
        if not mantissa.all():
            raised[mantissa == 0] = NOTHING
        return cls(mantissa, raised)

    @classmethod
    def nothing(cls, shape: int | tuple[int, ...]) -> Wide:
        """Zeros."""
        return cls(np.zeros(shape), np.full(shape, NOTHING, np.int64))

    def __getitem__(self, at: Place | tuple[Place, ...]) -> Wide:
        return Wide(self.mantissa[at], self.exponent[at])

    def __add__(self, other: Wide) -> Wide:
        top = np.maximum(self.exponent, other.exponent)
        return Wide.of(scaled(self, top) + scaled(other, top), top)

    def times(self, mantissa: float, exponent: int) -> Wide:
        """The numbers times mantissa * 2^exponent, as a `product`."""
        return Wide(self.mantissa * mantissa, self.exponent + exponent)

    def take(self, places: Integers) -> Wide:
        """The numbers at places of the flattened array."""
        return Wide(self.mantissa.take(places), self.exponent.take(places))


def scaled(numbers: Wide, top: Integers | int) -> Floats:
    """The numbers over 2^top as plain floats, `top` not below their exponents; below 2^-999 they are 0."""
    return np.asarray(numbers.mantissa * _POWERS.take(top - numbers.exponent, mode="clip"), dtype=np.float64)


def product(first: Wide, second: Wide) -> Wide:
    """The product for a sum or a draw: mantissas in [1/8, 1] or 0, not brought back to [1/2, 1)."""
    return Wide(first.mantissa * second.mantissa, first.exponent + second.exponent)


def powers(rate: int, counts: Integers) -> Wide:
    """2^(rate * counts / 2^RATE_BITS), counts of either sign below 2^31; off by at most 4 units of 2^-53.

    The exponent is split exactly into integer and fraction; only the power of the fraction is rounded.
    """
    whole, part = rate >> RATE_BITS, rate & ((1 << RATE_BITS) - 1)
    product = part * counts
    fraction = (product & ((1 << RATE_BITS) - 1)) / 2.0**RATE_BITS
    return Wide(np.exp2(fraction - 1), whole * counts + (product >> RATE_BITS) + 1)


def power(exponent: Fraction) -> tuple[float, int]:
    """2^exponent as mantissa and exponent; off by at most 4 units of 2^-53."""
    whole = exponent.numerator // exponent.denominator
    return 2.0 ** (float(exponent - whole) - 1), whole + 1


class Ramp:
    """Powers 2^(rate * i) and 2^(-rate * i) for i = 0..size-1, and single ones, of one rate."""

    def __init__(self, rate: int, size: int) -> None:
        self.rate = rate
        self.up, self.down = powers(rate, np.arange(size)), powers(-rate, np.arange(size))

    def power(self, count: Fraction) -> tuple[float, int]:
        """2^(rate * count)."""
        return power(count * Fraction(self.rate, 2**RATE_BITS))


def in_rows(numbers: Wide, width: int) -> Wide:
    """The last axis in rows of this width; zeros fill up the last row, with the exponent of the last number."""
    *others, size = numbers.mantissa.shape
    rows = -(-size // width)
    mantissa, exponent = np.zeros((*others, rows * width)), np.empty((*others, rows * width), np.int64)
    mantissa[..., :size], exponent[..., :size] = numbers.mantissa, numbers.exponent
    exponent[..., size:] = numbers.exponent[..., -1:]
    return Wide(mantissa.reshape(*others, rows, width), exponent.reshape(*others, rows, width))


def running_sums(terms: Wide) -> Wide:
    """Sums of the first one, two, ... terms along the last axis, all with their full relative accuracy.

    Where the exponents of the sums span little, a common one serves a plain cumulative sum. Its mantissas are above
    2^-_SPAN / 8 and not brought back to [1/2, 1), for a `product` or a +, which then loses less than 2^-160 of the
    sum. Else terms are added by doubling, in about log2 of their number of steps.
    """
    top = terms.exponent.max(axis=-1, keepdims=True)
    if _sums_span_little(terms, top):
        return _plain_sums(scaled(terms, top), top)
    sums, step = terms, 1
    while step < terms.mantissa.shape[-1]:
        earlier = Wide.nothing(terms.mantissa.shape)
        earlier.mantissa[..., step:] = sums.mantissa[..., :-step]
        earlier.exponent[..., step:] = sums.exponent[..., :-step]
        sums, step = sums + earlier, 2 * step
    return sums


def sums_both_ways(rows: Wide) -> tuple[Wide, Wide]:
    """`running_sums` of the rows as they are, and of the rows read backwards."""
    backwards, top = rows[..., ::-1], rows.exponent.max(axis=-1, keepdims=True)
    if _sums_span_little(rows, top) and _sums_span_little(backwards, top):
        plain = scaled(rows, top)
        return _plain_sums(plain, top), _plain_sums(plain[..., ::-1], top)
    return running_sums(rows), running_sums(backwards)


def _sums_span_little(terms: Wide, last: Integers) -> bool:
    """Whether the exponents of running sums do, from the first number that is not 0; `last`: the largest exponents."""
    first = terms.exponent[..., :1]
    if first.min() < NOTHING // 2:
        tops = np.maximum.accumulate(terms.exponent, axis=-1)
        first = np.where(tops > NOTHING // 2, tops, last).min(axis=-1, keepdims=True)
    return bool((last - first).max() <= _SPAN)


def _plain_sums(numbers: Floats, top: Integers) -> Wide:
    """Running sums of numbers * 2^top."""
    sums = _cumulative(numbers)
    exponent = np.empty(sums.shape, np.int64)
    exponent[...] = top
    if not sums[..., 0].all():
        exponent[sums == 0] = NOTHING
    return Wide(sums, exponent)


def sum_of_products(first: Wide, second: Wide) -> Wide:
    """The sum of first * second over the first axis; terms negligible beside the largest are left out."""
    exponent = first.exponent + second.exponent
    top = exponent.max(axis=0)
    below = top - exponent
    nearest = below.min(axis=tuple(range(1, below.ndim)))
    rows = slice(0, np.flatnonzero(nearest < NEGLIGIBLE)[-1] + 1)
    terms = first.mantissa[rows] * second.mantissa[rows]
    terms *= _POWERS.take(below[rows], mode="clip")
    return Wide.of(terms.sum(axis=0), top)


def total(terms: Wide) -> Wide:
    """The sums of all terms along the last axis."""
    top = terms.exponent.max(axis=-1, keepdims=True)
    return Wide.of(scaled(terms, top).sum(axis=-1), top[..., 0])


def _cumulative(numbers: Floats) -> Floats:
    """np.cumsum along the last axis in blocks: no sum passes through more than 1280 additions up to 2^31 terms."""
    length = numbers.shape[-1]
    if length <= 2 * _BLOCK:
        return np.cumsum(numbers, axis=-1)
    blocks = -(-length // _BLOCK)
    padded = np.zeros((*numbers.shape[:-1], blocks * _BLOCK))
    padded[..., :length] = numbers
    inner = np.cumsum(padded.reshape(*numbers.shape[:-1], blocks, _BLOCK), axis=-1)
    inner[..., 1:, :] += _cumulative(inner[..., -1])[..., :-1, None]
    return inner.reshape(padded.shape)[..., :length]
