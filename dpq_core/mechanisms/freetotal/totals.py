"""The best total of a tuple, and the totals among which a proposal chooses.

With n_i records between neighbouring answers, u_i the share that is wanted there and any total N, let
    d_N = sum over i of |n_i - u_i N|,    d = min over N of d_N.
d_N is convex in N and least at a weighted median of the n_i / u_i. Where several totals are best, the one nearest to n
is taken. As the n_i sum to n and the u_i to 1, |n - N| <= d_N for every N; so the best total is within d <= d_0 = n of
n. A total x away from the best one has d_N <= d + x.

Work. Public facts alone say how many numbers a draw weighs, and which plans are refused because they are too many. A
weighing has one number for each level, each of the totals and each interval in the level's window (`proposals`). With m
levels and r bits per record the first window reaches b / (r / 3) records out, b = 10 + 1.4 m. Where r is low, records
represent others until (m + 1) r is at least half a bit, or one where rows are shares of persons (`joint.shares`). So a
weighing grows with m^2.5 b at most, for any n and budget.

How often, and how much more widely, is weighed until enough proposals are accepted depends on the records. For 1,000 to
a million of them on a domain of up to 2^50 values, usual columns took two to four times the most numbers of a first
weighing, a few seconds. The worst that were found share forty values that are far apart: up to 35 times, half a minute.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise
from math import ceil, lcm

import numpy as np

from ...arrays import Flags, Floats, Integers
from ..joint.numbers import RATE_BITS
from ..joint.recursion import in_common_unit

BITS = 3
"""Neighbouring totals in the middle lie so far apart that a record too many in each step weighs 2^-3."""

ROUNDING_BITS = Fraction(1, 100)
"""This many bits more than BITS between neighbours are the rounding of a step."""
AT_ONCE = 4


def step_of(rate: int) -> Fraction:
    """Return how far apart totals lie that are BITS apart, at a rate in units of 2^-RATE_BITS bits."""
    return Fraction(BITS << RATE_BITS, rate).limit_denominator(1 << 20)


def counts_between(ranks: Integers, count: int) -> Integers:
    """The records before, between and after answers with these ranks (rows, levels)."""
    return np.diff(ranks, axis=1, prepend=0, append=count)


def best_total(counts: list[int], proportions: tuple[Fraction, ...]) -> Fraction:
    """The best total nearest to n, exactly."""
    units, whole = in_common_unit(proportions)
    common = lcm(*(unit for unit in units if unit))
    ratios = sorted((have * (common // unit), unit) for have, unit in zip(counts, units, strict=True) if unit)
    below = list(accumulate(unit for _, unit in ratios))
    places = bisect_left(below, (whole + 1) // 2), bisect_right(below, whole // 2)
    lowest, highest = (Fraction(ratios[place][0] * whole, common) for place in places)
    return min(max(Fraction(sum(counts)), lowest), highest)


def least_distance(counts: list[int], units: list[int], whole: int) -> tuple[int, int]:
    """Return d, the distance from the best total, as a numerator and a denominator; units as of `in_common_unit`.

    A best total is the lower weighted median of the n_i / u_i, the first at which half of all units are reached.
    """
    common = lcm(*(unit for unit in units if unit))
    ratios = sorted((have * (common // unit), unit) for have, unit in zip(counts, units, strict=True) if unit)
    below = accumulate(unit for _, unit in ratios)
    best = next(ratio for (ratio, _), through in zip(ratios, below, strict=True) if 2 * through >= whole)
    return sum(abs(have * common - unit * best) for have, unit in zip(counts, units, strict=True)), common


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
    def of_values(cls, values: tuple[Fraction, ...], rate: int) -> Totals:
        """Return any increasing totals with their weights."""
        apart = [(after - before) * Fraction(rate, 1 << RATE_BITS) for before, after in pairwise(values)]
        wider_side = [max(pair) for pair in zip([Fraction(0), *apart], [*apart, Fraction(0)], strict=True)]
        return cls(values, tuple((width - BITS) / 2 for width in wider_side))

    @classmethod
    def around(cls, count: int, parts: int, rate: int, farthest: int, known: Totals | None = None) -> Totals:
        """From n - farthest to n + farthest, not below 0: dense in the middle, where most of the weight usually is.

        `known`: of a smaller reach, made denser; nothing is added between them.
        """
        step = step_of(rate)
        offsets, dense = [Fraction(0)], Fraction(int(2.9 * parts**0.5) + 2, 2)
        while offsets[-1] * step < farthest or len(offsets) < 2:
            offsets.append(offsets[-1] + 1 + max(int(offsets[-1] - dense), 0) / Fraction(2))
        sides = (count + sign * offset * step for offset in offsets for sign in (-1, 1))
        values = {max(value, Fraction(0)) for value in sides}
        if known is not None:
            low, high = known.values[0], known.values[-1]
            values = {value for value in values if not low < value < high} | set(known.values)
        return cls.of_values(tuple(sorted(values)), rate)

    @property
    def sparse(self) -> Flags:
        """Return which of them have a neighbour farther away than a step."""
        return np.array([bits > ROUNDING_BITS for bits in self.bits])

    def denser(self, places: Flags, rate: int) -> Totals:
        """Return them with up to `AT_ONCE` - 1 more between each of those at the places and its neighbours."""
        values, step = set(self.values), step_of(rate)
        for at in np.flatnonzero(places[1:] | places[:-1]).tolist():
            low, high = self.values[at : at + 2]
            cuts = min(AT_ONCE, ceil((high - low) / step - ROUNDING_BITS))
            values |= {low + (high - low) * cut / cuts for cut in range(1, cuts)}
        return Totals.of_values(tuple(sorted(values)), rate)

    def around_best(self, best: Fraction) -> int | None:
        """The place of the first of the two neighbours of a best total; None where it is beyond all totals."""
        if not self.values[0] <= best <= self.values[-1]:
            return None
        return min(bisect_right(self.values, best) - 1, len(self.values) - 2)


MOST_NUMBERS = 2_500_000
"""Of a first weighing, which takes about a second: sixteen even quantiles pass at any budget, sixty from ε = 0.64."""
FIRST_BITS = 10
BITS_EACH = 1.4
"""By how many binary orders far proposals are lowered at first, for each level; then as the weights say."""
SLOWER = 3
"""The far proposals' rate is that of the law divided by this."""


