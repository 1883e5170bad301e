"""The weights of all ordered tuples at once: JointExp's forward recursion over the intervals between sorted records.

A tuple v_1 <= ... <= v_m passes the intervals k_j = #{x < v_j}, and its weight is 2^(-rate * d) with
    d = sum over j = 1..m+1 of |k_j - k_{j-1} - t_j|,   t_j = (q_j - q_{j-1}) n,   k_0 = 0,   k_{m+1} = n.
Levels that share an interval of L cells are a run; c of them lie there in C(L + c - 1, c) ways. Let r = rate. With
    K_j(d) = 2^(r min(d, 2 t_j - d)),                                    d counts the records from run to run,
    G_j(k) = sum over k' < k of A_{j-1}(k') K_j(k - k'),                 a run starts with level j, in interval k,
    A_j(k) = sum over c >= 1 of C(L_k + c - 1, c) G_{j-c+1}(k),          a run ends with level j, in interval k,
every tuple counts in the end with 2^(r n) times its weight: the factors 2^(r t_j) of the kernels belong to all tuples
alike, also to the steps of 0 inside a run. All terms are positive, and K is two-sided geometric: its sums are running
sums over d <= t_j and over d > t_j (`joint.steps`). Cost O(m n + m^2 n / 2) simple operations, or less in a window.
`Messages` serve any totals N in place of n, side by side: t_j = (q_j - q_{j-1}) N, and 2^(r N) in place of 2^(r n).

Window. |k_j - q_j n| > D for any j implies d > 2 D: the steps before and after j are off by at least |k_j - q_j n|
each. So only intervals within D of their targets are weighed here, and every tuple that leaves the window weighs less
than 2^(-2 r D). `joint.sampling` draws those by rejection, exactly; any D is correct.

Accuracy. With u = 2^-53, a sum of positive terms is off by at most its worst term and u for each addition on the way.
A draw takes one term out of a stored message, with probability term / (exact sum of the terms); the message, computed
from the same terms, differs from that sum by its own rounding only, and cancels in the product over all draws but for
that. So a tuple is drawn with a weight that is off by at most exp(e), e = the roundings of its kernels, binomials and
sums: for each run 1280 additions in running sums, m in the sum over c, 80 for powers and products, and 3 m for all
binomials. e <= m (m + 1400) u < 1.1e-10 for m <= MOST_LEVELS. The loss compares a tuple's weight and the sum of all
weights in two data sets, its range two tuples' weights: 4 e in either case, less than `LOSS_OF_ROUNDING`.

The distance d is also given exactly, between records and their proportions of any total.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import ceil, comb, floor, lcm, log2

import numpy as np

from ...arrays import Flags, Integers
from ...sample import SortedCells
from .numbers import NEGLIGIBLE, NOTHING, RATE_BITS, Ramp, Wide, product, sum_of_products, total
from .steps import Steps, kernel


def proportions_of(levels: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    """Return the proportions of the records wanted before, between and after the answers; they sum to 1."""
    return tuple(after - before for before, after in pairwise([Fraction(0), *levels, Fraction(1)]))


def in_common_unit(proportions: tuple[Fraction, ...]) -> tuple[list[int], int]:
    """Return proportions as whole multiples of one unit, and how many units make 1: sums of integers are quick."""
    whole = lcm(*(proportion.denominator for proportion in proportions))
    return [proportion.numerator * (whole // proportion.denominator) for proportion in proportions], whole


def counts_of(ranks: list[int], count: int) -> list[int]:
    """Return the records before, between and after answers with these ranks."""
    return [after - before for before, after in pairwise([0, *ranks, count])]


def distance(counts: Sequence[int], proportions: tuple[Fraction, ...], total: Fraction) -> Fraction:
    """Return the sum over all parts of |records there - records wanted of this total|."""
    units, whole = in_common_unit(proportions)
    record = whole * total.denominator
    return Fraction(
        sum(abs(have * record - unit * total.numerator) for have, unit in zip(counts, units, strict=True)), record
    )


def distance_of(ranks: list[int], levels: tuple[Fraction, ...], count: int) -> Fraction:
    """Return minus JointExp's score of answers with these ranks: their distance from the number of records."""
    return distance(counts_of(ranks, count), proportions_of(levels), Fraction(count))


