"""The best total of a tuple, and the totals among which a proposal chooses.

With n_i records between neighbouring answers, u_i the share that is wanted there and any total N, let
    d_N = sum over i of |n_i - u_i N|,    d = min over N of d_N.
d_N is convex in N and least at a weighted median of the n_i / u_i. Where several totals are best, the one nearest to n
is taken. As the n_i sum to n and the u_i to 1, |n - N| <= d_N for every N; so the best total is within d <= d_0 = n of
n. A total x away from the best one has d_N <= d + x.

Ties. Where half of a tuple's parts are empty, every N of a wide range is best: were totals dense there, all would
propose the tuple, and one would keep it. But few ranks have few differences, and so few best totals: then these are
the totals, and no other (`possible`).

Work. Public facts alone say how many numbers a draw weighs, and which plans are refused because they are too many. A
weighing has one number for each level, each of the totals and each place in the level's window (`freetotal.draws`).
With m levels and a rate r the first window reaches b / (r / 3) ranks out, b = 7 + m. Where r is low, places get wider
until (m + 1) r times their width is at least a third. So a weighing grows with m^2.5 b at most, for any n and budget.

How often, and how much more widely, is weighed until enough proposals are accepted depends on the records. For 1,000 to
a million of them on a domain of up to 2^50 values, usual columns took two to four times the most numbers of a first
weighing, a few seconds. The worst that were found share forty values that are far apart: up to 35 times, half a minute.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import ceil, floor

import numpy as np

from ...arrays import Flags, Floats, Integers
from ..joint.draws import LARGEST_RATE, SMALLEST_RATE
from ..joint.windows import SLACK

ROUNDED = Fraction(1, 100)
"""Gaps that are wider than a step by this part of it are steps."""
AT_ONCE = 4
MOST_POSSIBLE = 10_000
"""Totals that are all there can be: more are not looked for."""


def step_of(rate: Fraction) -> Fraction:
    """Return how far apart totals lie in the middle: 2 / rate, or little less."""
    return Fraction(floor(Fraction(2 << 20) / rate), 1 << 20)


KAPPA = Fraction(307, 1000)
"""Above 1 - log 2, what the shares of two neighbours cost."""


@dataclass(frozen=True)
class Totals:
    """Increasing totals, each with a weight, and how a best total belongs to the two beside it.

    Let g be how far two neighbours are apart, and s = `step`, at most 2 / r. Between them the share of either falls
    from 1 to 0, evenly over s (or g, if that is less) around the middle, and is constant elsewhere. With
    w >= exp(r (g - s) / 2), and w >= 1, for the wider gap beside a total N,
        share exp(-r d) <= w exp(-r d_N) exp(KAPPA).
    Proof. Let N be x away from the best total, so d_N <= d + x. Where the share is 1, x <= (g - s) / 2. Elsewhere
    x = (g - s) / 2 + s (1 - share), and share exp(r s (1 - share)) is at most 1, or exp(r s - 1) / (r s) if 1 < r s,
    which is at most e / 2 as r s <= 2. Where g < s the same holds with g for s.
    """

    values: tuple[Fraction, ...]
    step: Fraction
    every: bool = False
    """Whether no best total lies between two of them: then d_N = d for each tuple that belongs to N, and w = 1."""

    @classmethod
    def around(cls, count: int, parts: int, step: Fraction, farthest: int, known: Totals | None = None) -> Totals:
        """From n - farthest to n + farthest, not below 0: dense in the middle, where most of the weight usually is.

        `known`: of a smaller reach, made denser; nothing is added between them.
        """
        offsets, dense = [Fraction(0)], Fraction(int(2.9 * parts**0.5) + 2, 2)
        while offsets[-1] * step < farthest or len(offsets) < 2:
            offsets.append(offsets[-1] + 1 + max(int(offsets[-1] - dense), 0) / Fraction(2))
        sides = (count + sign * offset * step for offset in offsets for sign in (-1, 1))
        values = {max(value, Fraction(0)) for value in sides}
        if known is not None:
            low, high = known.values[0], known.values[-1]
            values = {value for value in values if not low < value < high} | set(known.values)
        return cls(tuple(sorted(values)), step)

    @classmethod
    def possible(
        cls, count: int, proportions: tuple[Fraction, ...], step: Fraction, farthest: int, ranks: Integers
    ) -> Totals | None:
        """Return every best total of tuples with such ranks, as far as that; None where they are too many.

        It is n, or some n_i / u_i: the difference of two ranks by a part that is wanted.
        """
        parts, ends = {each for each in proportions if each}, [*ranks.tolist(), count]
        steps = np.unique(np.subtract.outer(np.array(ends), np.array([0, *ends])))
        low, high = Fraction(max(count - farthest, 0)), Fraction(count + max(farthest, 1))
        if steps.size * len(parts) > 3 * MOST_POSSIBLE:
            return None
        found = {have / part for have in steps[steps >= 0].tolist() for part in parts} | {Fraction(count)}
        values = sorted({each for each in found if low < each < high} | {low, high})
        return cls(tuple(values), step, every=True) if len(values) <= MOST_POSSIBLE else None

    @cached_property
    def plain(self) -> Floats:
        """Return the values as floats."""
        return np.array([float(value) for value in self.values])

    @cached_property
    def _wider(self) -> list[Fraction]:
        """Of each the wider of the two gaps beside it."""
        gaps = [after - before for before, after in pairwise(self.values)]
        return [max(pair) for pair in zip([Fraction(0), *gaps], [*gaps, Fraction(0)], strict=True)]

    def log_weights(self, rate: Fraction) -> Floats:
        """Return the logarithms of the weights, or a little more."""
        gaps = [self.step for _ in self.values] if self.every else self._wider
        return np.array([max(float(rate * (gap - self.step) / 2), 0.0) + 2.0**-30 for gap in gaps])

    @property
    def sparse(self) -> Flags:
        """Return which of them have a neighbour farther away than a step."""
        return np.array([not self.every and gap > self.step * (1 + ROUNDED) for gap in self._wider])

    def denser(self, places: Flags) -> Totals:
        """Return them with up to `AT_ONCE` - 1 more between each of those at the places and its neighbours."""
        values = set(self.values)
        for at in np.flatnonzero(places[1:] | places[:-1]).tolist():
            low, high = self.values[at : at + 2]
            cuts = min(AT_ONCE, ceil((high - low) / self.step - ROUNDED))
            values |= {low + (high - low) * cut / cuts for cut in range(1, cuts)}
        return Totals(tuple(sorted(values)), self.step)

    def share(self, place: int, best: Fraction) -> Fraction:
        """Return the share of a total in a best total, which is not beyond all of them; 0 behind the last place."""
        first = min(bisect_right(self.values, best) - 1, len(self.values) - 2)
        if place not in (first, first + 1):
            return Fraction(0)
        low, high = self.values[first : first + 2]
        of_high = min(
            max((best - (low + high) / 2) / min(high - low, self.step) + Fraction(1, 2), Fraction(0)), Fraction(1)
        )
        return of_high if place > first else 1 - of_high

    def shares(self, places: Integers, best: Floats) -> Floats:
        """Return the same of many, up to the rounding of floats; for best totals beyond all of them anything."""
        first = np.clip(np.searchsorted(self.plain, best, side="right") - 1, 0, self.plain.size - 2)
        low, high = self.plain[first], self.plain[first + 1]
        of_high = np.clip((best - (low + high) / 2) / np.minimum(high - low, float(self.step)) + 0.5, 0.0, 1.0)
        return np.where(places == first, 1 - of_high, np.where(places == first + 1, of_high, 0.0))


MOST_NUMBERS = 2_500_000
"""Of a first weighing, which takes about a second: sixteen even quantiles pass at any budget, sixty from ε = 0.64."""
FIRST, EACH = 7.0, 1.0
"""By how many orders of e far proposals are lowered at first, and more for each level; then as the weights say."""
SLOWER = 3
"""The far proposals' rate is that of the law divided by this."""


