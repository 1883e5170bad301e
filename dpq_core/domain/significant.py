"""Significant digits: 0 and every number of K digits, in a range that may be enormously wide.

With two digits: ..., -1.1, -1.0, -0.99, ..., 0, ..., 0.99, 1.0, 1.1, ..., 9.9, 10, 11, ... The values are a sorted
public table of exact decimals. A number encodes to the largest value that is not above it: a search in the table, and
nothing else. Mechanisms weigh values alike, hence uniformly in the logarithm: outer decades do not pull.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

import numpy as np

from ..arrays import Floats, Integers
from ..errors import Name, ParameterError, shown
from .numbers import Number, as_float, exact_number

MOST_DIGITS = 3
LARGEST_DECADE = 300
"""Numbers lie between 10^-300 and 10^300: there every float is a normal one, and differs from its neighbours."""
_MAGNITUDE = np.int64(2**63 - 1)
"""All bits of a float but its sign: as integers they are ordered as the magnitudes are."""


@dataclass(frozen=True)
class SignificantDigits:
    """0 and every number of `digits` significant digits from smallest to largest, and their negatives if wanted."""

    digits: int
    smallest: Fraction
    largest: Fraction
    negative: bool

    step = None
    """Neighbours do not all have the same distance."""
    tolerance = 0.0
    """A number encodes to a value below it or to itself."""

    @classmethod
    def between(cls, digits: int, smallest: Number, largest: Number, *, negative: bool) -> SignificantDigits:
        """Return the values of `Domain.significant`. Raises ParameterError."""
        if isinstance(digits, bool) or not isinstance(digits, int | np.integer) or not 1 <= digits <= MOST_DIGITS:
            raise ParameterError("digits", f"must be a whole number from 1 to {MOST_DIGITS}, got {shown(digits)}.")
        if not isinstance(negative, bool):
            raise ParameterError("negative", f"must be True or False, got {shown(negative)}.")
        low = _decimal(smallest, "smallest", int(digits))
        high = _decimal(largest, "largest", int(digits))
        if not low < high:
            raise ParameterError("largest", ("must be > ", Name("smallest"), f", got {shown(largest)}."))
        return cls(int(digits), low, high, negative)

    def __repr__(self) -> str:
        arguments = ", ".join(f"{name}={value!r}" for name, value in self.as_dict().items())
        return f"Domain.significant({arguments})"

    @property
    def lower(self) -> Fraction:
        """Return the lowest value."""
        return -self.largest if self.negative else Fraction(0)

    @property
    def upper(self) -> Fraction:
        """Return the highest value."""
        return self.largest

    @property
    def cells(self) -> int:
        """Return the number of values."""
        return int(_table(self).values.size)

    @property
    def finest_step(self) -> Fraction:
        """Return the smallest distance of two values: one unit of the last digit of the smallest."""
        return Fraction(10) ** (_exponent(self.smallest) - self.digits + 1)

    def encoder(self) -> Callable[[Floats], Integers]:
        """Return a function from a few floats to `searchsorted(values, x, side="right") - 1`, clipped to the grid."""
        return _table(self).search

    def decode(self, cells: Integers) -> Floats:
        """Return the values at indices, same shape: the float nearest to the decimal. The ends represent all numbers
        beyond.
        """
        return np.asarray(np.take(_table(self).values, cells, mode="clip"), dtype=np.float64)

    def exact(self, cell: int) -> Fraction:
        """Return the value at an index."""
        return exact_number(float(_table(self).values[cell]), "cell")

    def first_at_least(self, number: Fraction) -> int:
        """Return the first index whose value is at least a number; `cells` where there is none."""
        return bisect_left(range(self.cells), number, key=self.exact)

    def at_fractions(self, fractions: Floats) -> Floats:
        """Return the values at these fractions of the way from the first index (0) to the last one (1)."""
        places = np.floor(np.clip(fractions, 0, 1) * (self.cells - 1))
        return self.decode(places.astype(np.int64))

    def as_dict(self) -> dict[str, str | int]:
        """Return the arguments of `Domain.significant`: whole numbers, and exact text."""
        return {
            "digits": self.digits,
            "smallest": str(self.smallest),
            "largest": str(self.largest),
            "negative": self.negative,
        }


@dataclass(frozen=True, eq=False)
class _Table:
    """All values in order, and what finds one without a search.

    A float's sign, exponent and first bits of its fraction name a bucket so narrow that it holds one value at most:
    an index is the number of values up to the bucket's start, and one more if the bucket's value is not above.
    """

    values: Floats
    zero: int
    """The index of 0."""
    limits: Integers
    """The bits of the last float below each positive value, in order; then what no float exceeds."""
    shift: int
    """How many low bits of a float do not count for its bucket."""
    first: int
    """The last bucket below all positive values."""
    up_to: Integers
    """For every bucket from there on, how many positive values are at most its lowest float."""

    def search(self, x: Floats) -> Integers:
        """Return the index of the largest value that is at most each number; 0 where there is none."""
        sign = -(x < 0).astype(np.int64)
        magnitude = x.view(np.int64) & _MAGNITUDE
        magnitude += sign  # values below the next float down are those strictly below a negative number's magnitude
        count = self.up_to.take((magnitude >> self.shift) - self.first, mode="clip")
        count += magnitude > self.limits.take(count)
        count ^= sign  # -1 - count for a negative number
        count += self.zero
        return np.maximum(count, 0, out=count)


@lru_cache(maxsize=8)
def _table(grid: SignificantDigits) -> _Table:
    """Return the table of a grid: some megabytes at most, stored because every batch of a column needs it."""
    start, stop = 10 ** (grid.digits - 1), 10**grid.digits
    decades = range(_exponent(grid.smallest), _exponent(grid.largest) + 1)
    found = np.array([float(f"{m}e{e - grid.digits + 1}") for e in decades for m in range(start, stop)])
    positive = found[(found >= as_float(grid.smallest)) & (found <= as_float(grid.largest))]
    values = np.concatenate([-positive[::-1], [0.0], positive] if grid.negative else [[0.0], positive])
    bits = positive.view(np.int64)
    shift = 52
    while np.any(np.diff(bits >> shift) == 0):
        shift -= 1
    first = int(bits[0] >> shift) - 1
    starts = np.arange(first, (int(bits[-1]) >> shift) + 2, dtype=np.int64) << shift
    return _Table(
        values=values,
        zero=positive.size if grid.negative else 0,
        limits=np.append(bits - 1, _MAGNITUDE),
        shift=shift,
        first=first,
        up_to=np.searchsorted(bits, starts, side="right").astype(np.int64),
    )


def _exponent(number: Fraction) -> int:
    """Return the power of ten of the first digit of a decimal of few digits, from the text of the nearest float."""
    return Decimal(str(as_float(number))).adjusted()


def _decimal(value: Number, name: str, digits: int) -> Fraction:
    """Return a positive number of at most `digits` significant digits. Raises ParameterError."""
    number = exact_number(value, name)
    if not Fraction(1, 10**LARGEST_DECADE) <= number <= 10**LARGEST_DECADE:
        raise ParameterError(name, f"must lie between 1e-{LARGEST_DECADE} and 1e{LARGEST_DECADE}, got {shown(value)}.")
    scaled = number * 10**LARGEST_DECADE * 10**MOST_DIGITS
    if scaled.denominator != 1 or len(str(scaled.numerator).rstrip("0")) > digits:
        raise ParameterError(
            name, ("must have at most as many digits as ", Name("digits"), f" says, got {shown(value)}.")
        )
    return number
