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
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil

import numpy as np

from ...arrays import Flags, Floats, Integers, SortedCells
from ...people.shares import unit_of
from ..joint.distance import (
    Intervals,
    counts_between,
    counts_of,
    distance,
    distances,
    plain_proportions,
    proportions_of,
)
from ..joint.draws import Choices, Draws, JointDraws, propose
from ..joint.draws import draws_of as joint_draws_of
from ..joint.windows import Windows, few_of, width_of
from .paths import Paths, intervals_of_few_paths
from .totals import KAPPA, SLOWER, Totals, best_total, best_totals, first_reach, step_of

FARTHER = 1.5
"""By how much more than the weights say windows are made wider."""
HEAVY = 2.0
"""A total has a large weight if that is exp(HEAVY) times that of all dense ones, or exp(-HEAVY) of the largest."""
NUMBERS_AT_ONCE = 1 << 22
"""Totals are weighed together as long as they have no more numbers, about 100 MB; usually all."""
LEAST_ATTEMPTS, MOST_ATTEMPTS = 16, 1024
"""Attempts side by side in the seeded sampler."""


class FreeDraws(Draws):
    """The weights of all that is proposed for one column. Private."""

    at_once = 8

    def __init__(
        self, slow: JointDraws, rate: Fraction, reach: int, totals: Totals | None = None, every: bool = False
    ) -> None:
        """`slow`: how far tuples are proposed, at `rate` / SLOWER. `reach`: T in ranks.

        `totals`: those of a smaller reach, which stay and get more beside them. `every`: all there can be instead,
        where few intervals have cells.
        """
        self.slow, self.rate, self.reach, self.cells = slow, rate, reach, slow.cells
        windows, self.levels = slow.windows, slow.windows.levels
        self.count, self.proportions = windows.count, windows.proportions
        self._plain = plain_proportions(self.levels)
        few, possible = few_of(slow.cells, windows.grid, len(self.levels), rate), None
        if few and every:
            possible = Totals.possible(self.count, self.proportions, step_of(rate), reach, few[0])
        self.totals = possible or Totals.around(self.count, len(self.proportions), step_of(rate), reach, totals)
        self.near = NearTuples(windows, rate, reach, self.totals.values, few)
        weights = self.near.totals + self.totals.log_weights(rate)
        spare = rate - 2 * slow.windows.rate
        far = -np.inf if self.everywhere else slow.total - float(spare * reach + KAPPA) + 2.0**-20
        self.start = np.append(weights, far)
        """The log weights of the first options."""
        self.total = float(np.logaddexp.reduce(self.start)) + float(KAPPA) + 2.0**-40
        self.choices = slow.choices + 1
        self.excess = far - float(weights.max())
        """The logarithm of the far weight over the largest near one."""
        sparse = self.totals.sparse
        dense = weights[~sparse].max(initial=-np.inf)
        self.too_sparse = sparse & (weights > max(dense + HEAVY, float(weights.max()) - HEAVY))
        """Of each total, whether it has a large weight and lies far from its neighbours: it is rarely accepted."""

    @property
    def everywhere(self) -> bool:
        """Whether no tuple is far: all distances are at most n."""
        return self.reach >= self.count

    @property
    def too_near(self) -> bool:
        """Return whether far proposals are too many."""
        return not self.everywhere and self.excess > 0

    @property
    def fits(self) -> bool:
        """Return whether a fair part of the proposals will be accepted."""
        return not self.too_near and not self.too_sparse.any()

    def propose(self, rows: Integers, choices: Choices) -> tuple[Integers, Integers]:
        """Return cells, and the place of a total, or how many totals there are for a tuple from far away."""
        options = choices.choose(rows, np.broadcast_to(self.start, (rows.size, self.start.size)))
        cells = np.empty((rows.size, len(self.levels)), np.int64)
        far = options == self.near.totals.size
        some = np.flatnonzero(~far)
        if some.size:
            cells[some] = self.near.propose(options[some], rows[some], choices)
        some = np.flatnonzero(far)
        if some.size:
            cells[some], outside = self.slow.propose(rows[some], choices)
            options[some] += np.where(self.slow.windows.hold(cells[some]) != outside, 0, 1)
        return cells, options

    def weight(self, option: int, cells: Integers, ranks: list[int]) -> tuple[Fraction, Fraction]:
        """Return the share of a tuple's weight that a total, or the far proposals, propose; and r d."""
        counts = counts_of(ranks, self.count)
        best = best_total(counts, self.proportions)
        exponent = self.rate * distance(counts, self.proportions, best)
        if not self.near.hold(cells[None])[0] or not self.totals.values[0] <= best <= self.totals.values[-1]:
            return Fraction(int(option == self.near.totals.size)), exponent
        return self.totals.share(option, best), exponent

    def weights(self, options: Integers, cells: Integers, ranks: Integers) -> tuple[Floats, Floats]:
        """Return the same of many tuples."""
        counts, values = counts_between(ranks, self.count), self.totals.plain
        best = best_totals(counts, self._plain)
        far = ~self.near.hold(cells) | (best < values[0]) | (best > values[-1])
        shares = np.where(far, options == values.size, self.totals.shares(options, best))
        return shares, float(self.rate) * distances(counts, self._plain, best)

    def attempts_for(self, missing: int) -> int:
        """Return several times as many: one in a few is accepted."""
        return min(max(LEAST_ATTEMPTS, 3 * missing), MOST_ATTEMPTS)