def first_reach(levels: int, rate: Fraction) -> int:
    """Return how far the first windows reach, in persons."""
    return ceil(Fraction(FIRST + EACH * levels) / (rate * (1 - Fraction(2, SLOWER))))


def numbers_weighed(levels: tuple[Fraction, ...], rate: Fraction) -> int:
    """Return how many numbers the first weighing has at most, for any records; it falls with the rate."""
    at_least = max(rate, Fraction(SLACK / 2) / (len(levels) + 1))
    reach = first_reach(len(levels), at_least)
    totals = Totals.around(reach, len(levels) + 1, step_of(at_least), reach).values
    return len(totals) * sum(int(2 * reach * max(level, 1 - level)) + 3 for level in levels)


def is_too_much(levels: tuple[Fraction, ...], rate: Fraction) -> bool:
    """Return whether a draw of these levels would take too long, for any records."""
    return numbers_weighed(levels, rate) > MOST_NUMBERS


def is_too_much_in_shares(levels: tuple[Fraction, ...], rate: Fraction) -> bool:
    """Return the same where rows are shares of persons, so that a high rate is divided, too."""
    return is_too_much(levels, min(rate, Fraction(SLACK) / (len(levels) + 1)))


def enough_rate(levels: tuple[Fraction, ...]) -> Fraction:
    """Return about the least rate at which a draw of these levels is not too much, up to a hundredth."""
    low, high = SMALLEST_RATE, LARGEST_RATE
    while 100 * high > 101 * low:
        middle = (low + high) / 2
        low, high = (middle, high) if is_too_much(levels, middle) else (low, middle)
    return high
