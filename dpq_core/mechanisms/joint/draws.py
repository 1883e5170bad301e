"""Draws of ordered tuples by their distance, exactly: proposed from `joint.windows`, accepted by exact chances.

One attempt. First: a total and the tuples in its windows, or all tuples outside of the windows as one option, at the
total n. Then runs from the last level back: a place, given that of the run after it; how many levels it has; and their
cells, evenly among all C(L + c - 1, c) choices. A choice s has options with logarithms l_i, of which floats make whole
weights v_i with the sum V_s (`noise.proposals`); i is chosen with chance v_i / V_s. A tuple y with the distance d is
accepted with
    ONE_LESS^K exp(-B) * product over all choices of (V_s / v) * (ways) * exp(-r d),
where B is the logarithm of the sum over the first options, as a rational number, ways is how many cells the tuple was
taken out of, and K is FOR_EACH = 4 times 2 k + 1, the most choices an attempt can have: one number for all tuples.

Theorem. An accepted tuple has the chance exp(-r d) / sum exp(-r d), exactly. Proof. Each tuple has one path of choices:
its runs are what levels share places. It is proposed with the product of v / V_s over ways, and so accepted with
ONE_LESS^K exp(-B) exp(-r d), a constant times its weight: rounding of the v changes nothing.

The chance is at most 1. With all errors of floats counted, V_s / v <= exp(b_s - l) / ONE_LESS^4, b_s being the stored
logarithm of the options of s: it is at least the logarithm of their sum, less 2^-21 (`joint.windows`), and rounding of
up to 2^21 whole weights adds up to 2^21 to a sum of 2^40 at least, 2^-19 of it; together less than 2^-18. The l of one
choice is the b_s of the next, less the costs of the steps, plus the logarithm of the ways of the runs; the b_s of the
first choice is B. So the product is at most exp(B + costs) / (ways ONE_LESS^K), and the costs exceed r d by at most the
spread, which B contains. Outside of the windows r d > 2 r D, which B contains as well.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from math import ceil, comb, lgamma, log
from typing import Protocol

import numpy as np

from ...arrays import Flags, Floats, Integers, SortedCells
from ...noise.entropy import Entropy
from ...noise.exact import ExactEntropy
from ...noise.fast import SeededSampler
from ...noise.proposals import ONE_LESS, whole_weights
from ...people.shares import unit_of
from .distance import counts_between, distance_of, distances, plain_proportions
from .windows import Windows, few_of

LARGEST_RATE = Fraction(22)
"""A record too many then weighs exp(-22), or exp(-44) where it is missing elsewhere: a higher rate changes little."""
SMALLEST_RATE = Fraction(1, 2**23)
FOR_EACH = 4
"""How often ONE_LESS counts for each choice."""
AT_ONCE = 1 << 18
"""Numbers that are drawn from together: more leave the cache."""
FIRST_REACH = 8
"""The reach in ranks of weight 1 / e, where there are no records."""
OUTSIDE = 4.0
"""The windows are made so wide that all tuples outside of them weigh less than exp(-OUTSIDE) of those inside."""


class Choices(Protocol):
    """Chooses among options for some attempts side by side, and notes by how much each is too likely."""

    entropy: Entropy

    def choose(self, rows: Integers, logs: Floats) -> Integers:
        """Return an option for each of the rows, from logarithms (rows, options)."""

    def within(self, rows: Integers, lengths: Integers, count: int) -> Integers:
        """Return uniform non-decreasing choices of `count` among 0..length-1 for each of the rows, (rows, count)."""


class ExactChoices:
    """The choices of some attempts of the exact sampler, and what is known of their chances."""

    def __init__(self, entropy: ExactEntropy, attempts: int) -> None:
        self.entropy: Entropy = entropy
        self._exact, self._over, self._under = entropy, [1] * attempts, [1] * attempts

    def choose(self, rows: Integers, logs: Floats) -> Integers:
        """Return an option for each of the rows, which need one of a positive weight."""
        weights = whole_weights(logs)[0]
        found = [self._exact.choice(sums) for sums in weights.cumsum(axis=1)]
        for row, option, own, whole in zip(rows.tolist(), found, weights, weights.sum(axis=1).tolist(), strict=True):
            self._over[row] *= whole
            self._under[row] *= int(own[option])
        return np.array(found)

    def within(self, rows: Integers, lengths: Integers, count: int) -> Integers:
        """Return uniform non-decreasing choices."""
        for row, length in zip(rows.tolist(), lengths.tolist(), strict=True):
            self._over[row] *= comb(length + count - 1, count)
        return multisets(lengths, count, self.entropy)

    def accept(self, row: int, choices: int, share: Fraction, exponent: Fraction) -> bool:
        """Whether a tuple is accepted; `choices`: of `Draws`. `exponent`: B + r d. `share`: of its weight, over 0."""
        ratio = Fraction(self._over[row], self._under[row])
        return self._exact.accept(ONE_LESS ** (FOR_EACH * choices) * share * ratio, exponent)


class SeededChoices:
    """The same for many attempts of the seeded sampler side by side, in floats."""

    def __init__(self, entropy: SeededSampler, attempts: int) -> None:
        self.entropy: Entropy = entropy
        self._fast, self._logs = entropy, np.zeros(attempts)

    def choose(self, rows: Integers, logs: Floats) -> Integers:
        """Return an option for each of the rows."""
        top = logs.max(axis=1)
        weights = logs - top[:, None]
        sums = np.cumsum(np.exp(weights, out=weights), axis=1)
        options = self._fast.choice(sums)
        self._logs[rows] += top + np.log(sums[:, -1]) - logs[np.arange(rows.size), options]
        return options

    def within(self, rows: Integers, lengths: Integers, count: int) -> Integers:
        """Return uniform non-decreasing choices."""
        for more in range(count):
            self._logs[rows] += np.log((lengths + more) / (more + 1))
        return multisets(lengths, count, self.entropy)

    def accept(self, shares: Floats, exponents: Floats) -> Flags:
        """Whether each tuple is accepted, as above."""
        return self._fast.bernoulli(shares * np.exp(np.minimum(self._logs - exponents, 9.0)))


def multisets(lengths: Integers, count: int, entropy: Entropy) -> Integers:
    """Uniform non-decreasing choices of `count` places among 0..length-1, (lengths, count), by stars and bars.

    A uniform subset of 0..length+count-2 (Floyd's algorithm: a place that is taken is replaced by the last one that
    was possible), sorted, minus 0..count-1. Where all places differ none was taken.
    """
    tops = lengths + np.arange(count)[:, None]
    subset = entropy.below(tops)
    equal = np.flatnonzero((np.diff(np.sort(subset, axis=0), axis=0) == 0).any(axis=0))
    for position in range(1, count) if equal.size else ():
        taken = (subset[:position, equal] == subset[position, equal]).any(axis=0)
        subset[position, equal[taken]] = tops[position, equal[taken]] - 1
    return np.sort(subset.T, axis=1) - np.arange(count)


def propose(windows: Windows, which: Integers, rows: Integers, choices: Choices) -> Integers:
    """Return cells of tuples in the windows, (rows, levels); `which`: the total of each of the rows, (rows,)."""
    levels = len(windows.levels)
    cells = np.empty((which.size, levels), np.int64)
    after, column = np.zeros(which.size, np.int64), np.full(which.size, levels - 1)
    for current in reversed(range(levels)):
        waiting = np.flatnonzero(column == current)
        for first in range(0, waiting.size, max(AT_ONCE // windows.places[current].size, 1)):
            some = waiting[first : first + max(AT_ONCE // windows.places[current].size, 1)]
            given = after[some] if current < levels - 1 else None
            at = choices.choose(rows[some], windows.options(current, which[some], given))
            counts = np.ones(some.size, np.int64)
            if current and windows.lows[current] <= windows.highs[current - 1]:
                counts += choices.choose(rows[some], windows.runs(current, at, which[some]))
            for count in sorted(set(counts.tolist())):
                same = np.flatnonzero(counts == count)
                inside = choices.within(rows[some[same]], windows.lengths[current][at[same]], count)
                found = windows.before[current][at[same]][:, None] + 1 + inside
                cells[some[same], current - count + 1 : current + 1] = found
            after[some], column[some] = windows.places[current][at], current - counts
    return cells


class Draws(ABC):
    """How tuples of one kind are drawn from one column, by either sampler."""

    cells: SortedCells
    total: float
    """B."""
    choices: int
    """The most choices that an attempt can have."""
    at_once = 1
    """How many attempts of the exact sampler go side by side."""
    numbers = 0
    """How many numbers it holds, where these may be too many to be kept."""

    @abstractmethod
    def propose(self, rows: Integers, choices: Choices) -> tuple[Integers, Integers]:
        """Return cells (rows, levels), and which of the first options was chosen for each of the rows."""

    @abstractmethod
    def weight(self, option: int, cells: Integers, ranks: list[int]) -> tuple[Fraction, Fraction]:
        """Return the share of a tuple's weight that a first option proposes, and r d. The shares of all are 1."""

    @abstractmethod
    def weights(self, options: Integers, cells: Integers, ranks: Integers) -> tuple[Floats, Floats]:
        """Return the same of many tuples, (rows,) each, up to the rounding of floats."""

    @abstractmethod
    def attempts_for(self, missing: int) -> int:
        """Return how many attempts of the seeded sampler go side by side for this number of missing tuples."""

    def draw(self, entropy: Entropy, trials: int) -> Integers:
        """Return cells (trials, levels), non-decreasing along levels."""
        if isinstance(entropy, ExactEntropy):
            return np.array([entropy.accepted(self.attempt) for _ in range(trials)])
        assert isinstance(entropy, SeededSampler), "there are two samplers"
        return entropy.first_accepted(self._attempts, trials, self.attempts_for)

    def attempt(self, entropy: ExactEntropy) -> tuple[int, ...] | None:
        """Return the first tuple that some attempts side by side accept, or None: begin again."""
        count = self.at_once if entropy.side_by_side else 1
        choices = ExactChoices(entropy, count)
        cells, options = self.propose(np.arange(count), choices)
        ranks = np.asarray(self.cells.searchsorted(cells), dtype=np.int64).tolist()
        for row, option in enumerate(options.tolist()):
            share, exponent = self.weight(option, cells[row], ranks[row])
            if share > 0 and choices.accept(row, self.choices, share, exponent + Fraction(self.total)):
                return tuple(cells[row].tolist())
        return None

    def _attempts(self, entropy: SeededSampler, count: int) -> Integers:
        """Return the tuples that this many attempts draw and accept."""
        choices = SeededChoices(entropy, count)
        cells, options = self.propose(np.arange(count), choices)
        ranks = np.asarray(self.cells.searchsorted(cells), dtype=np.int64)
        shares, exponents = self.weights(options, cells, ranks)
        return cells[choices.accept(shares, exponents + self.total)]


