"""A public measure on a grid: the number of places of each value, which is the weight that a draw gives it.

Mechanisms read the order of whole numbers and nothing else. So a value may have any number of places in a row, as long
as that number is fixed and public. A record takes one of its value's places at random, each as likely. An answer is
the value whose place was drawn. Each record is encoded alone, independently of all others, and decoding reads answers
alone. So a guarantee for places is a guarantee for values, for every measure.

- `BaseMeasure`: every value has 2^bits places. This breaks ties.

- `RoundPlaces`: round numbers have more.

Round numbers. Half of a column of salaries may be multiples of 1,000. With more places, an exponential mechanism finds
them sooner. All scales together have the fraction `HEAPED` of all places, each scale the same part of it, spread evenly
over its multiples. A scale of multiples that are far closer than the records adds the same everywhere, so it costs
nothing; one of multiples that are farther apart has a small part. docs/limit-measured.md has the errors.

Every count is a whole number, and all is exact. A block, such as ten times a power of ten, holds the same round
numbers of each finer scale, wherever it begins. So one table says where the parts of a block begin, and a place is
found from the coarsest block inwards.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from ..arrays import Integers, chunks

UNIFORM, ROUND = "uniform", "round"
MEASURES = (UNIFORM, ROUND)
AT_ONCE = 1 << 14
"""Records that get places at once: what is larger leaves the processor's cache, and takes several times as long."""


@dataclass(frozen=True)
class BaseMeasure:
    """Which places belong to which grid index: every index has 2^bits of them."""

    cells: int
    bits: int
    """How many random bits choose a place of a value."""

    @property
    def count(self) -> int:
        """Return the number of all places."""
        return self.cells << self.bits

    def before(self, cells: Integers) -> Integers:
        """Return how many places lie before those of grid indices, from 0 to the number of values; same shape."""
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
        """Return places of grid indices, uniform among their own where `low` are uniform below 2^bits; same shape."""
        return (cells << self.bits) | low


EVERY_INDEX = BaseMeasure(0, 0)
"""Where each index is a value."""


HEAPED = Fraction(1, 3)
"""The fraction of all places that round numbers have in addition, at most; the same for each scale."""
MULTIPLES = (1, 2, 5)
"""Of a power of ten: multiples of these times it are round."""
FEWEST = 24
"""The fewest multiples of a scale on a grid; with fewer, a multiple without records would take too much room."""
MOST = 10**10
"""The most multiples of a scale: without a step, the finest digits of numbers are not round."""
MOST_PARTS = 1000
"""The most parts that one table cuts a block into: three decades."""
_FEW = 32
"""Fewer places are found by a search."""


@dataclass(frozen=True, eq=False)
class _Parts:
    """A block of grid indices, cut into parts of `size` indices that begin at round numbers."""

    size: int
    more: Integers
    """How many places the first index of each part has in addition, of the scales between a part and the block."""
    edges: Integers
    """How many places lie before each part, and in the whole block."""

    @cached_property
    def behind(self) -> Integers:
        """Return how many places lie before each part, and those that its first index has in addition."""
        return self.edges[:-1] + self.more

    @cached_property
    def _shift(self) -> int:
        """Return the bits of a place that all parts are longer than."""
        return int(np.diff(self.edges).min()).bit_length() - 1

    @cached_property
    def _guesses(self) -> Integers:
        """Return the part of every 2^shift-th place. At most one part begins between two of them."""
        every = np.arange((int(self.edges[-1]) >> self._shift) + 1) << self._shift
        return np.searchsorted(self.edges, every, side="right") - 1

    def part_of(self, places: Integers) -> Integers:
        """Return which part holds each place of a block: by one look into a table, where a search would take longer."""
        if places.size < _FEW:
            return self.edges.searchsorted(places, side="right") - 1
        part: Integers = self._guesses[places >> self._shift]
        part += places >= self.edges[part + 1]
        return part


