"""Draws of a few levels in parts of the data, for the exact sampler: several parts are weighed at once.

Law. Answers y to k levels in a range are drawn with weight exp(-r d(y)), d = min over N of sum |n_i - u_i N|, as in
`freetotal.mechanism`, by rejection from JointExp's chain at the number of records n and a lower rate.

Envelope. Let d_n = sum |n_i - u_i n|. With delta_i = n_i - u_i N the total is n = N + sum of delta_i, so the vector of
all n_i - u_i n is the sum of delta_i (e_i - u), where e_i - u has the length 2 (1 - u_i). So d_n <= s d with
s = 2 (1 - min u). Intervals are taken together in places, a range of ranks each. For a step from place to place, the
number of records between them is within a range; let c be the least |n_i - u_i n| that it allows. The step has an
exponent x in bits, 0 <= x <= CAP / k and x <= (r / s) c. Floats find it, less SPARE and 2^-30 of it, which is more than
they round. So the exponents of all steps add up to X <= r d for any places, and a path weighs 2^-X times the
tuples in its places. A tuple drawn from it is accepted with the exact chance of `joint.draws`, with 2 k choices, a
place and a length for each level, and B the logarithm of the weight of all paths. Nothing is cut off: CAP only makes
rare paths heavier.

Order. Where levels have the same places, c of them in one of L indices have C(L + c - 1, c) tuples in order: a factor L
for the first, (L + 1) / 2 for the second, and so on. Where the targets are far apart each level has places of its own;
only the first and the last, before all records and behind them, are the same. A tuple that is not in order is rejected.

Accuracy. Weights are float64 sums of up to 2^9 positive terms, of which each is 2^-950 of the largest at least. So a
sum is that of its terms but for 2^-43, which ONE_LESS makes up for. Where floats cannot hold the weights, and after
TRIES rejections, the sampler of `freetotal.draws` draws, which has the same law.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import frexp, log
from typing import TypeAlias

import numpy as np

from ...arrays import Cells, Floats, Integers
from ...noise.exact import ExactEntropy
from ...people.shares import unit_of
from ..exponential.distribution import Ranges, Target
from ..joint.distance import counts_of, in_common_unit, plain_proportions, proportions_of
from ..joint.draws import ExactChoices
from .totals import least_distance

MOST_LEVELS = 6
"""Of 2 to 6 levels about one tuple in 2, 3, 5, 10, 20 is accepted."""
TRIES = 200
"""This many attempts take about as long as the other sampler."""
ROWS_AT_ONCE = 16
"""Their weights take about 50 MB at most."""
SPARE = 2.0**-10
"""By how much floats make the exponent of a step less."""
CAP = 500.0
"""The largest exponent of as many steps as there are levels, together."""
SMALLEST = 2.0**-700
"""The least weight of the tuples up to a level beside the largest: times a step it is a normal float."""
LARGEST = 2.0**38
"""The most bits between the ends of the data: up to here floats round an exponent by less than a unit."""
WIDTH = 0.2
"""Within a place near a target the weight of a step falls by an exponent of about this much."""
COMMON = 36.0
"""All levels have the same places where the exponent between the ends of the data is at most this."""
FINE, GROWTH = 18, 0.2
"""Beyond this many places from a target they get wider, by this part of the distance."""

Ranks: TypeAlias = tuple[Floats, Floats]
"""The first and the last rank of places."""
Drawn: TypeAlias = tuple[int, ...]
"""Indices, increasing."""


def draw_few(cells: Cells, parts: Ranges, draws: list[Target], entropy: ExactEntropy) -> Iterator[Drawn | None]:
    """Yield the answers in each range (rows,), or None: the other sampler must draw. All have equally many levels."""
    for first in range(0, len(draws), ROWS_AT_ONCE):
        some = slice(first, first + ROWS_AT_ONCE)
        paths = FewLevels(cells, parts.flat(some), draws[some])
        for row, draw in enumerate(draws[some]):
            yield entropy.accepted_soon(Tuples(paths, row, draw).attempt, TRIES) if paths.holds[row] else None


class FewLevels:
    """The weights of all paths through the places of some ranges (rows,), equally many levels in each. Private."""

    def __init__(self, cells: Cells, parts: Ranges, draws: list[Target]) -> None:
        self.cells, self.parts, self.counts, self.levels = cells, parts, parts.counts, len(draws[0].levels)
        proportions = np.array([plain_proportions(draw.levels) for draw in draws])
        moved = 2 * (1 - proportions.min(axis=1))
        self.rates = np.array([float(draw.rate / unit_of(cells)) for draw in draws]) / log(2) / moved
        self.wanted, spans = proportions * self.counts[:, None], self.rates * self.counts
        self.holds = spans <= LARGEST
        """Of each range, whether floats hold its weights."""
        self.common = bool(spans.max(initial=0.0) * log(2) <= COMMON)
        """Whether all levels have the same places."""
        bounds = self._bounds()
        self.edges = _edges(cells, parts, bounds)
        """The last index before each place, and that of the range: (rows, levels, places + 1)."""
        self.lengths = np.diff(self.edges, axis=2)
        self._weigh(bounds[:, :, :-1].astype(np.float64), (bounds[:, :, 1:] - 1).astype(np.float64))

    def _bounds(self) -> Integers:
        """Return the first rank of each place, and that behind all: (rows, levels, places + 1)."""
        widths = np.clip(WIDTH / (self.rates * log(2)), 1, self.counts + 1.0).astype(np.int64)
        most = int((self.counts // widths).max(initial=0)) + 1
        centres = np.floor(self.wanted.cumsum(axis=1)[:, :-1]).astype(np.int64)[:, :, None]
        if self.common:
            inner = 0 * centres + widths[:, None, None] * np.arange(most + 1)
        else:
            side = _offsets(most)
            inner = centres + widths[:, None, None] * np.concatenate([-side[:0:-1], side])
        count = 0 * centres + self.counts[:, None, None]
        return np.concatenate([0 * count, np.clip(inner, np.minimum(count, 1), count), count + 1], axis=2)

    def _weigh(self, first: Floats, last: Floats) -> None:
        """Weigh all tuples level by level, by the ranks of places."""
        start, end = np.zeros((self.counts.size, 1)), self.counts[:, None].astype(np.float64)
        self._orders = np.zeros(self.counts.size)
        self.steps: list[Floats] = []
        """The weights of steps between levels to another place, (rows, places before, places)."""
        self.runs = [[self.lengths[:, 0] * self._step_weights(0, (start, start), (first[:, 0], last[:, 0]))]]
        """Of the tuples up to a level, of which the last 1, 2, ... share a place: (rows, places) each."""
        self.sums = [self._scaled_sum()]
        """All runs together."""
        for column in range(1, self.levels):
            before, after = ((first[:, at], last[:, at]) for at in (column - 1, column))
            before_each = before[0][:, :, None], before[1][:, :, None]
            steps = self._step_weights(column, before_each, (after[0][:, None], after[1][:, None]))
            self._add_level(column, steps)
        last_steps = self._step_weights(self.levels, (first[:, -1], last[:, -1]), (end, end))
        self.ends = self.sums[-1] * last_steps
        """Of all tuples, by the place of the last level."""
        self.totals = np.log(self.ends.sum(axis=1)) + log(2) * self._orders
        """The logarithm of the weight of all paths, of each range: B."""

    def _step_weights(self, column: int, before: Ranks, after: Ranks) -> Floats:
        """Return 2^-x of the steps to a level, or to the end of the data, from and to places of these ranks; or 0."""
        shape = (-1, *(1 for _ in np.broadcast_shapes(before[0].shape, after[0].shape)[1:]))
        wanted, rates = self.wanted[:, column].reshape(shape), self.rates.reshape(shape)
        most = after[1] - before[0]
        beyond = np.maximum(wanted - most, (after[0] - before[1]) - wanted)
        beyond *= (1 - 2.0**-30) * rates
        beyond -= SPARE
        weights = np.exp2(-np.clip(beyond, 0.0, CAP / self.levels, out=beyond))
        weights[most < 0] = 0.0
        return np.asarray(weights, dtype=np.float64)

    def _add_level(self, column: int, steps: Floats) -> None:
        """Weigh the tuples up to one more level; `steps` to it, (rows, places before, places)."""
        lengths, stays = self.lengths[:, column], np.diagonal(steps, axis1=1, axis2=2).copy()
        if not self.common:
            stays[:, 1:-1] = 0.0
        places = np.arange(lengths.shape[1]) if self.common else np.array([0, -1])
        steps[:, places, places] = 0.0
        self.steps.append(steps)
        others = np.matmul(self.sums[-1][:, None], steps)[:, 0] * lengths
        shared = (
            runs * stays * np.where(lengths > 0, lengths + count, 0) / (count + 1)
            for count, runs in enumerate(self.runs[-1], 1)
        )
        self.runs.append([others, *shared])
        self.sums.append(self._scaled_sum())

    def _scaled_sum(self) -> Floats:
        """Return the sum of the runs that end with the last level, all brought near 1 by a power of 2."""
        order = np.frexp(np.sum(self.runs[-1], axis=0).max(axis=1, keepdims=True))[1]
        self._orders += order[:, 0]
        self.runs[-1] = [np.ldexp(runs, -order) for runs in self.runs[-1]]
        for runs in self.runs[-1]:
            self.holds &= ((runs == 0) | (runs >= SMALLEST)).all(axis=1)
        return np.asarray(np.sum(self.runs[-1], axis=0), dtype=np.float64)


def _offsets(most: int) -> Integers:
    """Return how many widths from a target places begin, up to `most` or more."""
    found = list(range(FINE + 1))
    while found[-1] < most:
        found.append(found[-1] + max(int(found[-1] * GROWTH), 1))
    return np.array(found)


def _edges(cells: Cells, parts: Ranges, ranks: Integers) -> Integers:
    """Return the last index below these ranks, (rows, levels, some): of 0 that before the range, of n + 1 its last."""
    start, end, low, high = (each[:, None, None] for each in (parts.start, parts.end, parts.low, parts.high))
    records = cells[np.clip(start + ranks - 1, 0, cells.size - 1)] if cells.size else np.zeros(ranks.shape, np.int64)
    found = np.where(start + ranks > end, high, np.clip(records, low, high))
    return np.asarray(np.where(ranks == 0, low - 1, found), dtype=np.int64)


class Tuples:
    """Attempts to draw answers in one of the ranges. Private."""

    def __init__(self, weights: FewLevels, row: int, draw: Target) -> None:
        parts = weights.parts
        self.weights, self.row, self.draw = weights, row, draw
        self.low, self.count = int(parts.low[row]), int(weights.counts[row])
        self.records = weights.cells[int(parts.start[row]) : int(parts.end[row])]
        self.proportions = in_common_unit(proportions_of(draw.levels))
        self.rate = draw.rate / unit_of(weights.cells)
        self._options: dict[tuple[int, int], list[int]] = {}
        self._lengths: dict[tuple[int, int], list[int]] = {}

    def attempt(self, entropy: ExactEntropy) -> Drawn | None:
        """Return the answers that one attempt draws, or None: begin again."""
        choices = ExactChoices(entropy)
        answers = self._answers(choices)
        if answers != sorted(answers):
            return None
        found = self.records.searchsorted(np.array(answers)).tolist()
        ranks = [0 if answer == self.low else rank for answer, rank in zip(answers, found, strict=True)]
        distance = Fraction(*least_distance(counts_of(ranks, self.count), *self.proportions))
        exponent = self.rate * distance + Fraction(float(self.weights.totals[self.row]))
        return tuple(answers) if choices.accept(2 * self.weights.levels, Fraction(1), exponent) else None

    def _answers(self, choices: ExactChoices) -> list[int]:
        """Return answers, drawn from the last level back: a place, how many levels it has, and where they are in it."""
        weights, row, answers = self.weights, self.row, list[int]()
        after, column = 0, weights.levels - 1
        while column >= 0:
            place = choices.among(self._places(column, after))
            lengths = self._runs(column, place)
            count = choices.among(lengths) + 1 if lengths[0] < lengths[-1] else 1
            before, length = int(weights.edges[row, column, place]), int(weights.lengths[row, column, place])
            answers[:0] = [before + 1 + cell for cell in choices.inside(length, count)]
            column, after = column - count, place
        return answers

    def _places(self, column: int, after: int) -> list[int]:
        """Return sums of the places of a level, given the place of the next level, which is another one."""
        found = self._options.get((column, after))
        if found is None:
            weights, row, last = self.weights, self.row, column == self.weights.levels - 1
            steps = None if last else weights.steps[column][row, :, after]
            terms = weights.ends[row] if steps is None else weights.sums[column][row] * steps
            found = self._options[column, after] = _whole_sums(terms)
        return found

    def _runs(self, column: int, place: int) -> list[int]:
        """Return sums of how many levels before a level share its place, 0, 1, ...."""
        if (column, place) not in self._lengths:
            terms = np.array([each[self.row, place] for each in self.weights.runs[column]])
            self._lengths[column, place] = _whole_sums(terms)
        return self._lengths[column, place]


def _whole_sums(terms: Floats) -> list[int]:
    """Return running sums of integers close above float weights, for `ExactChoices.among`."""
    order = 61 - terms.size.bit_length() - frexp(terms.max())[1]
    above = np.maximum(np.ceil(np.ldexp(terms, order)), terms > 0).astype(np.int64)
    sums: list[int] = above.cumsum().tolist()
    return sums
