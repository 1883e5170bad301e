"""Round numbers have more places than others: multiples of 1, 2 and 5 times powers of ten.

Half of a column of salaries may be multiples of 1,000. With more places, an exponential mechanism finds them sooner.
All scales together have the fraction `HEAPED` of all places, each scale the same part of it, spread evenly over its
multiples. A scale of multiples that are far closer than the records adds the same everywhere, so it costs nothing; one
of multiples that are farther apart has a small part. docs/limit.md has the errors.

Every count is a whole number, and all is exact. A block of ten times a power of ten holds the same round numbers of
each finer scale, wherever it begins. So one table for some decades says where the tenths, hundredths or thousandths of
a block begin, and a place is found from the coarsest block inwards.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from ..arrays import Integers
from .measure import Measure, Shifted, place_within

HEAPED = Fraction(1, 3)
"""The fraction of all places that round numbers have in addition, at most; the same for each scale of `scales`."""
LEADING = (1, 2, 5)
"""Round numbers are multiples of these times a power of ten."""
FEWEST = 24
"""The fewest multiples of a scale on a grid; with fewer, a multiple without records would take too much room."""
MOST = 10**10
"""The most multiples of a scale: without a step, the finest digits of numbers are not round."""
DECADES_AT_ONCE = 3
"""A table has a thousand parts."""


@dataclass(frozen=True, eq=False)
class _Parts:
    """A block of grid indices, cut into parts of `size` indices that begin at round numbers."""

    size: int
    more: Integers
    """How many places the first index of each part has in addition, of the scales between a part and the block."""
    edges: Integers
    """How many places lie before each part, and in the whole block."""


@dataclass(frozen=True, eq=False)
class RoundPlaces:
    """Every grid index has 2^bits places, and round numbers have more."""

    cells: int
    bits: int
    first: int
    """How many grid indices after the beginning of a block the first one lies."""
    block: int
    """How many grid indices a block has; from one to the next all is the same."""
    parts: tuple[_Parts, ...]
    """From coarse to fine: each part of one is a block of the next."""

    @property
    def count(self) -> int:
        """Return the number of all places."""
        return int(self.before(np.array(self.cells)))

    def before(self, cells: Integers) -> Integers:
        """Return how many places lie before those of grid indices, from 0 to the number of values; same shape."""
        return self._through(cells + (self.first - 1)) - self._offset

    def cells_of(self, places: Integers) -> Integers:
        """Return the grid indices that places belong to; same shape."""
        rest = np.asarray(places, np.int64) + self._offset
        found, mass = rest // self._mass, self._mass
        rest = rest - found * mass
        found = found * self.block
        for parts in self.parts:
            part = np.searchsorted(parts.edges, rest, side="right") - 1
            rest = np.maximum(rest - parts.edges[part] - parts.more[part], 0)
            found = found + part * parts.size
        return np.asarray(found + (rest >> self.bits) - self.first, dtype=np.int64)

    def place_of(self, cells: Integers, low: Integers) -> Integers:
        """Return places of grid indices, uniform among their own where `low` are uniform below 2^bits; same shape."""
        return place_within(self, cells, low)

    def _through(self, at: Integers) -> Integers:
        """Return how many places the indices have from the beginning of a block to this one, its own included."""
        blocks = at // self.block
        rest, found = at - blocks * self.block, blocks * self._mass
        for parts in self.parts:
            part = rest // parts.size
            rest = rest - part * parts.size
            found = found + parts.edges[part] + parts.more[part]
        return np.asarray(found + ((rest + 1) << self.bits), dtype=np.int64)

    @property
    def _mass(self) -> int:
        return int(self.parts[0].edges[-1])

    @property
    def _offset(self) -> int:
        return int(self._through(np.array(self.first - 1)))


def scales(lower: Fraction, step: Fraction, cells: int) -> list[int]:
    """Return the distances of the multiples of each scale, in grid indices, from fine to coarse; in whole decades.

    Of scales that have from `FEWEST` to `MOST` multiples in the grid. None where 0 is not a whole number of steps from
    the lower end, or no power of ten is.
    """
    if (lower / step).denominator != 1:
        return []
    return [
        period
        for power in _powers(step, cells)
        for leading in LEADING
        if (period := leading * power) > 1 and FEWEST <= _multiples(lower, step, cells, period) <= MOST
    ]


def _powers(step: Fraction, cells: int) -> list[int]:
    """Return the powers of ten that are a whole number of steps, in steps, below the width of a grid."""
    power = Fraction(10) ** (len(str(int(step))) - len(str(step.denominator)) - 2)
    found = []
    while power < step * cells:
        if (power / step).denominator == 1:
            found.append(int(power / step))
        power *= 10
    return found


def _multiples(lower: Fraction, step: Fraction, cells: int, period: int) -> int:
    start = int(lower / step)
    return (start + cells - 1) // period - (start - 1) // period


@lru_cache(maxsize=64)
def round_places(lower: Fraction, step: Fraction, cells: int, bits: int) -> Measure:
    """Return the places of an even grid, with more for round numbers; they depend on the grid alone."""
    of = scales(lower, step, cells)
    if not of:
        return Shifted(cells, bits)
    every = (cells << bits) * HEAPED / (1 - HEAPED) / len(of)
    more = {period: int(every / _multiples(lower, step, cells, period)) for period in of}
    powers = [power for power in _powers(step, cells) if any(power <= period < 10 * power for period in of)]
    parts: list[_Parts] = []
    for at in range(0, len(powers), DECADES_AT_ONCE):
        some = powers[at : at + DECADES_AT_ONCE]
        mass = int(parts[-1].edges[-1]) if parts else some[0] << bits
        parts.append(_parts(some[0], 10 ** len(some), more, mass))
    block = 10 * powers[-1]
    return RoundPlaces(cells, bits, int(lower / step) % block, block, tuple(reversed(parts)))


def _parts(size: int, number: int, more: Mapping[int, int], mass: int) -> _Parts:
    """Return the parts of a block, each with `mass` places but for what the scales between add to its first index."""
    added = np.zeros(number, np.int64)
    for period, places in more.items():
        if size <= period < size * number:
            added[:: period // size] += places
    return _Parts(size, added, np.concatenate([[0], np.cumsum(added + mass)]))
