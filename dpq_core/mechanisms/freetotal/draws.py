"""Draws by the distance from the best total: a total with a tuple of JointExp's kind, or a tuple from far away.

The law wanted is exp(-r d), d the least d_N of all totals N. `joint.draws` draws tuples in windows with weight
exp(-r d_N) for totals N_j side by side; those come first among its options, then all tuples far away as one more. Each
tuple has a `share` of its weight for each of the first options, and the shares of all are 1.

    near    A total N_j with its weight w_j, and a tuple in the windows whose best total lies between two neighbours of
            the N_j. It belongs to these two with shares by their distance from it (`totals`), so that
            share exp(-r d) <= w_j exp(-r d_{N_j}) exp(KAPPA).
    far     A tuple outside the windows, or with a best total beyond all N_j, drawn from JointExp itself at a slower
            rate r' = r / SLOWER. There d > T, the reach of the windows: with k records below an answer for q and
            e = k - q n, d_N >= |e + q x| + |e - (1 - q) x|, x = n - N, which is least |e| / max(q, 1 - q), and a window
            is |e| <= T max(q, 1 - q); beyond all totals, d >= |n - N| > T. JointExp's own distance is
            d_n <= d_N + |n - N| <= 2 d. So r d >= (r - 2 r') T + r' d_n, and the share is 1.

With KAPPA added to B, the chance of `joint.draws` is at most 1 for both, and its theorem holds with one choice more,
that of the first option. No window and no range of totals cuts anything off; they decide about the time only.

Many ranges side by side, as in AQ's recursion (`draw_parts`): a record at the last index of a range, or an answer
there, belongs to it as in `exponential.sampling`. The seeded sampler weighs them together (`freetotal.many`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, count, takewhile
from math import ceil, comb, log, prod

import numpy as np

from ...arrays import Cells, Flags, Floats, Integers, chunks
from ...noise.entropy import Entropy
from ...noise.exact import ExactEntropy
from ...noise.fast import SeededSampler
from ...people.shares import unit_of
from ..exponential.distribution import Ranges, Target
from ..joint.distance import all_missed, missed, plain_proportions, proportions_of
from ..joint.draws import Choices, Draws, JointDraws, propose
from ..joint.draws import draws_of as joint_draws_of
from ..joint.windows import Intervals, Part, Windows
from .chains import Batch
from .many import MOST_LEVELS_OF_ONE_TOTAL, draw_many
from .totals import KAPPA, SLOWER, Totals, first_reach, step_of

FARTHER = 1.5
"""By how much more than the weights say windows are made wider."""
HEAVY = 2.0
"""A total has a large weight if that is exp(HEAVY) times that of all dense ones, or exp(-HEAVY) of the largest."""
TRIES = 12
"""This often as many attempts as levels take as long as the other way. Of 2 to 6 levels one in 2, 3, 5, 10, 20 does."""
NUMBERS_AT_ONCE = 1 << 22
"""Totals are weighed together as long as they have no more numbers, about 100 MB; usually all."""
MOST_PATHS = 1000
"""Where few intervals have cells, all paths through them are weighed, up to this many."""


class FreeDraws(Draws):
    """The weights of all that is proposed for one column. Private."""

    free, at_once = True, 8.0

    def __init__(
        self, slow: JointDraws, part: Part, reach: int, totals: Totals | None = None, every: bool = False
    ) -> None:
        """`slow`: how far tuples are proposed, at the rate of `part` / SLOWER. `reach`: T in ranks.

        `totals`: those of a smaller reach, which stay and get more beside them. `every`: all there can be instead,
        where few intervals have cells.
        """
        self.slow, self.part, self.reach, self.parts = slow, part, reach, [part]
        step, possible = step_of(part.rate), None
        if part.few and every:
            possible = Totals.possible(part.count, proportions_of(part.levels), step, reach, part.few[0])
        self.totals = possible or Totals.around(part.count, len(part.levels) + 1, step, reach, totals)
        self.tuples = NearTuples(part, reach, self.totals.values)
        weights = self.tuples.totals + self.totals.log_weights(part.rate)
        far = -np.inf if reach >= part.count else float(slow.total[0]) - float(self.spare * reach + KAPPA) + 2.0**-20
        self.start = np.append(weights, far)
        """The log weights of the first options."""
        self.total = np.logaddexp.reduce(self.start, keepdims=True) + float(KAPPA) + 2.0**-40
        self.choices = slow.choices + 1
        self.excess = far - float(weights.max())
        """The logarithm of the far weight over the largest near one; all distances are at most n."""
        sparse = self.totals.sparse
        dense = weights[~sparse].max(initial=-np.inf)
        self.too_sparse = sparse & (weights > max(dense + HEAVY, float(weights.max()) - HEAVY))
        """Of each total, whether it has a large weight and lies far from its neighbours: it is rarely accepted."""

    @property
    def spare(self) -> Fraction:
        """Return by how much far tuples weigh less for each rank of the reach: r - 2 r'."""
        return self.part.rate - 2 * self.slow.parts[0].rate

    @property
    def fits(self) -> bool:
        """Return whether a fair part of the proposals will be accepted."""
        return self.excess <= 0 and not self.too_sparse.any()

    def propose(self, which: Integers, rows: Integers, choices: Choices) -> tuple[Integers, Integers]:
        """Return cells, and the place of a total, or how many totals there are for a tuple from far away."""
        options = choices.choose(rows, np.broadcast_to(self.start, (rows.size, self.start.size)))
        cells = np.empty((rows.size, len(self.part.levels)), np.int64)
        far = options == self.tuples.totals.size
        some = np.flatnonzero(~far)
        if some.size:
            cells[some] = self.tuples.propose(options[some], rows[some], choices)
        some = np.flatnonzero(far)
        if some.size:
            cells[some], outside = self.slow.propose(which[some], rows[some], choices)
            options[some] += np.where(self.slow.windows.hold(which[some], cells[some]) != outside, 0, 1)
        return cells, options

    def near(self, which: Integers, cells: Integers) -> Flags:
        """Return whether the cells of tuples lie in the windows."""
        return self.tuples.hold(cells)

    def share(self, option: int, near: bool, total: Fraction) -> Fraction:
        """Return the share of a tuple's weight that a total, or the far proposals, propose."""
        if not near or not self.totals.values[0] <= total <= self.totals.values[-1]:
            return Fraction(option == self.tuples.totals.size)
        return self.totals.share(option, total)

    def shares(self, options: Integers, near: Flags, totals: Floats) -> Floats:
        """Return the same of many tuples."""
        values = self.totals.plain
        far = ~near | (totals < values[0]) | (totals > values[-1])
        return np.where(far, options == values.size, self.totals.shares(options, totals))


