"""JointExp's recursion where no two levels can share an interval, in plain floats: for the fast sampler.

In a million records the windows of the levels are far apart. Then every level is a run of its own, and with
x = k - k' - u N, the records between two answers over what is wanted, a message is
    A_j(k) = L_k * sum over k' of A_{j-1}(k') 2^(-r |x|),
from two cumulative sums: of A 2^(r k') over all k' <= k - u N, and of A 2^(-r k') over the others.

Range. From one interval to the next such a sum changes by a factor of at most 2^r, and a length is below 2^cell_bits.
So in a window of W intervals the numbers of a message that are not 0 span at most r W + cell_bits binary orders; the
powers span from -r W / 2 to r W / 2 besides. Where this is below MOST_BITS nothing underflows. All terms are positive,
and the weights are those of `joint.recursion` up to about levels * W units of 2^-53; nothing is cut off.

Windows. Tuples in a window around the targets are weighed for many totals, in parts where memory is short.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ...arrays import Floats, Integers
from ...noise.entropy import Entropy
from ...noise.fast import FastEntropy
from ...sample import SortedCells
from ..joint.numbers import RATE_BITS, Wide, power
from ..joint.recursion import Messages, Recursion
from ..joint.sampling import draw_inside

MOST_BITS = 900
"""What the numbers of one level may span, of the 1022 binary orders above the least normal float."""


class Apart(Messages):
    """Messages in plain floats where levels are apart, else as they are. Private."""

    def _weigh_all(self) -> Wide:
        self.bits = self.rate / 2.0**RATE_BITS
        self.widths = (self.highs - self.lows + 1).tolist()
        self._offsets = self._offsets_of_steps()
        self.plain = self._is_plain()
        return self._weigh_plainly() if self.plain else super()._weigh_all()

    def _offsets_of_steps(self) -> Floats:
        """Return x from the first interval of a window to that of the next, (steps, totals), data ends included."""
        firsts = [0, *self.lows.tolist(), self.count]
        wanted = [proportion * self.count for proportion in self.proportions]
        of_count = [float(firsts[step + 1] - firsts[step] - each) for step, each in enumerate(wanted)]
        more = [float(total - self.count) for total in self.totals]
        drifts = np.outer([float(proportion) for proportion in self.proportions], more)
        return np.asarray(np.array(of_count)[:, None] - drifts, dtype=np.float64)

    def _is_plain(self) -> bool:
        apart = bool((self.lows[1:] > self.highs[:-1]).all())
        span = 1.5 * max(self.widths) + float(np.abs(self._offsets).max())
        return apart and self.bits * span + self.cell_bits < MOST_BITS

    def _weigh_plainly(self) -> Wide:
        exponents = np.zeros(len(self.totals), np.int64)
        self.messages: list[Floats] = []
        sums = np.exp2(-self.bits * np.abs(self._offsets[0][:, None] + np.arange(self.widths[0])))
        for column in range(len(self.levels)):
            if column:
                sums = self._sums(column)
            found = sums * np.ldexp(self.lengths(self.intervals(column)).astype(np.float64), -self.cell_bits)
            order = np.frexp(found.max(axis=1))[1]
            self.messages.append(found * np.ldexp(1.0, -order)[:, None])
            exponents += order
        last = np.exp2(-self.bits * np.abs(self._offsets[-1][:, None] - np.arange(self.widths[-1])))
        rate = Fraction(self.rate, 1 << RATE_BITS)
        mantissas, units = zip(*(power(rate * total) for total in self.totals), strict=True)
        return Wide.of((self.messages[-1] * last).sum(axis=1) * mantissas, exponents + units)

    def _sums(self, column: int) -> Floats:
        """The sums over the intervals of the level before, (totals, intervals)."""
        before, offsets = self.messages[-1], self._offsets[column]
        rows, width = before.shape
        rising = np.exp2(self.bits * (np.arange(width) - width / 2))
        below, above = np.zeros((rows, width + 1)), np.zeros((rows, width + 1))
        np.cumsum(before * rising, axis=1, out=below[:, 1:])
        np.cumsum((before / rising)[:, ::-1], axis=1, out=above[:, -2::-1])
        intervals = np.arange(self.widths[column])
        places = np.clip(intervals + np.floor(offsets).astype(np.int64)[:, None] + 1, 0, width)
        places += np.arange(rows)[:, None] * (width + 1)
        powers = np.exp2(self.bits * (intervals - width / 2)) * np.exp2(self.bits * offsets)[:, None]
        return np.asarray(below.take(places) / powers + above.take(places) * powers, dtype=np.float64)

    def draw(self, which: Integers, entropy: FastEntropy) -> Integers:
        """Tuples in the window, one for each of `which`, the places of its total."""
        cells = np.empty((which.size, len(self.levels)), np.int64)
        after = np.zeros(which.size, np.int64)
        for column in reversed(range(len(self.levels))):
            steps = (after + self._offsets[column + 1][which])[:, None] - np.arange(self.widths[column])
            sums = np.cumsum(self.messages[column][which] * np.exp2(-self.bits * np.abs(steps)), axis=1)
            after = entropy.choice(sums)
            intervals = self.lows[column] + after
            cells[:, column] = self.edge(intervals) + 1 + entropy.below(self.lengths(intervals))
        return cells


class ApartRecursion(Apart, Recursion):
    """A `Recursion` in plain floats where levels are apart. Private."""


def draw_near(messages: Messages, which: Integers, entropy: Entropy) -> Integers:
    """Tuples in the window, one for each of `which`, the places of its total."""
    if isinstance(messages, Apart) and messages.plain:
        assert isinstance(entropy, FastEntropy), "plain floats are for the fast sampler"
        return messages.draw(which, entropy)
    return draw_inside(messages, which, entropy)


MOST_NUMBERS = 1 << 22
"""Totals are weighed together as long as their messages have no more numbers, about 200 MB; usually all."""


class NearTuples:
    """The weight of all tuples in the window for each total, and draws of them. Private."""

    def __init__(
        self,
        cells: SortedCells,
        grid: int,
        levels: tuple[Fraction, ...],
        rate: int,
        window: tuple[Integers, Integers],
        totals: tuple[Fraction, ...],
        kind: type[Messages] = Messages,
    ) -> None:
        """`kind`: how tuples are weighed."""
        self._given, self._kind = (cells, grid, levels, rate, window), kind
        self.lows, self.highs = window
        self._at_once = max(MOST_NUMBERS // (len(levels) * (int((self.highs - self.lows).max()) + 2)), 1)
        self._parts = [totals[first : first + self._at_once] for first in range(0, len(totals), self._at_once)]
        self._stored: tuple[int, Messages] | None = None
        sums = [self._messages(part).sums for part in range(len(self._parts))]
        self.sums = Wide(np.concatenate([s.mantissa for s in sums]), np.concatenate([s.exponent for s in sums]))
        """As `Messages.sums`."""

    def _messages(self, part: int) -> Messages:
        """Those of one part of the totals; the last ones are kept, others are weighed again."""
        if self._stored is None or self._stored[0] != part:
            self._stored = None
            self._stored = part, self._kind(*self._given, self._parts[part])
        return self._stored[1]

    def draw(self, which: Integers, entropy: Entropy) -> Integers:
        """One tuple of cells for each of `which`, the places of its total."""
        parts = which // self._at_once
        cells = np.empty((which.size, self.lows.size), np.int64)
        for part in np.unique(parts).tolist():
            rows = np.flatnonzero(parts == part)
            cells[rows] = draw_near(self._messages(part), which[rows] - part * self._at_once, entropy)
        return cells