def in_window(ranks: Integers, lows: Integers, highs: Integers) -> Flags:
    """Return whether all ranks of a tuple, along the last axis, lie within the first and the last of each level."""
    return np.asarray(((ranks >= lows) & (ranks <= highs)).all(axis=-1))


MOST_LEVELS = 500
LOSS_OF_ROUNDING = Fraction(1, 2**30)
"""Above 4 e = 4 * 500 * 1900 * 2^-53 < 2^-31: what rounding can add to the privacy loss of a run."""
OUTSIDE_BITS = 20
"""The window is made so wide that all tuples outside it weigh at most 2^-20 of those inside."""

_SOME = 8
"""The distance between the intervals that decide how long runs have to be."""
SMALL_COUNT = 2000
"""Up to this many records all intervals are weighed at once."""


class Messages:
    """All messages of one data set for some totals, each in a row of its own, in a window of intervals. Private."""

    def __init__(
        self,
        cells: SortedCells,
        grid: int,
        levels: tuple[Fraction, ...],
        rate: int,
        window: tuple[Integers, Integers],
        totals: tuple[Fraction, ...],
    ) -> None:
        """`window`: first and last interval of each level. `totals`, increasing: what targets are fractions of."""
        self.cells, self.grid, self.levels, self.rate = cells, grid, levels, rate
        self.lows, self.highs = window
        self.count, self.totals = int(cells.size), totals
        self.proportions = proportions_of(levels)
        self.cell_bits = grid.bit_length()
        self.sums = self._weigh_all()
        """Of each total the weight of all tuples in the window, times 2^(r total) / 2^(levels * cell_bits)."""

    def _weigh_all(self) -> Wide:
        """Weigh level by level, and return the sums over all tuples."""
        levels, totals = self.levels, self.totals
        widest = int((self.highs - self.lows).max()) + 1
        ramp = Ramp(self.rate, widest)
        kernels = {
            proportion: Steps(ramp, tuple(proportion * total for total in totals)) for proportion in self.proportions
        }
        self.steps = [kernels[proportion] for proportion in self.proportions]
        self.starts = Wide.nothing((len(levels), len(totals), widest + 1))
        self._largest: list[Integers] = []
        self._enough = 1
        self.ends: list[Wide] = []
        self._kernels: dict[tuple[Steps, int, int, int], Wide] = {}
        for column in range(len(levels)):
            self._weigh(column)
        last = self.steps[-1].weights(self.count - self.intervals(len(levels) - 1))
        return total(product(self.ends[-1], last))

    @cached_property
    def whole(self) -> bool:
        """Whether every tuple is in the window."""
        return bool(not self.lows.any() and (self.highs == self.count).all())

    def intervals(self, column: int) -> Integers:
        """The intervals in the window of a level."""
        return np.arange(self.lows[column], self.highs[column] + 1)

    def lengths(self, intervals: Integers) -> Integers:
        """How many cells w have #{x < w} = k, for each interval k."""
        return self.edge(intervals + 1) - self.edge(intervals)

    def edge(self, intervals: Integers) -> Integers:
        """The last cell before each interval."""
        if self.count == 0:
            return np.where(intervals > 0, self.grid - 1, -1)
        edges = self.cells[np.clip(intervals - 1, 0, self.count - 1)]
        edges[intervals < 1], edges[intervals > self.count] = -1, self.grid - 1
        return edges

    def kernel(self, column: int, first: int, size: int, least: int) -> Wide:
        """The table `kernel` of the step to a level, made once; equal for many levels."""
        key = self.steps[column], first, size, least
        if key not in self._kernels:
            self._kernels[key] = kernel(*key)
        return self._kernels[key]

    def _weigh(self, column: int) -> None:
        """G and A of one level from the A of the level before."""
        intervals = self.intervals(column)
        if column == 0:
            start = self.steps[0].weights(intervals)
        else:
            start = self.steps[column].sums(self.ends[-1], int(self.lows[column - 1]), intervals)
        self.starts.mantissa[column, :, : intervals.size] = start.mantissa
        self.starts.exponent[column, :, : intervals.size] = start.exponent
        largest = start.exponent
        if column and self.lows[column] <= self.highs[column - 1]:
            falls = self.cell_bits + 1 - np.frexp(self.lengths(intervals))[1]
            largest = np.maximum(largest, self._tops(column, 1) - falls)
        self._largest.append(largest)
        self.ends.append(self._sum_of_runs(column, intervals))

    def _tops(self, column: int, past: int, every: int = 1) -> Integers:
        """Of the levels up to `past` before this one: the largest exponents of G, each lowered by its distance.

        Lowered for every level by the binary orders that C(L + c - 1, c) / 2^(c * cell_bits) falls at least. For each
        total and each interval of this level's window, or `every` few.
        """
        shift = int(self.lows[column] - self.lows[column - past])
        size = -(-int(self.highs[column] - self.lows[column] + 1) // every)
        known = self._largest[column - past][:, shift::every][:, :size]
        if known.shape[1] == size:
            return known
        tops = np.full((len(self.totals), size), NOTHING, np.int64)
        tops[:, : known.shape[1]] = known
        return tops

    def runs(self, column: int, intervals: Integers, which: Integers) -> tuple[Wide, Wide]:
        """C(L + c - 1, c) and G(k) of runs that end with this level, (c, intervals); row 0 is c = 1.

        For each interval k and the place of a total.
        """
        rows, places = self._places(column, intervals)
        return self._ways(intervals, rows.size), self.starts[rows, which, places]

    def _places(self, column: int, intervals: Integers) -> tuple[Integers, Integers]:
        """Where G(k) means all runs that end with this level, levels (c, 1) and places (c, intervals)."""
        rows = np.arange(column, self._first(intervals) - 1, -1)[:, None]
        return rows, np.minimum(intervals - self.lows[rows], self.starts.mantissa.shape[-1] - 1)

    def _first(self, intervals: Integers) -> int:
        """The first level that has one of the intervals in its window."""
        return int(np.searchsorted(self.highs, intervals.min()))

    def _sum_of_runs(self, column: int, intervals: Integers) -> Wide:
        """The sum of `runs` for all totals and intervals. Long runs rarely weigh anything.

        In most intervals a few lengths are enough. Longer ones are bounded (`_tops`); only the intervals where the
        bound is not negligible are summed in full.
        """
        most = column - self._first(intervals) + 1
        ways = self._ways(slice(None) if self.whole else intervals, most)
        if most == 1:
            single = product(ways[0], self.starts[column, :, : intervals.size])
            return Wide.of(single.mantissa, single.exponent)
        enough = self._long_enough(column, intervals, ways)
        sums = sum_of_products(ways[:enough, None], self._starts_before(column, enough, intervals))
        if enough < most:
            bounds = ways.exponent[enough] + self._tops(column, enough)
            more = np.flatnonzero((bounds > np.maximum(sums.exponent, NOTHING // 2) - NEGLIGIBLE).any(axis=0))
            if more.size:
                rows, places = self._places(column, intervals[more])
                starts = self.starts[rows[:, None], np.arange(len(self.totals))[:, None], places[:, None]]
                full = sum_of_products(ways[: rows.size, None, more], starts)
                sums.mantissa[:, more], sums.exponent[:, more] = full.mantissa, full.exponent
        return sums

    def _starts_before(self, column: int, enough: int, intervals: Integers) -> Wide:
        """G of this level and of those before it, (few, totals, intervals)."""
        if self.whole:
            return self.starts[column + 1 - enough : column + 1, :, :-1][::-1]
        found = Wide.nothing((enough, len(self.totals), intervals.size))
        for back in range(enough):
            shift = int(self.lows[column] - self.lows[column - back])
            starts = self.starts[column - back, :, shift : shift + intervals.size]
            size = starts.mantissa.shape[1]
            found.mantissa[back, :, :size], found.exponent[back, :, :size] = starts.mantissa, starts.exponent
        return found

    def _long_enough(self, column: int, intervals: Integers, ways: Wide) -> int:
        """Return how many lengths of runs are enough in most intervals, by a look at some: 1, 2, 4, ..., or all.

        The search begins with half of what was enough for the level before.
        """
        some = slice(None, None, _SOME)
        single = ways.exponent[0, some] + self.starts.exponent[column, :, : intervals.size][:, some]
        single = np.maximum(single, NOTHING // 2)
        enough, most = max(self._enough // 2, 1), int(ways.exponent.shape[0])
        while enough < most:
            bounds = ways.exponent[enough, some] + self._tops(column, enough, _SOME)
            if (bounds > single - NEGLIGIBLE).any(axis=0).mean() < 0.2:
                self._enough = enough
                return enough
            enough *= 2
        return most

    def _ways(self, intervals: Integers | slice, most: int) -> Wide:
        """C(L + c - 1, c) / 2^(c * cell_bits) for c = 1..most, (c, intervals); all intervals as a slice."""
        if self.whole or isinstance(intervals, slice):
            return self._ways_everywhere[:most, intervals]
        return self._binomials(intervals, most)

    @cached_property
    def _ways_everywhere(self) -> Wide:
        return self._binomials(np.arange(self.count + 1), len(self.levels))

    def _binomials(self, intervals: Integers, most: int) -> Wide:
        """As `_ways`, computed. Products of 500 mantissas stay normal."""
        points = np.arange(1, most + 1)[:, None]
        lengths = self.lengths(intervals)
        ratio = np.where(lengths > 0, lengths + points - 1, 0) / points
        ratios = Wide.of(ratio, -self.cell_bits)
        products = np.asarray(np.cumprod(ratios.mantissa, axis=0), dtype=np.float64)
        return Wide.of(products, np.cumsum(ratios.exponent, axis=0))


class Recursion(Messages):
    """JointExp's messages: the one total is the number of records; `window`: intervals before each target."""

    def __init__(self, cells: SortedCells, grid: int, levels: tuple[Fraction, ...], rate: int, window: int) -> None:
        count, self.window = int(cells.size), window
        targets = [level * count for level in levels]
        lows = np.array([max(ceil(target - window), 0) for target in targets])
        highs = np.array([min(floor(target + window), count) for target in targets])
        super().__init__(cells, grid, levels, rate, (lows, highs), (Fraction(count),))

    @property
    def total(self) -> tuple[float, int]:
        """The weight of all tuples in the window, as mantissa and exponent."""
        return float(self.sums.mantissa[0]), int(self.sums.exponent[0])


def outside_exponent(recursion: Recursion) -> Fraction:
    """2^this is above the weight of every tuple outside the window, in the recursion's units for one tuple."""
    return Fraction(recursion.rate, 2**RATE_BITS) * (recursion.count - 2 * recursion.window)


def weigh(
    cells: SortedCells, grid: int, levels: tuple[Fraction, ...], rate: int, kind: type[Recursion] = Recursion
) -> Recursion:
    """The messages in a window so wide that what lies outside weighs little, or of everything; at least one level.

    A narrow window first: its total is a lower bound, and tells how wide is enough. `kind`: how they are weighed.
    """
    per_record = rate / 2.0**RATE_BITS
    count = int(cells.size)
    tuples = log2(comb(grid + len(levels) - 1, len(levels)))
    window = ceil((8 + 2 * len(levels) ** 0.5) / per_record)
    while count > SMALL_COUNT and 8 * window < count:
        narrow = kind(cells, grid, levels, rate, window)
        mantissa, exponent = narrow.total
        if mantissa:
            bits = tuples + per_record * count - len(levels) * narrow.cell_bits - exponent - log2(mantissa)
            wide = max(window, ceil((bits + OUTSIDE_BITS + 1) / (2 * per_record)))
            if 2 * wide >= count:
                break
            return kind(cells, grid, levels, rate, wide)
        window *= 4
    return kind(cells, grid, levels, rate, max(count, 1))