class NearTuples:
    """The tuples in windows around the targets, for many totals. Private."""

    def __init__(self, part: Part, reach: int, totals: tuple[Fraction, ...]) -> None:
        """`reach`: T in ranks."""
        self._part, few = part, part.few
        self._sides = [reach * max(level, 1 - level) for level in part.levels]
        places = [few[0].size if few else min(2 * int(side), part.count) // part.width + 2 for side in self._sides]
        self._at_once = max(NUMBERS_AT_ONCE // sum(places), 1)
        self._totals = [totals[some] for some in chunks(len(totals), self._at_once)]
        self._stored: tuple[int, Windows] | None = None
        self.totals = np.concatenate([self._windows(some).total for some in range(len(self._totals))])
        """Of each total the log weight of all tuples in the windows, or more."""

    def _windows(self, some: int) -> Windows:
        """Return those of some of the totals; the last ones are kept, others are weighed again."""
        if self._stored is None or self._stored[0] != some:
            self._stored = None
            self._stored = some, Windows([self._part], [self._sides], self._totals[some], intervals=self._part.few)
        return self._stored[1]

    def hold(self, cells: Integers) -> Flags:
        """Return whether all cells of tuples (rows, levels) lie in the windows."""
        assert self._stored is not None, "all are weighed at first"
        return self._stored[1].hold(np.zeros(len(cells), np.int64), cells)

    def propose(self, which: Integers, rows: Integers, choices: Choices) -> Integers:
        """Return cells (rows, levels) for the places of totals (rows,)."""
        parts, found = which // self._at_once, np.empty((which.size, len(self._part.levels)), np.int64)
        for part in sorted(set(parts.tolist())):
            same = np.flatnonzero(parts == part)
            found[same] = propose(self._windows(part), which[same] - part * self._at_once, rows[same], choices)
        return found


class OneTotal(JointDraws):
    """JointExp's tuples at a slower rate, accepted by the distance from the best total: for a few levels. Private.

    Let d_n = sum |n_i - u_i n|. With delta_i = n_i - u_i N for the best total N, n = N + sum of delta_i, so the vector
    of all n_i - u_i n is the sum of delta_i (e_i - u), where e_i - u has the length 2 (1 - u_i). So d_n <= s d with
    s = 2 (1 - min u): JointExp's weights at the rate r / s are no less than exp(-r d), and its B is enough.
    """

    free = True

    def __init__(self, parts: Sequence[Part]) -> None:
        """All have as many levels."""
        slow = joint_draws_of([part.slower(2 * (1 - min(proportions_of(part.levels)))) for part in parts])
        super().__init__(slow.windows, slow.reaches)
        self.parts = parts


def intervals_of_few_paths(part: Part) -> Intervals | None:
    """Return the intervals if there are at most MOST_PATHS, else None; as many paths as intervals, at least."""
    levels = len(part.levels)
    few = takewhile(lambda few: comb(few + levels - 1, levels) <= MOST_PATHS, count(1))
    return part.intervals(max(few))


class Paths(Draws):
    """Every path through the intervals that have cells, for any number of records: one choice. Private.

    Where records are many times tied, the best total of a tuple can be anything in a wide range, and proposals of a
    total would rarely fit. But then there are few intervals with any cells, and few paths through them.
    """

    choices, free = 1, True

    def __init__(self, part: Part) -> None:
        # few paths are read by a few records, of any number
        self._ranks, self._edges = intervals_of_few_paths(part) or part.every_interval
        self.part, self.parts, levels = part, [part], len(part.levels)
        self._lengths = np.diff(self._edges)
        self._paths = list(combinations_with_replacement(np.flatnonzero(self._lengths).tolist(), levels))
        self.logs = np.array([log(ways) - float(apart) for ways, apart in map(self._weighed, self._paths)])
        """Of all tuples that pass each path."""
        self.total = np.logaddexp.reduce(self.logs, keepdims=True)

    def _weighed(self, path: tuple[int, ...]) -> tuple[int, Fraction]:
        """Return how many tuples pass a path, and r d of each."""
        ways = prod(comb(int(self._lengths[at]) + times - 1, times) for at, times in Counter(path).items())
        _, apart = missed(self._ranks[list(path)].tolist(), self.part.count, self.part.levels, free=True)
        return ways, self.part.rate * apart

    def log_law(self, cells: Integers) -> Floats:
        """Return the log probabilities of tuples (rows, levels)."""
        _, apart = all_missed(self.part.ranks_of(cells), self.part.count, self.part.levels, free=True)
        return np.asarray(-float(self.part.rate) * apart - self.total, dtype=np.float64)

    def propose(self, which: Integers, rows: Integers, choices: Choices) -> tuple[Integers, Integers]:
        """Return cells, and that all are near."""
        options = choices.choose(rows, np.broadcast_to(self.logs, (rows.size, self.logs.size)))
        cells = np.empty((rows.size, len(self.part.levels)), np.int64)
        for option in sorted(set(options.tolist())):
            some, first = np.flatnonzero(options == option), 0
            for interval, times in Counter(self._paths[option]).items():
                inside = choices.within(rows[some], np.full(some.size, self._lengths[interval]), times)
                cells[some, first : first + times] = self._edges[interval] + 1 + inside
                first += times
        return cells, np.zeros_like(options)


def draws_of(part: Part) -> Draws:
    """Return how tuples are drawn in the quickest way there is; at least one level.

    Windows so wide that few proposals come from far away. A guess first: its weights tell how wide is enough.
    """
    if intervals_of_few_paths(part):
        return Paths(part)
    slow, reach = joint_draws_of([part.slower(SLOWER)]), first_reach(len(part.levels), part.rate)
    found = FreeDraws(slow, part, min(reach, part.count))
    every = False
    while not found.fits:
        totals, every = found.totals.denser(found.too_sparse), every or bool(found.too_sparse.any())
        if found.excess > 0:
            more = (found.excess + 1) * FARTHER / float(found.spare)
            reach = found.reach + ceil(min(more, 3.0 * found.reach))
        found = FreeDraws(slow, part, min(reach if found.excess > 0 else found.reach, part.count), totals, every)
    return found


def draw_parts(cells: Cells, parts: Ranges, target_levels: tuple[Target, ...], entropy: Entropy) -> Integers:
    """Return drawn indices, shape (trials, draws, levels), increasing: column j draws in its range.

    All of `target_levels` are equally many. Indices, parts and their ends are those of `exponential.draw`.
    """
    trials, draws = parts.start.shape
    if not parts.start.size:
        return np.empty((trials, draws, len(target_levels[0].levels)), np.int64)
    flat, which = parts.flat(), np.tile(np.arange(draws), trials)

    if isinstance(entropy, ExactEntropy):
        ranges = [_part(cells, flat, row, target_levels[at]) for row, at in enumerate(which.tolist())]
        chosen = flat.low[:, None] + _draw_exact(ranges, entropy)
    else:
        assert isinstance(entropy, SeededSampler), "there are two samplers"
        chosen = _draw_fast(cells, flat, which, target_levels, entropy)
    return chosen.reshape(trials, draws, len(target_levels[0].levels))


def _draw_fast(
    cells: Cells, parts: Ranges, which: Integers, target_levels: tuple[Target, ...], entropy: SeededSampler
) -> Integers:
    """Return the answers of all draws, (draws, levels); draws of the same range are weighed once."""
    same = np.stack([which, parts.start, parts.end, parts.low, parts.high], axis=1)
    _, first, rows = np.unique(same, axis=0, return_index=True, return_inverse=True)
    proportions = np.array([plain_proportions(each.levels) for each in target_levels])[which[first]]
    rates = np.array([each.rate_as_float / unit_of(cells) for each in target_levels])[which[first]]
    distinct = parts.flat(first)

    def alone(row: int, count: int) -> Integers:
        part = _part(cells, distinct, row, target_levels[which[first[row]]])
        return np.asarray(distinct.low[row] + draws_of(part).draw(entropy, count), dtype=np.int64)

    return draw_many(Batch(cells, distinct, proportions, rates), rows.reshape(-1), entropy, alone)


def _draw_exact(parts: list[Part], entropy: ExactEntropy) -> Integers:
    """Return cells of one draw from each part, (parts, levels): of few levels first all parts together."""
    levels = len(parts[0].levels)
    chosen, done = np.empty((len(parts), levels), np.int64), np.zeros(len(parts), np.bool_)
    if 1 < levels <= MOST_LEVELS_OF_ONE_TOTAL:
        few = np.array([part.few is not None for part in parts])
        for some in (np.flatnonzero(~few), *np.flatnonzero(few)[:, None]):
            if some.size:
                one, rows = OneTotal([parts[row] for row in some]), np.arange(some.size)
                chosen[some], done[some] = entropy.accepted_soon(one.attempts, rows, TRIES * levels, (levels,), levels)
    for row in np.flatnonzero(~done).tolist():
        chosen[row] = draws_of(parts[row]).draw(entropy, 1)[0]
    return chosen


def _part(cells: Cells, parts: Ranges, row: int, target: Target) -> Part:
    """Return the records of a range for a draw at a target."""
    start, end, low, high = (int(each[row]) for each in (parts.start, parts.end, parts.low, parts.high))
    return Part.of(cells[start:end], high - low + 1, target.levels, target.rate, low)


def log_density_of_parts(cells: Cells, parts: Ranges, target_levels: tuple[Target, ...], chosen: Integers) -> Floats:
    """Return the log probability of drawn indices (trials, draws, levels) in their ranges, (trials, draws).

    By enumeration of all paths through the intervals: for audits.
    """
    logs = np.full(chosen.shape[:2], -np.inf)
    for column, target in enumerate(target_levels):
        part, choice = parts.column(column), chosen[:, column]
        same = np.stack([part.start, part.end, part.low, part.high], axis=1)
        _, first, rows = np.unique(same, axis=0, return_index=True, return_inverse=True)
        for number, row in enumerate(first.tolist()):
            at = np.flatnonzero(rows.reshape(-1) == number)
            own = _part(cells, part, row, target)
            places = choice[at] - own.low
            fits = (places[:, 0] >= 0) & (places[:, -1] < own.grid) & (np.diff(places, axis=1) >= 0).all(axis=1)
            logs[at[fits], column] = Paths(own).log_law(places[fits])
    return logs
