"""Draws of ordered tuples by their distance, exactly: proposed from `joint.windows`, accepted by exact chances.

One attempt. First: a total and the tuples in its windows, or all tuples outside of the windows as one option, at the
total n. Then runs from the last level back: a place, given that of the run after it; how many levels it has; and their
cells, evenly among all C(L + c - 1, c) choices. A choice s has options with logarithms l_i, of which floats make whole
weights v_i with the sum V_s (`noise.exact`); i is chosen with chance v_i / V_s. A tuple y with the distance d is
accepted with
    ONE_LESS^K exp(-B) * product over all choices of (V_s / v) * (ways) * exp(-r d),
where B is the logarithm of the sum over the first options, as a rational number, ways is how many cells the tuple was
taken out of, and K is FOR_EACH = 4 times 2 k + 1, the most choices an attempt can have: one number for all tuples. B is
that of a part where several are drawn from side by side.

Theorem. An accepted tuple has the chance exp(-r d) / sum exp(-r d), exactly. Proof. Each tuple has one path of choices:
its runs are what levels share places. It is proposed with the product of v / V_s over ways, and so accepted with
ONE_LESS^K exp(-B) exp(-r d), a constant times its weight: rounding of the v changes nothing.

The chance is at most 1. With all errors of floats counted, V_s / v <= exp(b_s - l) / ONE_LESS^4, b_s being the stored
logarithm of the options of s: it is at least the logarithm of their sum, less 2^-21 (`joint.log_sums`), and rounding of
up to 2^21 whole weights adds up to 2^21 to a sum of 2^40 at least, 2^-19 of it; together less than 2^-18. The l of one
choice is the b_s of the next, less the costs of the steps, plus the logarithm of the ways of the runs; the b_s of the
first choice is B. So the product is at most exp(B + costs) / (ways ONE_LESS^K), and the costs exceed r d by at most the
spread, which B contains. Outside of the windows r d > 2 r D, which B contains as well.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from math import ceil, comb, lgamma, log
from typing import TypeAlias

import numpy as np

from ...arrays import Flags, Floats, Integers, chunks
from ...noise.entropy import Entropy
from ...noise.exact import ONE_LESS, ExactEntropy, whole_weights
from ...noise.fast import SeededSampler
from .distance import all_missed, missed
from .windows import Part, Windows

LARGEST_RATE = Fraction(22)
"""A record too many then weighs exp(-22), or exp(-44) where it is missing elsewhere: a higher rate changes little."""
SMALLEST_RATE = Fraction(1, 2**23)
FOR_EACH = 4
"""How often ONE_LESS counts for each choice."""
AT_ONCE = 1 << 18
"""Numbers that are drawn from together: more leave the cache."""
SPARE, TOGETHER = 1.25, 1024
"""Attempts for each of several tuples, of which most are accepted; and how many go side by side."""
FIRST_REACH = 8
"""The reach in ranks of weight 1 / e, where there are no records."""
OUTSIDE = 4.0
"""The windows are made so wide that all tuples outside of them weigh less than exp(-OUTSIDE) of those inside."""


class ExactChoices:
    """The choices of some attempts of the exact sampler, and what is known of their chances."""

    def __init__(self, entropy: ExactEntropy, attempts: int) -> None:
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
        return multisets(lengths, count, self._exact)

    def accept(self, row: int, choices: int, share: Fraction, exponent: Fraction) -> bool:
        """Whether a tuple is accepted; `choices`: of `Draws`. `exponent`: B + r d. `share`: of its weight, over 0."""
        ratio = Fraction(self._over[row], self._under[row])
        return self._exact.accept(ONE_LESS ** (FOR_EACH * choices) * share * ratio, exponent)


class SeededChoices:
    """The same for many attempts of the seeded sampler side by side, in floats."""

    def __init__(self, entropy: SeededSampler, attempts: int) -> None:
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
        return multisets(lengths, count, self._fast)

    def accept(self, shares: Floats, exponents: Floats) -> Flags:
        """Whether each tuple is accepted, as above."""
        return self._fast.bernoulli(shares * np.exp(np.minimum(self._logs - exponents, 9.0)))


Choices: TypeAlias = ExactChoices | SeededChoices


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
    """Return cells of tuples in the windows, (rows, levels); `which`: the row of the windows of each of the rows."""
    levels, part = windows.levels, windows.part_of(which)
    cells = np.empty((which.size, levels), np.int64)
    after, column = np.zeros(which.size, np.int64), np.full(which.size, levels - 1)
    for current in reversed(range(levels)):
        waiting, places = np.flatnonzero(column == current), windows.places[current]
        for chunk in chunks(waiting.size, max(AT_ONCE // places.shape[1], 1)):
            some = waiting[chunk]
            given = after[some] if current < levels - 1 else None
            at = choices.choose(rows[some], windows.options(current, which[some], given))
            counts = np.ones(some.size, np.int64)
            if current and (windows.lows[current] <= windows.highs[current - 1]).any():
                counts += choices.choose(rows[some], windows.runs(current, at, which[some]))
            lengths, before = (each[current][part[some], at] for each in (windows.lengths, windows.before))
            for count in sorted(set(counts.tolist())):
                same = np.flatnonzero(counts == count)
                found = before[same][:, None] + 1 + choices.within(rows[some[same]], lengths[same], count)
                cells[some[same], current - count + 1 : current + 1] = found
            after[some], column[some] = places[part[some], at], current - counts
    return cells


class Draws(ABC):
    """How tuples of one kind are drawn by either sampler: from one part, or from each of some with as many levels."""

    parts: Sequence[Part]
    total: Floats
    """B of each part."""
    choices: int
    """The most choices that an attempt can have."""
    free = False
    """Whether tuples are weighed by their best totals, not by the number of ranks."""
    at_once = 1.0
    """How many attempts go side by side for each tuple."""

    @abstractmethod
    def propose(self, which: Integers, rows: Integers, choices: Choices) -> tuple[Integers, Integers]:
        """Return cells (rows, levels), and which of the first options was chosen, for the part of each of the rows."""

    def near(self, which: Integers, cells: Integers) -> Flags:
        """Return whether the cells of tuples lie near the targets, for the part of each of the rows."""
        return np.ones(which.size, np.bool_)

    def share(self, option: int, near: bool, total: Fraction) -> Fraction:
        """Return the share of a tuple's weight that a first option proposes, by its N; the shares of all are 1.

        All of it where the tuple is near and the option 0, or where it is not and the option 1.
        """
        return Fraction(near != option)

    def shares(self, options: Integers, near: Flags, totals: Floats) -> Floats:
        """Return the same of many tuples of one part, (rows,), up to the rounding of floats."""
        return np.asarray(near != options, dtype=np.float64)

    def draw(self, entropy: Entropy, trials: int) -> Integers:
        """Return cells (trials, levels) of one part, non-decreasing along levels."""
        at_once = self.at_once if trials == 1 else max(self.at_once, SPARE)
        rows, shape = np.zeros(trials, np.int64), (len(self.parts[0].levels),)
        some = chunks(trials, int(TOGETHER / at_once))
        return np.concatenate([entropy.accepted_rows(self.attempts, rows[each], shape, at_once) for each in some])

    def attempts(self, entropy: Entropy, which: Integers) -> tuple[Integers, Flags]:
        """Return a tuple of cells for the part of each of the rows, and whether it is accepted.

        The seeded sampler draws from one part.
        """
        assert isinstance(entropy, SeededSampler | ExactEntropy), "there are two samplers"
        count = which.size
        choices = SeededChoices(entropy, count) if isinstance(entropy, SeededSampler) else ExactChoices(entropy, count)
        cells, options = self.propose(which, np.arange(count), choices)
        near = self.near(which, cells)
        if isinstance(choices, SeededChoices):
            part = self.parts[0]
            totals, apart = all_missed(part.ranks_of(cells), part.count, part.levels, self.free)
            return cells, choices.accept(self.shares(options, near, totals), float(part.rate) * apart + self.total)
        ways = zip(range(count), which.tolist(), options.tolist(), near.tolist(), strict=True)
        return cells, np.array([self._accepted(choices, *way, cells) for way in ways], np.bool_)

    def _accepted(self, choices: ExactChoices, row: int, at: int, option: int, near: bool, cells: Integers) -> bool:
        """Return whether the tuple of one of the rows is accepted; `at`: its part."""
        part = self.parts[at]
        total, apart = missed(part.ranks_of(cells[row]).tolist(), part.count, part.levels, self.free)
        share, bound = self.share(option, near, total), Fraction(float(self.total[at]))
        return bool(share) and choices.accept(row, self.choices, share, part.rate * apart + bound)


class JointDraws(Draws):
    """JointExp's own: the tuples in the windows, and all others as one option. Private."""

    def __init__(self, windows: Windows, reaches: Sequence[Fraction]) -> None:
        """`reaches`: of each part, D of every level."""
        self.windows, self.parts, self.reaches = windows, windows.parts, reaches
        self.choices = 2 * windows.levels + 1
        self.tuples = np.array([_log_tuples(part.grid, windows.levels) for part in self.parts])
        costs = [2 * float(part.rate * reach) for part, reach in zip(self.parts, reaches, strict=True)]
        outside = np.where(windows.whole, -np.inf, self.tuples - np.array(costs) + 2.0**-20)
        self.start = np.stack([windows.total, outside], axis=1)
        """The log weights of the first options, (parts, 2)."""
        self.total = np.logaddexp.reduce(self.start, axis=1)

    def propose(self, which: Integers, rows: Integers, choices: Choices) -> tuple[Integers, Integers]:
        """Return cells, and whether they are to lie outside of the windows: 1, or 0."""
        outside, cells = np.zeros(rows.size, np.int64), np.empty((rows.size, self.windows.levels), np.int64)
        open_ones = np.flatnonzero(~self.windows.whole[which])
        if open_ones.size:
            outside[open_ones] = choices.choose(rows[open_ones], self.start[which[open_ones]])
        near, far = np.flatnonzero(outside == 0), np.flatnonzero(outside)
        if near.size:
            cells[near] = propose(self.windows, which[near], rows[near], choices)
        if far.size:
            grids = np.array([self.parts[part].grid for part in which[far].tolist()])
            cells[far] = choices.within(rows[far], grids, self.windows.levels)
        return cells, outside

    def near(self, which: Integers, cells: Integers) -> Flags:
        """Return whether the cells of tuples lie in the windows."""
        return self.windows.hold(which, cells)


