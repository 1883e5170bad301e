"""Draws of ordered tuples from fewer records that represent many, or for weighted rows; then accepted or rejected.

JointExp's recursion steps from record to record. At a low rate there are many more than matter; and in units of 2^-20
of a person there would be a million steps to a person. So every s-th unit represents s units, the first one s / 2 units
from the start (`Coarse`), and the recursion draws a tuple y of these records with weight 2^(-r' d'). A unit is a record
where rows are not weighted. Wanted is 2^(-r d), with d in units. The records below a cell, times s, differ from the
units below it by at most s / 2, all of them from all units likewise, and 0 from 0. So a part between two answers
differs by at most s, the first one by at most s / 2, and with m levels

    |d - s d'| <= (m + 1) s,

for JointExp, whose targets are fractions of the total, which adds up to s / 2 at most, and for the free total, where it
holds for every total and so for the least d. With r' <= r s a tuple is accepted with 2^(-(r d - r' d') - r' (m + 1)),
at most 1, and leaves with a weight in proportion to 2^(-r d), exactly: s decides about the time alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import ldexp, log
from typing import overload

import numpy as np

from ...arrays import Floats, Integers
from ...noise.entropy import Entropy
from ...noise.exact import ExactEntropy
from ...noise.fast import FastEntropy
from ...people.shares import WeightedCells, unit_of
from ...sample import SortedCells
from .numbers import RATE_BITS, power
from .recursion import distance_of, proportions_of, weigh
from .sampling import draw

MOST_BITS_DIVIDED = 2
"""How many binary orders are given away at most where a person is divided, if it may be divided finely enough."""
MOST_BITS_MERGED = 1
"""The same where one record represents several: with 2, more is rejected than fewer records save."""
LEAST_ATTEMPTS, MOST_ATTEMPTS = 16, 1024
"""Attempts side by side in the fast sampler, where about a tenth is accepted."""


@dataclass(frozen=True, eq=False, repr=False)
class Coarse:
    """One record for each `step` records, or units of weighted rows, from the middle of the first step on."""

    cells: SortedCells
    step: int

    @property
    def size(self) -> int:
        """Return how many records there are."""
        return int(self._records(np.array([self.cells.size]))[0])

    def _records(self, below: Integers) -> Integers:
        """Return how many of the records are among the first units."""
        return np.asarray((below + (self.step - self.step // 2 - 1)) // self.step, dtype=np.int64)

    @overload
    def __getitem__(self, at: Integers, /) -> Integers: ...
    @overload
    def __getitem__(self, at: slice, /) -> SortedCells: ...
    def __getitem__(self, at: Integers | slice, /) -> Integers | SortedCells:
        """Return the sub-indices of some of the records."""
        places = np.arange(self.size)[at] if isinstance(at, slice) else at
        return self.cells[places * self.step + self.step // 2]

    def searchsorted(self, cells: Integers, /) -> Integers:
        """Return for each sub-index how many of the records lie at lower ones; same shape."""
        return self._records(self.cells.searchsorted(cells))


@dataclass(frozen=True, eq=False, repr=False)
class CoarseDraws:
    """How tuples are drawn from records that represent others: proposed from them, and how far those are."""

    cells: SortedCells
    coarse: Coarse
    levels: int
    rate: int
    """For a whole person, in units of 2^-RATE_BITS."""
    slower: int
    """The same for one of the coarse records."""
    propose: Callable[[Entropy, int], Integers]
    """(entropy, count): what that many attempts propose and accept, in proportion to 2^(-slower d') each."""
    exact_distance: Callable[[list[int], int], Fraction]
    """(ranks, total): d of a tuple."""
    distances: Callable[[Integers, int], Floats]
    """The same for many tuples (rows, levels), up to the rounding of floats."""

    def draw(self, entropy: Entropy, trials: int) -> Integers:
        """Return tuples of cells, (trials, levels)."""
        if isinstance(entropy, ExactEntropy):
            return np.array([entropy.accepted(self._attempt) for _ in range(trials)])
        assert isinstance(entropy, FastEntropy), "there are two samplers"
        return entropy.first_accepted(self._attempts, trials, attempts_for)

    def _attempt(self, entropy: ExactEntropy) -> tuple[int, ...] | None:
        """Return the tuple that one attempt draws, or None: begin again."""
        for cells in self.propose(entropy, 1):
            mantissa, exponent = power(-self.excess(cells))
            if entropy.bernoulli(int(ldexp(mantissa, 53)), 1 << (53 - exponent)):
                return tuple(cells.tolist())
        return None

    def _attempts(self, entropy: FastEntropy, count: int) -> Integers:
        """Return the tuples that this many attempts draw and accept."""
        cells = self.propose(entropy, count)
        fine, coarse = self.cells.searchsorted(cells), self.coarse.searchsorted(cells)
        bits = self.rate / unit_of(self.cells) * self.distances(fine, self.cells.size)
        bits -= self.slower * self.distances(coarse, self.coarse.size)
        chances = np.exp2(-(bits + self.slower * (self.levels + 1)) / 2.0**RATE_BITS)
        return cells[entropy.bernoulli(chances)]

    def excess(self, cells: Integers) -> Fraction:
        """Return by how many binary orders a proposed tuple weighs less than it is proposed with; at least 0."""
        fine, coarse = self.cells.searchsorted(cells).tolist(), self.coarse.searchsorted(cells).tolist()
        distance = Fraction(self.rate, unit_of(self.cells)) * self.exact_distance(fine, self.cells.size)
        proposed = self.slower * (self.exact_distance(coarse, self.coarse.size) - (self.levels + 1))
        found = (distance - proposed) / (1 << RATE_BITS)
        assert found >= 0, "a record represents units that are at most half a step away"
        return found


def coarse_records(cells: SortedCells, rate: int, levels: int) -> tuple[Coarse, int]:
    """Return records that represent others, and their rate: as few as are often accepted. From public facts."""
    unit, parts, times = unit_of(cells), 1, 1
    while rate * (levels + 1) > parts * MOST_BITS_DIVIDED << RATE_BITS and parts < unit:
        parts *= 2
    while 2 * times * rate * (levels + 1) <= MOST_BITS_MERGED << RATE_BITS:
        times *= 2
    return Coarse(cells, unit * times // parts), rate * times // parts


def attempts_for(missing: int) -> int:
    """Return how many attempts of the fast sampler go side by side where this many tuples are still missing."""
    return min(max(LEAST_ATTEMPTS, 4 * missing), MOST_ATTEMPTS)


def draws_of_shares(cells: WeightedCells, grid: int, levels: tuple[Fraction, ...], rate: int) -> CoarseDraws:
    """Return how JointExp's tuples are drawn from weighted rows, at a rate for a whole person."""
    coarse, slower = coarse_records(cells, rate, len(levels))
    recursion = weigh(coarse, grid, levels, slower)
    proportions = np.array([float(proportion) for proportion in proportions_of(levels)])

    def distances(ranks: Integers, count: int) -> Floats:
        between = np.diff(ranks, axis=1, prepend=0, append=count)
        return np.asarray(np.abs(between - proportions * count).sum(axis=1), dtype=np.float64)

    return CoarseDraws(
        cells, coarse, len(levels), rate, slower,
        propose=lambda entropy, count: draw(recursion, entropy, trials=count),
        exact_distance=lambda ranks, count: distance_of(ranks, levels, count),
        distances=distances,
    )  # fmt: skip


def log_density_of_shares(
    outputs: Integers, cells: WeightedCells, grid: int, levels: tuple[Fraction, ...], rate: int
) -> Floats:
    """Return log probabilities of JointExp's tuples (outputs, levels), by sums over all pairs of cells: for audits."""
    natural = log(2) * rate / 2.0**RATE_BITS / cells.unit
    wanted = [float(proportion * cells.size) for proportion in proportions_of(levels)]
    ranks = cells.searchsorted(np.arange(grid)).astype(np.float64)
    steps, after = ranks[:, None] - ranks, np.tri(grid, dtype=bool)
    ends, scores = -natural * np.abs(ranks - wanted[0]), np.abs(ranks[outputs[:, 0]] - wanted[0])
    for column in range(1, len(levels)):
        logs = np.where(after, ends - natural * np.abs(steps - wanted[column]), -np.inf)
        ends = np.logaddexp.reduce(logs, axis=1)
        scores = scores + np.abs(steps[outputs[:, column], outputs[:, column - 1]] - wanted[column])
    last = np.abs(cells.size - ranks - wanted[-1])
    found = -natural * (scores + last[outputs[:, -1]]) - np.logaddexp.reduce(ends - natural * last)
    return np.asarray(found, dtype=np.float64)
