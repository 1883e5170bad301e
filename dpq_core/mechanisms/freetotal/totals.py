"""The best total of a tuple, and the totals among which a proposal chooses.

With n_i records between neighbouring answers, u_i the share that is wanted there and any total N, let
    d_N = sum over i of |n_i - u_i N|,    d = min over N of d_N.
d_N is convex in N and least at a weighted median of the n_i / u_i. Where several totals are best, the one nearest to n
is taken. As the n_i sum to n and the u_i to 1, |n - N| <= d_N for every N; so the best total is within d <= d_0 = n of
n. A total x away from the best one has d_N <= d + x.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np

from ...arrays import Floats, Integers
from ..joint import RATE_BITS

BITS = 3
"""Neighbouring totals in the middle lie so far apart that a record too many in each step weighs 2^-3."""


def counts_between(ranks: Integers, count: int) -> Integers:
    """The records before, between and after answers with these ranks (rows, levels)."""
    return np.diff(ranks, axis=1, prepend=0, append=count)


def best_total(counts: list[int], proportions: tuple[Fraction, ...]) -> Fraction:
    """The best total nearest to n, exactly."""
    ratios = sorted(
        (Fraction(have) / proportion, proportion)
        for have, proportion in zip(counts, proportions, strict=True)
        if proportion
    )
    below, lowest, highest = Fraction(0), None, None
    for ratio, proportion in ratios:
        below += proportion
        if lowest is None and 2 * below >= 1:
            lowest = ratio
        if 2 * below > 1:
            highest = ratio
            break
    assert lowest is not None
    assert highest is not None
    return min(max(Fraction(sum(counts)), lowest), highest)


def best_totals(counts: Integers, proportions: Floats) -> Floats:
    """The best totals of many tuples (rows, parts), nearest to n, up to the rounding of floats.

    `proportions` are those of all rows, (parts,), or of each.
    """
    proportions = np.broadcast_to(proportions, counts.shape)
    ratios = np.full(counts.shape, np.inf)
    np.divide(counts, proportions, out=ratios, where=proportions > 0)
    order = np.argsort(ratios, axis=1)
    ratios, below = (np.take_along_axis(each, order, axis=1) for each in (ratios, proportions))
    below = np.cumsum(below, axis=1)
    lowest, highest = ((below >= half).argmax(axis=1)[:, None] for half in (0.5 - 1e-12, 0.5 + 1e-12))
    ends = (np.take_along_axis(ratios, place, axis=1)[:, 0] for place in (lowest, highest))
    return np.clip(counts.sum(axis=1), *ends)


def distances(counts: Integers, proportions: Floats, totals: Floats) -> Floats:
    """d_N of many tuples (rows, parts) for one total each, up to the rounding of floats."""
    return np.asarray(np.abs(counts - proportions * totals[:, None]).sum(axis=1), dtype=np.float64)


@dataclass(frozen=True)
class Totals:
    """Increasing totals, and a weight for each: 2^(`bits`).

    With g the bits between neighbours, that is their distance times the rate, and each weight at least 2^((g - 3) / 2),
    the weighted sum of 2^(-rate d_N) over the two neighbours of the best total is at least 2^(-rate d - 1/2): by the
    inequality of the means it is at least 2^((g - 3) / 2) * 2 * 2^(-rate d - g / 2).
    """

    values: tuple[Fraction, ...]
    bits: tuple[Fraction, ...]

    @classmethod
    def around(cls, count: int, parts: int, rate: int, farthest: int, widest: int | None = None) -> Totals:
        """From n - farthest to n + farthest, not below 0: dense in the middle, where most of the weight is.

        `widest`: no two neighbours are farther apart, in steps of the middle.
        """
        step = Fraction(BITS << RATE_BITS, rate).limit_denominator(1 << 20)
        offsets, dense = [Fraction(0)], Fraction(int(2.9 * parts**0.5) + 2, 2)
        while offsets[-1] * step < farthest or len(offsets) < 2:
            wider = 1 + max(int(offsets[-1] - dense), 0) / Fraction(2)
            offsets.append(offsets[-1] + (wider if widest is None else min(wider, Fraction(widest))))
        sides = (count + sign * offset * step for offset in offsets for sign in (-1, 1))
        values = tuple(sorted({max(value, Fraction(0)) for value in sides}))
        apart = [(after - before) * Fraction(rate, 1 << RATE_BITS) for before, after in pairwise(values)]
        wider_side = [max(pair) for pair in zip([Fraction(0), *apart], [*apart, Fraction(0)], strict=True)]
        return cls(values, tuple((width - BITS) / 2 for width in wider_side))

    def around_best(self, best: Fraction) -> int | None:
        """The place of the first of the two neighbours of a best total; None where it is beyond all totals."""
        if not self.values[0] <= best <= self.values[-1]:
            return None
        return min(sum(value <= best for value in self.values) - 1, len(self.values) - 2)