def _log_tuples(grid: int, levels: int) -> float:
    """Return more than the logarithm of how many ordered tuples there are."""
    return levels * log(grid + levels) - lgamma(levels + 1) + 2.0**-20


def draws_of(parts: Sequence[Part]) -> JointDraws:
    """Return how tuples are drawn from parts with as many levels each, in windows so wide that little lies outside.

    The first ones may be too narrow: what they weigh tells how wide is enough. Of several parts none has few intervals.
    """
    few = parts[0].few if len(parts) == 1 else None
    reaches = [_first_reach(part) for part in parts]
    while True:
        sides = [[Fraction(reach)] * len(part.levels) for part, reach in zip(parts, reaches, strict=True)]
        found = JointDraws(Windows(parts, sides, intervals=few), list(map(Fraction, reaches)))
        narrow = np.flatnonzero(~(found.start[:, 1] < found.start[:, 0] - OUTSIDE))
        if not narrow.size:
            return found
        for at in narrow.tolist():
            missing = float(found.tuples[at] - found.start[at, 0]) + OUTSIDE + 1
            wide = ceil(missing / (2 * float(parts[at].rate))) if np.isfinite(missing) else 2 * reaches[at]
            reaches[at] = max(wide, reaches[at] + 1)


def _first_reach(part: Part) -> int:
    """Return about how wide windows have to be, by how many cells lie near each target."""
    count, near, levels = part.count, ceil(1 / part.rate), len(part.levels)
    if not count:
        return near * FIRST_REACH
    targets = np.array([int(level * count) for level in part.levels])
    low, high = (part.cells[np.clip(targets + side, 0, count - 1)] for side in (-near, near))
    inside = float(np.log(np.maximum(high - low, 1)).sum()) - levels
    return max(ceil((_log_tuples(part.grid, levels) - inside + OUTSIDE) / (2 * float(part.rate))), 1)
