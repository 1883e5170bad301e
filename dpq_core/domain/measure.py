"""A public measure on a grid: the number of places of each value, which is the weight that a draw gives it.

Mechanisms read the order of whole numbers and nothing else. So a value may have any number of places in a row, as long
as that number is fixed and public. A record takes one of its value's places at random, each as likely. An answer is
the value whose place was drawn. Each record is encoded alone, independently of all others, and decoding reads answers
alone. So a guarantee for places is a guarantee for values, for every measure.

- `Shifted`: every value has 2^bits places. This breaks ties.

- `Places`: round numbers have more. Half of a column of salaries may be multiples of 1,000. With more places, an
  exponential mechanism finds them sooner. If no record is at a round number, these places take at most the fraction
  `HEAPED` of all, so that there is a ninth more room to err in.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np

from ..arrays import Integers

UNIFORM, ROUND = "uniform", "round"
MEASURES = (UNIFORM, ROUND)
HEAPED = Fraction(1, 10)
"""The fraction of all places that round numbers have in addition; the same for each scale of `scales`."""
LEADING = (1, 2, 5)
"""Round numbers are multiples of these times a power of ten."""
FEWEST = 16
"""The fewest multiples of a scale on a grid; with fewer, a multiple without records would take too much room."""


class Measure(Protocol):
    """Which places belong to which grid index."""

    @property
    def count(self) -> int:
        """Return the number of all places."""

    def before(self, cells: Integers) -> Integers:
        """Return how many places lie before those of grid indices, from 0 to the number of values; same shape."""

    def cells_of(self, places: Integers) -> Integers:
        """Return the grid indices that places belong to; same shape."""

    def place_of(self, cells: Integers, low: Integers) -> Integers:
        """Return places of grid indices, uniform among their own where `low` are uniform below 2^bits; same shape."""


@dataclass(frozen=True)
class Shifted:
    """Every grid index has 2^bits places."""

    cells: int
    bits: int

    @property
    def count(self) -> int:
        """Return the number of all places."""
        return self.cells << self.bits

    def before(self, cells: Integers) -> Integers:
        """Return how many places lie before those of grid indices; same shape."""
        return cells << self.bits

    def cells_of(self, places: Integers) -> Integers:
        """Return the grid indices that places belong to; same shape."""
        return places >> self.bits

    def place_of(self, cells: Integers, low: Integers) -> Integers:
        """Return places of grid indices; same shape."""
        return (cells << self.bits) | low


EVERY_INDEX = Shifted(0, 0)
"""Where each index is a value."""


@dataclass(frozen=True)
class Heap:
    """Every `period`-th grid index from `first` on has this number of additional places."""

    first: int
    period: int
    more: int


@dataclass(frozen=True)
class Places:
    """Every grid index has 2^bits places, and some have more."""

    cells: int
    bits: int
    heaps: tuple[Heap, ...]

    @property
    def count(self) -> int:
        """Return the number of all places."""
        return int(self.before(np.array(self.cells)))

    def before(self, cells: Integers) -> Integers:
        """Return how many places lie before those of grid indices, from 0 to the number of values; same shape."""
        found = cells << self.bits
        for heap in self.heaps:
            found = found + heap.more * np.maximum(-((heap.first - cells) // heap.period), 0)
        return np.asarray(found, dtype=np.int64)

    def cells_of(self, places: Integers) -> Integers:
        """Return the grid indices that places belong to, by halving; same shape."""
        low = np.zeros(np.shape(places), np.int64)
        high = np.full(np.shape(places), self.cells - 1, np.int64)
        for _ in range(self.cells.bit_length()):
            middle = (low + high + 1) >> 1
            reached = self.before(middle) <= places
            low, high = np.where(reached, middle, low), np.where(reached, high, middle - 1)
            high = np.maximum(high, low)
        return low

    def place_of(self, cells: Integers, low: Integers) -> Integers:
        """Return places of grid indices, among an index's own places in proportion to `low`; same shape.

        The product of a size and low bits may exceed an int64, so it is computed in two parts.
        """
        first = self.before(cells)
        size = self.before(cells + 1) - first
        whole, rest = size >> self.bits, size & ((1 << self.bits) - 1)
        return np.asarray(first + whole * low + (rest * low >> self.bits), dtype=np.int64)


def scales(lower: Fraction, step: Fraction, cells: int) -> list[tuple[int, int]]:
    """Return (first, period) in grid indices of the multiples of each scale, from fine to coarse: of `FEWEST` or more.

    None where 0 is not a whole number of steps from the lower end.
    """
    start = lower / step
    if start.denominator != 1:
        return []
    found, power = [], Fraction(10) ** (len(str(int(step))) - len(str(step.denominator)) - 2)
    while power < step * cells:
        for leading in LEADING:
            period = leading * power / step
            if period.denominator == 1 and period > 1:
                first = int(-start % period)
                if first < cells and (cells - 1 - first) // int(period) + 1 >= FEWEST:
                    found.append((first, int(period)))
        power *= 10
    return found


def round_places(lower: Fraction, step: Fraction, cells: int, bits: int) -> Places:
    """Return the places of an even grid, with more for round numbers; they depend on the grid alone."""
    of = scales(lower, step, cells)
    every = (cells << bits) * HEAPED / (1 - HEAPED) / max(len(of), 1)
    counted = ((first, period, (cells - 1 - first) // period + 1) for first, period in of)
    return Places(cells, bits, tuple(Heap(first, period, int(every / count)) for first, period, count in counted))
