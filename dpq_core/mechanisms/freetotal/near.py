"""Tuples in a window around the targets, for many totals, by JointExp's recursion: in parts where memory is short."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ...arrays import Integers
from ...noise import Entropy
from ...sample import SortedCells
from ..joint import Messages, Wide
from .apart import draw_near

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