class JointDraws(Draws):
    """JointExp's own: the tuples in the windows, and all others as one option. Private."""

    def __init__(self, windows: Windows, reach: Fraction) -> None:
        """`reach`: D of every level."""
        self.windows, self.cells, self.choices = windows, windows.cells, 2 * len(windows.levels) + 1
        self.reach = reach
        self.numbers = windows.starts.size
        self.tuples = _log_tuples(windows.grid, len(windows.levels))
        outside = -np.inf if windows.whole else self.tuples - 2 * float(windows.rate * reach) + 2.0**-20
        self.start = np.append(windows.total, outside)
        """The log weights of the first options."""
        self.total = float(np.logaddexp.reduce(self.start))
        self.plain = plain_proportions(windows.levels)

    def propose(self, rows: Integers, choices: Choices) -> tuple[Integers, Integers]:
        """Return cells, and whether they are to lie outside of the windows: 1, or 0."""
        windows, levels = self.windows, len(self.windows.levels)
        outside = np.zeros(rows.size, np.int64)
        if not windows.whole:
            outside = choices.choose(rows, np.broadcast_to(self.start, (rows.size, 2)))
        cells = np.empty((rows.size, levels), np.int64)
        near, far = np.flatnonzero(outside == 0), np.flatnonzero(outside)
        if near.size:
            cells[near] = propose(windows, np.zeros(near.size, np.int64), rows[near], choices)
        if far.size:
            cells[far] = choices.within(rows[far], np.full(far.size, windows.grid), levels)
        return cells, outside

    def weight(self, option: int, cells: Integers, ranks: list[int]) -> tuple[Fraction, Fraction]:
        """Return 1 for a tuple that lies where it was proposed, else 0; and r d."""
        windows = self.windows
        return self.fits(option, cells), windows.rate * distance_of(ranks, windows.levels, windows.count)

    def fits(self, option: int, cells: Integers) -> Fraction:
        """Return whether a tuple lies where it was proposed, as 1 or 0."""
        return Fraction(int(bool(self.windows.hold(cells[None])[0]) != option))

    def weights(self, options: Integers, cells: Integers, ranks: Integers) -> tuple[Floats, Floats]:
        """Return the same of many tuples."""
        windows = self.windows
        apart = distances(counts_between(ranks, windows.count), self.plain, np.array([float(windows.count)]))
        return (windows.hold(cells) != options).astype(np.float64), windows.rate_as_float * apart

    def attempts_for(self, missing: int) -> int:
        """Return little more than are missing: most attempts are accepted."""
        return missing + missing // 4