class NearTuples:
    """The tuples in windows around the targets, for many totals. Private."""

    def __init__(
        self, alike: Windows, rate: Fraction, reach: int, totals: tuple[Fraction, ...], few: Intervals | None = None
    ) -> None:
        """`alike`: of the same column and levels."""
        self._few = few
        sides = [reach * max(level, 1 - level) for level in alike.levels]
        self._given = alike.cells, alike.grid, alike.levels, rate, sides
        width = width_of(rate, len(alike.levels))
        places = [few[0].size if few else min(2 * int(side), alike.count) // width + 2 for side in sides]
        self._at_once = max(NUMBERS_AT_ONCE // sum(places), 1)
        self._parts = [totals[first : first + self._at_once] for first in range(0, len(totals), self._at_once)]
        self._stored: tuple[int, Windows] | None = None
        self.totals = np.concatenate([self._windows(part).total for part in range(len(self._parts))])
        """Of each total the log weight of all tuples in the windows, or more."""

    def _windows(self, part: int) -> Windows:
        """Return those of one part of the totals; the last ones are kept, others are weighed again."""
        if self._stored is None or self._stored[0] != part:
            self._stored = None
            self._stored = part, Windows(*self._given, self._parts[part], intervals=self._few)
        return self._stored[1]

    def hold(self, cells: Integers) -> Flags:
        """Return whether all cells of tuples (rows, levels) lie in the windows."""
        assert self._stored is not None, "all are weighed at first"
        return self._stored[1].hold(cells)

    def propose(self, which: Integers, rows: Integers, choices: Choices) -> Integers:
        """Return cells (rows, levels) for the places of totals (rows,)."""
        parts, found = which // self._at_once, np.empty((which.size, len(self._given[2])), np.int64)
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

    def __init__(self, cells: SortedCells, grid: int, levels: tuple[Fraction, ...], rate: Fraction) -> None:
        """`rate`: for a person."""
        slow = joint_draws_of(cells, grid, levels, rate / (2 * (1 - min(proportions_of(levels)))))
        super().__init__(slow.windows, slow.reach)
        self.rate, self.at_once = rate / unit_of(cells), len(levels)

    def weight(self, option: int, cells: Integers, ranks: list[int]) -> tuple[Fraction, Fraction]:
        """Return 1 for a tuple that lies where it was proposed, else 0; and r d."""
        counts, proportions = counts_of(ranks, self.windows.count), self.windows.proportions
        return self.fits(option, cells), self.rate * distance(counts, proportions, best_total(counts, proportions))

    def weights(self, options: Integers, cells: Integers, ranks: Integers) -> tuple[Floats, Floats]:
        """Return the same of many tuples."""
        counts = counts_between(ranks, self.windows.count)
        apart = distances(counts, self.plain, best_totals(counts, self.plain))
        return super().weights(options, cells, ranks)[0], float(self.rate) * apart


def draws_of(cells: SortedCells, grid: int, levels: tuple[Fraction, ...], rate: Fraction) -> Draws:
    """Return how tuples are drawn in the quickest way there is; at least one level.

    Windows so wide that few proposals come from far away. A guess first: its weights tell how wide is enough.
    """
    if intervals_of_few_paths(cells, grid, levels):
        return Paths(cells, grid, levels, rate)
    slow, reach = joint_draws_of(cells, grid, levels, rate / SLOWER), first_reach(len(levels), rate)
    unit = unit_of(cells)
    found = FreeDraws(slow, rate / unit, min(reach * unit, int(cells.size)))
    every = False
    while not found.fits:
        totals, every = found.totals.denser(found.too_sparse), every or bool(found.too_sparse.any())
        if found.too_near:
            more = (found.excess + 1) * FARTHER / float(found.rate - 2 * slow.windows.rate)
            reach = found.reach + ceil(min(more, 3.0 * found.reach))
        found = FreeDraws(slow, found.rate, min(reach if found.too_near else found.reach, found.count), totals, every)
    return found
