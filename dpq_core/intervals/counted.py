"""A noisy number of records, for which the ends of intervals are computed: what it costs, and how sure it is.

Where one record joins or leaves, the number n of records in one place changes by 1. So N = n + L is e-DP, where L is
discrete Laplace of scale 1 / e: P(L >= k) = a^k / (1 + a) for k >= 1, a = exp(-e). Let c be a whole number that L
exceeds with a chance of at most b. Then N - c is at most n except with that chance, for any records. The ends of the
intervals are computed for N - c records, or a few less: if there are more, they are only wider than necessary. The ends
may fail with the rest of the chance that was requested. By the union bound the chances of both failures add up, even if
one failure depends on the other. In groups all of this holds in each group alone, and so does the chance.

Where a record has a mass in units, n is the sum of the masses, and the noise is in units. A record that weighs w of U
units changes n by w, which costs w e / U. A person's masses in all groups add up to U, so the costs add up to e.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, exp, log, log1p

import numpy as np

from ..arrays import Integers
from ..errors import ParameterError
from ..noise.entropy import Entropy
from ..noise.integer_noise import LARGEST_SCALE, Size
from ..plan import MOST_RECORDS, Intervals

SHARE = Fraction(1, 20)
"""Of the budget, for the number: of 1,000 records and epsilon = 1 it is known to a tenth then."""
OF_FAILURES = Fraction(1, 10)
"""Of the chance with which intervals may fail, for a number that is too large."""
LARGEST_CHANCE = 0.998
FINEST = 5
"""Numbers are rounded down to this many bits after the first, by at most a thirty-second: few ends are needed."""
ANY_NUMBER = 2**20


@dataclass(frozen=True)
class NoisyCount:
    """A noisy number of the records in one place: those of a column, or of a group."""

    rate: Fraction
    """The epsilon of the number for one whole record: e."""
    chance: float
    """With which the intervals are to hold."""
    unit: int = 1
    """How many units a whole record weighs: U."""

    @classmethod
    def of(cls, rate: Fraction, intervals: Intervals, unit: int = 1) -> NoisyCount:
        """Return the number for these intervals. Raises ParameterError where it would be of no use."""
        found = cls(rate, intervals.chance, unit)
        if rate * LARGEST_SCALE < unit:
            raise ParameterError("privacy", "must be larger for a noisy count.")
        return found

    @property
    def failing(self) -> float:
        """Return the chance that the number is too large: b."""
        return float(OF_FAILURES) * (1 - self.chance)

    @property
    def margin(self) -> int:
        """Return by how many units the noise is too large with at most that chance: c."""
        rate = float(self.rate / self.unit)
        return ceil((-log(self.failing) - log1p(exp(-rate))) / rate * (1 + 1e-9))

    def noisy(self, sizes: Integers, entropy: Entropy) -> Integers:
        """Return noisy numbers in units, of the shape of `sizes`, which are the true ones: they may be shown."""
        noise = entropy.discrete_laplace(Size(self.unit / self.rate), sizes.shape)
        return np.asarray(sizes + noise, dtype=np.int64)

    def told(self, noisy: int) -> str:
        """Return a noisy number for people, in whole records or in tenths of a person."""
        return f"{noisy:,}" if self.unit == 1 else f"{noisy / self.unit:,.1f}"

    def at_least(self, noisy: int) -> int:
        """Return the number of whole records that the ends are laid for."""
        surely = min(max((noisy - self.margin) // self.unit, 1), MOST_RECORDS)
        return surely - surely % (1 << max(surely.bit_length() - 1 - FINEST, 0))


def refuse_chance(intervals: Intervals) -> None:
    """Raise ParameterError for a chance that leaves too little for a number that may be too large."""
    if intervals.chance > LARGEST_CHANCE:
        raise ParameterError("about_n", f"must be a number for a chance above {100 * LARGEST_CHANCE:.1f} %.")


def of_the_ends(intervals: Intervals) -> Intervals:
    """Return the intervals with what a number that may be too large leaves of the chance to fail."""
    return replace(intervals, chance=1 - (1 - intervals.chance) * float(1 - OF_FAILURES))