def _log_tuples(grid: int, levels: int) -> float:
    """Return more than the logarithm of how many ordered tuples there are."""
    return levels * log(grid + levels) - lgamma(levels + 1) + 2.0**-20


def draws_of(cells: SortedCells, grid: int, levels: tuple[Fraction, ...], rate: Fraction) -> JointDraws:
    """Return how tuples are drawn at a rate for a person, in windows so wide that little lies outside.

    The first ones may be too narrow: what they weigh tells how wide is enough.
    """
    rate /= unit_of(cells)
    few = few_of(cells, grid, len(levels), rate)
    reach = _first_reach(cells, grid, levels, rate)
    while True:
        windows = Windows(cells, grid, levels, rate, [Fraction(reach)] * len(levels), intervals=few)
        found = JointDraws(windows, Fraction(reach))
        if found.start[1] < found.start[0] - OUTSIDE:
            return found
        missing = found.tuples - float(found.start[0]) + OUTSIDE + 1
        wide = ceil(missing / (2 * windows.rate_as_float)) if np.isfinite(missing) else 2 * reach
        reach = max(wide, reach + 1)


def _first_reach(cells: SortedCells, grid: int, levels: tuple[Fraction, ...], rate: Fraction) -> int:
    """Return about how wide windows have to be, by how many cells lie near each target."""
    count, near = int(cells.size), ceil(1 / rate)
    if not count:
        return near * FIRST_REACH
    targets = np.array([int(level * count) for level in levels])
    low, high = (cells[np.clip(targets + side, 0, count - 1)] for side in (-near, near))
    inside = float(np.log(np.maximum(high - low, 1)).sum()) - len(levels)
    return max(ceil((_log_tuples(grid, len(levels)) - inside + OUTSIDE) / (2 * float(rate))), 1)