@dataclass(frozen=True)
class RoundPlaces(BaseMeasure):
    """Every grid index has 2^bits places, and round numbers have more."""

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
        return np.asarray(self._through(cells + (self.first - 1))[0] - self._offset, dtype=np.int64)

    def own(self, cells: Integers) -> tuple[Integers, Integers]:
        """Return the first place of grid indices, and how many each has; same shape."""
        through, rests = self._through(cells.reshape(-1) + self.first)
        sizes = np.full(through.size, 1 << self.bits)
        for parts, part, rest in rests:
            (at_begin,) = (rest == 0).nonzero()
            if at_begin.size:
                sizes[at_begin] += parts.more[part[at_begin]]
        first = through - sizes
        first -= self._offset
        return first.reshape(cells.shape), sizes.reshape(cells.shape)

    def cells_of(self, places: Integers) -> Integers:
        """Return the grid indices that places belong to; same shape."""
        rest, found = self._blocks(places)
        found *= self.block
        for parts in self.parts:
            part = parts.part_of(rest)
            rest -= parts.behind[part]
            np.maximum(rest, 0, out=rest)
            part *= parts.size
            found += part
        rest >>= self.bits
        found += rest
        found -= self.first
        return np.asarray(found, dtype=np.int64)

    def around(self, places: Integers) -> tuple[Integers, Integers]:
        """Return the first place of the values that places belong to, and the first one behind these; same shape."""
        rest, behind = self._blocks(places.reshape(-1))
        behind *= self._mass
        sizes = np.full(rest.size, 1 << self.bits)
        for parts, own in zip(self.parts, self._own_of_firsts, strict=True):
            part = parts.part_of(rest)
            before = parts.behind[part]
            behind += before
            rest -= before
            (at_begin,) = (rest < own).nonzero()
            if at_begin.size:
                sizes[at_begin] += parts.more[part[at_begin]]
            np.maximum(rest, 0, out=rest)
        rest >>= self.bits
        rest += 1
        rest <<= self.bits
        behind += rest
        behind -= self._offset
        return (behind - sizes).reshape(places.shape), behind.reshape(places.shape)

    def place_of(self, cells: Integers, low: Integers) -> Integers:
        """Return places of grid indices, among an index's own in proportion to `low` below 2^bits; same shape."""
        if cells.size > AT_ONCE:
            found, values, bits = np.empty(cells.size, np.int64), cells.reshape(-1), low.reshape(-1)
            for some in chunks(cells.size, AT_ONCE):
                found[some] = self.place_of(values[some], bits[some])
            return found.reshape(cells.shape)
        first, size = self.own(cells)
        part = (size >> self.bits) * low  # in two parts: the product may exceed an int64
        part += (size & ((1 << self.bits) - 1)) * low >> self.bits
        return np.asarray(first + part, dtype=np.int64)

    def _through(self, at: Integers) -> tuple[Integers, list[tuple[_Parts, Integers, Integers]]]:
        """Return how many places the indices have from the beginning of a block to this one, its own included.

        For each table also the part, and how many indices after its beginning this one lies.
        """
        found = at // self.block
        rest, rests = at - found * self.block, []
        found *= self._mass
        for parts in self.parts:
            part = rest // parts.size
            rest = rest - part * parts.size
            found += parts.behind[part]
            rests.append((parts, part, rest))
        found += (rest + 1) << self.bits
        return found, rests

    def _blocks(self, places: Integers) -> tuple[Integers, Integers]:
        """Return where in their block places lie, and in which; same shape."""
        rest = np.asarray(places + self._offset, np.int64)
        block = rest // self._mass
        rest -= block * self._mass
        return rest, block

    @cached_property
    def _mass(self) -> int:
        return int(self.parts[0].edges[-1])

    @cached_property
    def _offset(self) -> int:
        return int(self._through(np.array([self.first - 1]))[0][0])

    @cached_property
    def _own_of_firsts(self) -> tuple[int, ...]:
        """Return how many places the first index of a part has in the part's own tables, for each table."""
        more = [int(parts.more[0]) for parts in self.parts]
        return tuple((1 << self.bits) + sum(more[number + 1 :]) for number in range(len(more)))


@lru_cache(maxsize=64)
def round_places(lower: Fraction, step: Fraction, cells: int, bits: int) -> BaseMeasure:
    """Return the places of an even grid, with more for round numbers; they depend on the grid alone."""
    found = _scales(lower, step, cells)
    if not found:
        return BaseMeasure(cells, bits)
    of = [period for part in found for period in part.periods]
    every = (cells << bits) * HEAPED / (1 - HEAPED) / len(of)
    more = {period: int(every / _multiples(lower, step, cells, period)) for period in of}
    parts: list[_Parts] = []
    for size, number, periods in _joined(found):
        mass = int(parts[-1].edges[-1]) if parts else size << bits
        parts.append(_parts(size, number, {period: more[period] for period in periods}, mass))
    block = parts[-1].size * (parts[-1].edges.size - 1)
    return RoundPlaces(cells, bits, int(lower / step) % block, block, tuple(reversed(parts)))


class _Scales(NamedTuple):
    """The scales between a part and its block, in grid indices."""

    size: int
    """How many indices a part has."""
    number: int
    """How many parts a block has."""
    periods: list[int]
    """The distances of the multiples of each scale, at least a part and less than a block."""


def _scales(lower: Fraction, step: Fraction, cells: int) -> list[_Scales]:
    """Return the scales of a grid from fine to coarse, each block a part of the next.

    Of those with `FEWEST` to `MOST` multiples in it. None where 0 is not a whole number of steps from the lower end, or
    no round number is.
    """
    if (lower / step).denominator != 1:
        return []
    found, size = [], 1 / step
    while size > 1:
        size /= 10
    while size < cells:  # of a power of ten, in grid indices
        if (size * 10).denominator == 1:
            whole = int(size) if size.denominator == 1 else 1
            of = [int(size * each) for each in MULTIPLES if (size * each).denominator == 1]
            periods = [each for each in of if each > 1 and FEWEST <= _multiples(lower, step, cells, each) <= MOST]
            found.append(_Scales(whole, int(size * 10) // whole, periods))
        size *= 10
    with_scales = [place for place, each in enumerate(found) if each.periods]
    return found[with_scales[0] : with_scales[-1] + 1] if with_scales else []


def _joined(scales_of_blocks: list[_Scales]) -> list[_Scales]:
    """Return the same scales, those of neighbours joined as long as a table has few parts."""
    joined: list[_Scales] = []
    for each in scales_of_blocks:
        if joined and joined[-1].number * each.number <= MOST_PARTS:
            size, number, periods = joined.pop()
            each = _Scales(size, number * each.number, periods + each.periods)
        joined.append(each)
    return joined


def _multiples(lower: Fraction, step: Fraction, cells: int, period: int) -> int:
    start = int(lower / step)
    return (start + cells - 1) // period - (start - 1) // period


def _parts(size: int, number: int, more: Mapping[int, int], mass: int) -> _Parts:
    """Return the parts of a block, each with `mass` places but for what the scales between add to its first index."""
    added = np.zeros(number, np.int64)
    for period, places in more.items():
        added[:: period // size] += places
    return _Parts(size, added, np.concatenate([[0], np.cumsum(added + mass)]))