def first_bits(levels: int) -> int:
    """Return by how many binary orders far proposals are lowered at first."""
    return FIRST_BITS + ceil(BITS_EACH * levels)


def numbers_weighed(levels: tuple[Fraction, ...], rate: int) -> int:
    """Return how many numbers the first weighing has at most, for any records; it falls with the rate."""
    least = max(rate, (1 << (RATE_BITS - 1)) // (len(levels) + 1))
    reach = ceil(first_bits(len(levels)) / Fraction(least - 2 * (least // SLOWER), 1 << RATE_BITS))
    totals = Totals.around(reach, len(levels) + 1, least, reach).values
    return len(totals) * sum(int(2 * reach * max(level, 1 - level)) + 1 for level in levels)


def is_too_much(levels: tuple[Fraction, ...], rate: int) -> bool:
    """Return whether a draw of these levels would take too long, for any records."""
    return bool(levels) and numbers_weighed(levels, rate) > MOST_NUMBERS


def is_too_much_in_shares(levels: tuple[Fraction, ...], rate: int) -> bool:
    """Return the same where rows are shares of persons, so that a high rate is divided, too."""
    most = (1 << RATE_BITS) // (len(levels) + 1)
    return is_too_much(levels, min(rate, most))


def enough_rate(levels: tuple[Fraction, ...]) -> int:
    """Return about the least rate at which a draw of these levels is not too much, up to a hundredth."""
    low, high = 1 << (RATE_BITS - 22), 32 << RATE_BITS
    while high > low + low // 100 + 1:
        middle = (low + high) // 2
        low, high = (middle, high) if is_too_much(levels, middle) else (low, middle)
    return high
