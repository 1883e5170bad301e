"""Sums over ordered tuples near their targets, in logarithms of floats: what JointExp's proposals are drawn with.

An ordered tuple y_1 <= ... <= y_k has the ranks k_j = #{x < y_j}, and with k_0 = 0, k_{k+1} = n its distance is
    d_N = sum over j = 1..k+1 of |k_j - k_{j-1} - t_j|,   t_j = (q_j - q_{j-1}) N,
for a total N, which is n for JointExp. It is wanted with weight exp(-r d_N). Several N are weighed side by side, each
in a row of its own.

Places. `width` = w ranks following each other are one place: place I holds the L cells of the ranks I w .. I w + w - 1.
With I_0 = 0, and n itself at the end, a part of a tuple in places I_1 <= ... <= I_k differs from that of the places'
first ranks by w - 1 at most, so exp(-r d) is at most exp((k + 1) r (w - 1)) times
    exp(-r sum |w (I_j - I_{j-1}) - t_j|).                                                                    (bound)
Where few intervals have cells, as among ties, each of them is a place of its own, by its rank and with w = 1.
Ranks are units of weighted rows, too: a person is 2^20 of them, and w is chosen so that the first factor is small.

Runs. c levels in one place lie there in C(L + c - 1, c) ways. A run is all levels of a tuple in one place, so each
tuple has one path of runs, in places that increase. In reverse order of drawing, for a level j in place I:
    starts_j(I) = sum over I' < I of ends_{j-1}(I') exp(-r |w (I - I') - t_j|),     a run starts with level j,
    ends_j(I)   = sum over c of C(L + c - 1, c) exp(-r (t_{j-c+2} + ... + t_j)) starts_{j-c+1}(I),   one ends with it.
Runs are counted one by one up to c = COUNTED - 1. Each further level of a longer one counts as the level number COUNTED
does, (L + COUNTED - 1) / COUNTED times, which is more than its own factor; where that matters all are counted.

Windows. |k_j - q_j n| > D for any j implies d_n > 2 D: the parts before and after y_j together are off by as much each.
So only places within D ranks of their targets are weighed.

Floats. What draws need (`joint.draws`) is that no sum is too small: each stored logarithm is at least that of the exact
sum over the stored logarithms it was made of, less 2^-21; it may be larger by anything. Nothing is subtracted, so each
logarithm is a sum of positive terms. Where exponentials span e^SPAN at most they are added as they are, and nothing
underflows: 2^24 terms are off by 2^-29 of their sum. Else logarithms are added in blocks, so that none passes through
more than 3 BLOCK = 2^10 additions for up to BLOCK^3 terms; each is off by less than 2^-51 of the largest logarithm, all
by less than SPARE of it, and by that much running sums are raised. What else rounds are fewer than 2^4 operations,
2^-48 of the largest logarithm. That is below 2^-22 where the rate times the number of ranks is below 2^26.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate
from math import ceil, floor

import numpy as np

from ...arrays import Flags, Floats, Integers, SortedCells, chunks
from .distance import Intervals, few_intervals, proportions_of

SLACK = 0.7
"""What all places of a tuple together may cost: an attempt is accepted with exp(-SLACK) or more on that account."""
SPAN = 600.0
"""Exponentials of numbers that span less are added as they are."""
COUNTED, LITTLE = 4, 9.0
"""Runs of COUNTED levels or more are counted one by one where they weigh more than exp(-LITTLE) of all."""
BLOCK, SPARE = 1 << 8, 2.0**-41
"""Logarithms are added in blocks of this size, and their sums raised by this part of the largest."""
FEW, PAIRS = 512, 1 << 17
"""Up to this many intervals, all pairs are added up, this many pairs at once."""
NEVER = -np.inf


class Windows:
    """The log weights of all tuples near their targets for some totals, each in a row."""

    def __init__(
        self,
        cells: SortedCells,
        grid: int,
        levels: tuple[Fraction, ...],
        rate: Fraction,
        sides: Sequence[Fraction],
        totals: tuple[Fraction, ...] | None = None,
        width: int = 0,
        intervals: Intervals | None = None,
    ) -> None:
        """`rate`: for a rank. `sides`: D of each level. `totals`: N, by default the number of ranks alone.

        `intervals`: all that have cells, where they are few; each is a place then, and the width 1.
        """
        self.cells, self.grid, self.levels, self.rate, self.sides = cells, grid, levels, rate, sides
        self.count = int(cells.size)
        self.totals = (Fraction(self.count),) if totals is None else totals
        self.proportions = proportions_of(levels)
        self.rate_as_float = float(self.rate)
        self.intervals = intervals
        self.width = 1 if intervals else width or width_of(rate, len(levels))
        targets = [level * self.count for level in levels]
        ends = [(target - side, target + side) for target, side in zip(targets, sides, strict=True)]
        self.lows = [max(floor(low), 0) // self.width for low, _ in ends]
        self.highs = [min(ceil(high), self.count) // self.width for _, high in ends]
        self._read_places()
        more = np.array([float(total - self.count) for total in self.totals])
        wanted = [float(each * self.count) + float(each) * more for each in self.proportions]
        self.wanted = np.maximum(wanted, 0.0)
        """t of each step and total, (levels + 1, totals); rounded below 0, no level would be before its run."""
        self.stays = self.rate_as_float * np.cumsum(self.wanted, axis=0)
        """What all levels up to each cost that share the place of the one before, (levels + 1, totals)."""
        self._weigh()

    def _read_places(self) -> None:
        """Find the places of each level's window that have cells."""
        self.places: list[Integers] = []
        """Of each level, increasing."""
        self.before: list[Integers] = []
        """The last cell before each of them."""
        self.lengths: list[Integers] = []
        """How many cells each of them has."""
        bounds: list[Integers] = []
        known: dict[tuple[int, int], tuple[Integers, ...]] = {}
        for window in zip(self.lows, self.highs, strict=True):
            if window not in known:
                known[window] = self._places_within(*window)
            for kept, found in zip((self.places, self.before, self.lengths, bounds), known[window], strict=True):
                kept.append(found)
        self._bounds = np.array(bounds)
        left = (each.searchsorted(low) for each, low in zip(self.places, self.lows[1:], strict=False))
        self._first = np.array([0, *accumulate(int(each) for each in left)])
        """Of each level, how many places lie before its window."""

    def _places_within(self, low: int, high: int) -> tuple[Integers, ...]:
        """Return places, what is before them and their cells; and the last cell before all, and the last of all."""
        if self.intervals:
            ranks, before = self.intervals
            some = slice(*ranks.searchsorted([low, high + 1]).tolist())
            edges = before[some.start : some.stop + 1]
            return ranks[some], edges[:-1], np.diff(edges), edges[[0, -1]]
        numbers = np.arange(low, high + 2)
        edges = self._edges(numbers * self.width)
        lengths = np.diff(edges)
        there = np.flatnonzero(lengths)
        return numbers[there], edges[there], lengths[there], edges[[0, -1]]

    def _edges(self, ranks: Integers) -> Integers:
        """Return the last cell before the cells of these ranks."""
        if self.count == 0:
            return np.where(ranks > 0, self.grid - 1, -1)
        edges = self.cells[np.clip(ranks - 1, 0, self.count - 1)]
        return np.asarray(np.where(ranks < 1, -1, np.where(ranks > self.count, self.grid - 1, edges)), dtype=np.int64)

    @property
    def whole(self) -> bool:
        """Return whether no tuple lies outside of the windows."""
        return self.lows[-1] == 0 and self.highs[0] == self.count // self.width

    @property
    def spread(self) -> float:
        """Return the logarithm of the first factor of (bound)."""
        return self.rate_as_float * (self.width - 1) * (len(self.levels) + 1)

    def _weigh(self) -> None:
        """Fill in `starts` and `ends` level by level, then `total`."""
        self.starts = np.full((len(self.levels), len(self.totals), max(each.size for each in self.places)), NEVER)
        self.ends: list[Floats] = []
        runs = np.empty((0, 0, 0))
        for column, places in enumerate(self.places):
            starts = self._steps(column, places) if column else -self._cost(0, self.width * places)
            self.starts[column, :, : places.size] = starts
            runs = self._runs(column, starts, runs)
            self.ends.append(self._sum_of_runs(column, runs))
        last = self.ends[-1] - self._cost(len(self.levels), self.count - self.width * self.places[-1])
        self.total = log_sum(last) + self.spread
        """Of each total the log weight of all tuples in the windows, or more."""

    def _cost(self, column: int, steps: Integers) -> Floats:
        """Return r |step - t| for steps in ranks, (totals, steps)."""
        return np.asarray(self.rate_as_float * np.abs(steps - self.wanted[column][:, None]), dtype=np.float64)

    def options(self, column: int, which: Integers, after: Integers | None) -> Floats:
        """Return the log weights of the places of a level, (rows, places), given that of the next run.

        `which`: the total of each row, (rows,). `after`: the place, (rows,); None after the last level.
        """
        low, places = self.lows[column], self.places[column]
        last = self.count if after is None else self.width * after
        beyond = (last - self.width * low) - self.wanted[column + 1, which]
        logs = np.subtract.outer(self.rate_as_float * beyond, self.rate_as_float * self.width * (places - low))
        np.subtract(self.ends[column][which], np.abs(logs, out=logs), out=logs)
        if after is not None and self.lows[column + 1] <= self.highs[column]:
            logs[places >= after[:, None]] = NEVER
        return np.asarray(logs, dtype=np.float64)

    def _steps(self, column: int, places: Integers) -> Floats:
        """Return `starts` of a level from the `ends` of the one before."""
        if not places.size:
            return np.empty((len(self.totals), 0))
        width, ends = self.width, self.ends[-1]
        if self.intervals:
            return self._steps_of_pairs(column, places[:, None] - self.places[column - 1])
        low, size = self.lows[column - 1], self.highs[column - 1] - self.lows[column - 1] + 1
        dense = ends
        if ends.shape[1] < size:
            dense = np.full((len(self.totals), size), NEVER)
            dense[:, self.places[column - 1] - low] = ends
        at, shift = places - self.lows[column], self.lows[column] - low
        rows = (np.arange(len(self.totals)) * size)[:, None]
        offsets = (width * shift - self.wanted[column])[:, None]
        ramp, beyond = self.rate_as_float * width * np.arange(size), self.rate_as_float * (width * at + offsets)
        first = at + np.ceil(offsets / width).astype(np.int64)
        far = running_sums(dense + ramp).take(rows + np.clip(first - 1, 0, size - 1)) - beyond
        far[first < 1] = NEVER
        if shift >= size:
            near = running_sums((dense - ramp)[:, ::-1]).take(rows + (size - 1 - np.clip(first, 0, size - 1)))
            near[first >= size] = NEVER
        else:
            near = sums_between(dense - ramp, first, at + (shift - 1))
        return np.asarray(np.logaddexp(far, near + beyond), dtype=np.float64)

    def _steps_of_pairs(self, column: int, steps: Integers) -> Floats:
        """Do as `_steps` for all pairs of places, (places, places before)."""
        found, at_once = np.empty((len(self.totals), len(steps))), max(PAIRS // max(steps.size, 1), 1)
        for some in chunks(len(found), at_once):
            missed = self.rate_as_float * np.abs(steps - self.wanted[column, some, None, None])
            found[some] = log_sum(np.where(steps > 0, self.ends[-1][some, None] - missed, NEVER))
        return found

    def _runs(self, column: int, starts: Floats, earlier: Floats) -> Floats:
        """Return the log weights of the runs of 1, 2, ..., COUNTED or more levels that end with this one.

        `earlier`: those that end with the level before. (lengths, totals, places)
        """
        lengths = self.lengths[column].astype(np.float64)
        single = starts + np.log(lengths)
        if not column or self.lows[column] > self.highs[column - 1]:
            return single[None]
        shared = earlier[:, :, self._first[column] - self._first[column - 1] :]
        size = shared.shape[2]
        runs = np.full((min(len(shared) + 1, COUNTED), *single.shape), NEVER)
        runs[0] = single
        runs[1:, :, :size] = shared[: len(runs) - 1]
        if len(shared) == COUNTED:
            runs[-1, :, :size] = np.logaddexp(runs[-1, :, :size], shared[-1])
        more = np.arange(1, len(runs))[:, None]
        runs[1:, :, :size] += (np.log(lengths[:size] + more) - np.log(more + 1))[:, None]
        runs[1:, :, :size] -= (self.stays[column] - self.stays[column - 1])[:, None]
        return runs

    def _sum_of_runs(self, column: int, runs: Floats) -> Floats:
        """Return the sum of all runs; where those of COUNTED levels or more matter, each is counted by itself."""
        if len(runs) == 1:
            return np.asarray(runs[0], dtype=np.float64)
        sums = np.asarray(np.logaddexp.reduce(runs, axis=0), dtype=np.float64)
        if len(runs) == COUNTED:
            which, at = np.nonzero(runs[-1] > sums - LITTLE)
            if at.size:
                sums[which, at] = log_sum(self.runs(column, at, which))
        return sums

    def runs(self, column: int, at: Integers, which: Integers) -> Floats:
        """Return the log weights of the runs of 1, 2, ... levels that end with a level, (rows, lengths).

        `at`: its place among `places`, and `which`: the total, of each row (rows,).
        """
        number = at + self._first[column]
        reach = int(np.searchsorted(np.array(self.highs), self.places[column][at].min()))
        columns = np.arange(column, min(reach, column) - 1, -1)
        inside = number[:, None] - self._first[columns]
        sizes = np.array([self.places[each].size for each in columns])
        there = inside < sizes
        starts = self.starts[columns, which[:, None], np.minimum(inside, sizes - 1)]
        more = np.arange(columns.size)
        ways = np.cumsum(np.log(self.lengths[column][at][:, None] + more) - np.log(more + 1.0), axis=1)
        stays = self.stays[columns][:, which].T - self.stays[column, which][:, None]
        return np.where(there, starts + ways + stays, NEVER)

    def laws(self, cells: Integers) -> list[tuple[Integers, Floats]]:
        """Return of each level what a place was chosen from given the later cells of a tuple, edges and log weights.

        Levels of one place share what the last of them was chosen from. At the first total. Places of many ranks are
        weighed by the first of them: so that this is the law but for a hundredth, there are 2^14 of them here.
        """
        size = (max(self.highs) - min(self.lows) + 1) * self.width
        if (fine := max(size >> 14, 1)) < self.width:
            own = self.cells, self.grid, self.levels, self.rate, self.sides, self.totals
            return Windows(*own, width=fine).laws(cells)
        places, laws = self.cells.searchsorted(cells) // self.width, list[tuple[Integers, Floats]]()
        for column in reversed(range(cells.size)):
            if column < cells.size - 1 and places[column] == places[column + 1]:
                laws.append(laws[-1])
                continue
            after = places[[column + 1]] if column < cells.size - 1 else None
            logs = self.options(column, np.zeros(1, np.int64), after)[0]
            edges = np.append(self.before[column], self.before[column][-1] + self.lengths[column][-1])
            laws.append((edges, logs))
        return laws[::-1]

    def hold(self, cells: Integers) -> Flags:
        """Return whether all cells of tuples (rows, levels) lie in their windows."""
        return np.asarray(((cells > self._bounds[:, 0]) & (cells <= self._bounds[:, 1])).all(axis=1), dtype=np.bool_)


def few_of(cells: SortedCells, grid: int, levels: int, rate: Fraction) -> Intervals | None:
    """Return the intervals that have cells where they are few, and fewer than places of many ranks would be."""
    return few_intervals(cells, grid, min(FEW, int(cells.size) // width_of(rate, levels) // 2))


def width_of(rate: Fraction, levels: int) -> int:
    """Return how many ranks are one place: w of (bound)."""
    return max(floor(Fraction(SLACK) / (rate * (levels + 1))), 1)


def running_sums(logs: Floats) -> Floats:
    """Return the logarithms of the sums of the first 1, 2, ... numbers along the last axis, or little more."""
    top = np.maximum(logs.max(axis=-1, keepdims=True), -1e300)
    below = logs - top
    if below.min(where=below > NEVER, initial=0.0) < -SPAN:
        return _sums_in_blocks(logs) + SPARE * float(np.abs(logs).max(where=logs > NEVER, initial=0.0))
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.cumsum(np.exp(below, out=below), axis=-1)) + top, dtype=np.float64)


def _sums_in_blocks(logs: Floats) -> Floats:
    """Do as `running_sums` for numbers of any size, without raising them."""
    *others, size = logs.shape
    if size <= BLOCK:
        return np.asarray(np.logaddexp.accumulate(logs, axis=-1), dtype=np.float64)
    blocks = -(-size // BLOCK)
    padded = np.full((*others, blocks * BLOCK), NEVER)
    padded[..., :size] = logs
    inside = running_sums(padded.reshape(*others, blocks, BLOCK))
    before = np.full((*others, blocks, 1), NEVER)
    before[..., 1:, 0] = running_sums(inside[..., -1])[..., :-1]
    return np.asarray(np.logaddexp(inside, before).reshape(*others, -1)[..., :size], dtype=np.float64)


def log_sum(logs: Floats) -> Floats:
    """Return the logarithms of the sums along the last axis: what underflows is nothing beside the largest number."""
    top = np.maximum(logs.max(axis=-1, keepdims=True, initial=NEVER), -1e300)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.exp(logs - top).sum(axis=-1)) + top[..., 0], dtype=np.float64)


