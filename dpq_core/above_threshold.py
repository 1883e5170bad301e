"""Walk outwards from 0 until hardly any record lies beyond: Durfee 2023, by Dwork & Roth 2014's AboveThreshold.

For the upper bound the candidates are the values b_1 < b_2 < ... above 0 of a grid of one digit. o_i is the number of
records at b_i or above it. T = |L| is drawn once, and v_i = |L_i| for every candidate in turn. L and all L_i are
independent and discrete Laplace, L of scale 3 / (2 e), L_i of scale 3 / e. The first b_i with v_i - o_i >= T is the
bound; if there is none, the last one is. The lower bound is found in the same way among the values from 0 downwards, by
the records below them.

Claim: each walk is e-DP. From t to t + s, t >= 0, P(T = t) falls by a factor of at most exp(2 e s / 3), and P(v >= t)
by at most exp(e s / 3): |L| has the weights (1 - a) / (1 + a) at 0 and 2 (1 - a) / (1 + a) a^t beyond, where
a = exp(-1 / scale).
(i) All o_i grow by 0 or 1: at the same T, v_j < T + o_j stays true where it was, and v_k >= T + o_k costs e / 3.
(ii) All o_i fall by 0 or 1: compare T with T + 1, for 2 e / 3. What stopped no walk before stops none now, as
T + 1 + o_j' >= T + o_j; and v_k >= T + 1 + o_k' asks for at most 1 more than v_k >= T + o_k, for e / 3. So e in all.

Both walks together. One record is above 0, below 0 or in between, so if it joins or leaves only one walk sees it: e. If
it is replaced, all o_i of each walk move in one direction. If both walks see the change, one walk gains a record (e /
3) and the other loses one (e): 4 e / 3. If values are never negative there is one walk, and one direction: e.

Shares. Where all rows of a person weigh 1 together, o_i are sums of weights in units of 1 / W, and both scales are W
times as large. Then a unit that joins or leaves costs e / W, and one that is replaced costs at most 4 e / (3 W). A
person is W units, so a person costs e, or 4 e / 3.

Why T has the smaller scale: past the last record only T decides how far a walk goes on. With equal scales one walk in K
would pass K candidates, with these one in K^2.

Two differences from Durfee 2023. Noise is the absolute value of Laplace noise in integers, in place of exponential
noise. And a walk stops at a noisy number of records, not at a fraction of n, so that n is not read and no record is in
both walks.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, exp

import numpy as np

from .arrays import Floats, Integers
from .column import Column
from .domain.finding import FindBounds
from .errors import ParameterError
from .noise.entropy import Entropy
from .noise.integer_noise import LARGEST_SCALE, Size
from .privacy.budgets import Adjacency

TAIL = 60.0
"""In scales: an output distribution leaves out larger thresholds, whose chance is below 2^-86."""
LEAST_RATE = Fraction(3, LARGEST_SCALE)


@dataclass(frozen=True)
class Walk:
    """A walk to each bound, with what it costs."""

    find_bounds: FindBounds
    rate: Fraction
    """e: the loss of one walk where one record, or a person of weight 1, joins or leaves."""
    unit: int = 1
    """The number of units of a record, or of a person."""

    @classmethod
    def of(cls, find_bounds: FindBounds, epsilon: Fraction, adjacency: Adjacency, unit: int = 1) -> Walk:
        """Return the walks that are together epsilon-DP for one record, or for one person whose rows weigh 1 together.

        Raises ParameterError for too little.
        """
        both = adjacency is Adjacency.REPLACE_ONE and find_bounds.zero > 0
        rate = epsilon * Fraction(3, 4) if both else epsilon  # 4 e / 3 = epsilon
        if rate < LEAST_RATE * unit:
            raise ParameterError("share", "must leave more of the budget for finding the bounds.")
        return cls(find_bounds, rate, unit)

    @property
    def scales(self) -> tuple[Size, Size]:
        """Return the scales of the threshold and of the noise, in units."""
        return Size(Fraction(3, 2) * self.unit / self.rate), Size(3 * self.unit / self.rate)

    def run(self, coarse: Column, entropy: Entropy) -> Integers:
        """Return grid indices of the lower and the upper bound, shape (trials, 2). O(number of candidates)."""
        assert coarse.unit == self.unit, "calibrated for what is counted"
        zero, (below, above) = self.find_bounds.zero, self._beyond(coarse)
        up = zero + 1 + self._steps(above, entropy)
        down = zero - self._steps(below, entropy) if zero else np.zeros_like(up)
        return np.stack([down, up], axis=1)

    def _beyond(self, coarse: Column) -> tuple[Integers, Integers]:
        """Return the records beyond each candidate, in units: from 0 downwards, and from the first one above 0."""
        zero, below = self.find_bounds.zero, coarse.count_below(np.arange(self.find_bounds.grid.cells))
        return below[zero::-1], int(coarse.records.size) - below[zero + 1 :]

    def _steps(self, beyond: Integers, entropy: Entropy) -> Integers:
        """Return for each trial the first candidate beyond which hardly any record lies, or the last, (trials,)."""
        shape, (of_threshold, of_noise) = (entropy.trials, beyond.size), self.scales
        threshold = np.abs(entropy.discrete_laplace(of_threshold, (shape[0], 1)))
        noise = np.abs(entropy.discrete_laplace(of_noise, (shape[0], shape[1] - 1)))
        stops = np.ones(shape, dtype=np.bool_)
        stops[:, :-1] = noise - beyond[:-1] >= threshold
        return np.asarray(stops.argmax(axis=1), dtype=np.int64)

    def law(self, coarse: Column) -> Floats:
        """Return the probability of each pair of grid indices of the bounds, shape (zero + 1, cells - zero - 1).

        Rows from the lowest value up to 0, columns from the first one above 0. Reads the data: private.
        """
        below, above = (stopping_law(beyond, *self.scales) for beyond in self._beyond(coarse))
        return np.multiply.outer(below[::-1], above)


def stopping_law(beyond: Integers, of_threshold: Fraction, of_noise: Fraction) -> Floats:
    """Return the probability that a walk stops at each candidate, from the records `beyond` it and both scales."""
    thresholds = np.arange(ceil(TAIL * float(of_threshold)) + 1, dtype=np.float64)
    a = exp(-1 / float(of_threshold))
    chances = (1 - a) / (1 + a) * np.where(thresholds > 0, 2.0, 1.0) * a**thresholds
    b, needed = exp(-1 / float(of_noise)), thresholds + beyond[:, None]
    stops = np.where(needed > 0, 2 / (1 + b), 1.0) * b**needed
    stops[-1] = 1.0
    passed = np.cumprod(np.vstack([np.ones_like(thresholds), 1 - stops[:-1]]), axis=0)
    return np.asarray((passed * stops) @ chances, dtype=np.float64)
