"""A public measure on a grid: the number of places of each value, which is the weight that a draw gives it.

Mechanisms read the order of whole numbers and nothing else. So a value may have any number of places in a row, as long
as that number is fixed and public. A record takes one of its value's places at random, each as likely. An answer is
the value whose place was drawn. Each record is encoded alone, independently of all others, and decoding reads answers
alone. So a guarantee for places is a guarantee for values, for every measure.

- `Shifted`: every value has 2^bits places. This breaks ties.

- `rounding.RoundPlaces`: round numbers have more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..arrays import Integers, chunks

UNIFORM, ROUND = "uniform", "round"
MEASURES = (UNIFORM, ROUND)
AT_ONCE = 1 << 14
"""Records that get places at once: what is larger leaves the processor's cache, and takes several times as long."""


class BaseMeasure(Protocol):
    """Which places belong to which grid index."""

    @property
    def bits(self) -> int:
        """Return how many random bits choose a place of a value."""

    @property
    def count(self) -> int:
        """Return the number of all places."""

    def before(self, cells: Integers) -> Integers:
        """Return how many places lie before those of grid indices, from 0 to the number of values; same shape."""

    def own(self, cells: Integers) -> tuple[Integers, Integers]:
        """Return the first place of grid indices, and how many each has; same shape."""

    def cells_of(self, places: Integers) -> Integers:
        """Return the grid indices that places belong to; same shape."""

    def around(self, places: Integers) -> tuple[Integers, Integers]:
        """Return the first place of the values that places belong to, and the first one behind these; same shape."""

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

    def own(self, cells: Integers) -> tuple[Integers, Integers]:
        """Return the first place of grid indices, and how many each has; same shape."""
        return cells << self.bits, np.full(np.shape(cells), 1 << self.bits)

    def cells_of(self, places: Integers) -> Integers:
        """Return the grid indices that places belong to; same shape."""
        return places >> self.bits

    def around(self, places: Integers) -> tuple[Integers, Integers]:
        """Return the first place of the values that places belong to, and the first one behind these; same shape."""
        first = (places >> self.bits) << self.bits
        return first, first + (1 << self.bits)

    def place_of(self, cells: Integers, low: Integers) -> Integers:
        """Return places of grid indices; same shape."""
        return (cells << self.bits) | low


EVERY_INDEX = Shifted(0, 0)
"""Where each index is a value."""


def place_within(measure: BaseMeasure, cells: Integers, low: Integers) -> Integers:
    """Return places of grid indices, among an index's own places in proportion to `low` below 2^bits; same shape."""
    if cells.size > AT_ONCE:
        found, values, bits = np.empty(cells.size, np.int64), cells.reshape(-1), low.reshape(-1)
        for some in chunks(cells.size, AT_ONCE):
            found[some] = place_within(measure, values[some], bits[some])
        return found.reshape(cells.shape)
    first, size = measure.own(cells)
    part = (size >> measure.bits) * low  # in two parts: the product may exceed an int64
    part += (size & ((1 << measure.bits) - 1)) * low >> measure.bits
    return np.asarray(first + part, dtype=np.int64)