def sums_between(logs: Floats, first: Integers, last: Integers) -> Floats:
    """Return the logarithms of sums from a first to a last number of each row, (rows, sums).

    All sums of a row have equally many numbers, of which some may lie beyond the ends. A sum is the end of one block,
    at most one whole block, and the beginning of the next: nothing is subtracted.
    """
    size = logs.shape[1]
    lengths = np.clip(last[0] - first[:, 0] + 1, 0, size)
    orders = [int(each).bit_length() for each in lengths]
    found = np.full(first.shape, NEVER)
    for order in {*orders} - {0}:
        rows = [row for row, each in enumerate(orders) if each == order]
        found[rows] = _sums_of_blocks(logs[rows], first[rows], np.minimum(last, size - 1), int(lengths[rows].min()))
    return found


def _sums_of_blocks(logs: Floats, first: Integers, last: Integers, width: int) -> Floats:
    """Do as `sums_between` for sums of `width` to less than 2 `width` numbers, or of all."""
    rows, size = logs.shape
    blocks = -(-size // width)
    padded = np.full((rows, blocks * width), NEVER)
    padded[:, :size] = logs
    padded = padded.reshape(rows, blocks, width)
    beginnings, endings = running_sums(padded), running_sums(padded[..., ::-1])[..., ::-1].reshape(-1)
    offsets = (np.arange(rows) * (blocks * width))[:, None]
    low, high = np.clip(first, 0, size - 1), np.maximum(last, 0)
    (low_block, low_place), high_block = np.divmod(low, width), high // width
    beginning, ending = beginnings.take(offsets + high), endings.take(offsets + low)
    sums = np.where(high_block > low_block, np.logaddexp(beginning, ending), np.where(low_place, ending, beginning))
    if (high_block > low_block + 1).any():
        between = beginnings[:, :, -1].take(np.arange(rows)[:, None] * blocks + np.minimum(low_block + 1, blocks - 1))
        sums = np.where(high_block > low_block + 1, np.logaddexp(sums, between), sums)
    return np.where((last < 0) | (first >= size) | (first > last), NEVER, sums)
