"""Sums over ordered tuples near their targets, in logarithms of floats: what JointExp's proposals are drawn with.

An ordered tuple y_1 <= ... <= y_k has the ranks k_j = #{x < y_j}, and with k_0 = 0, k_{k+1} = n its distance is
    d_N = sum over j = 1..k+1 of |k_j - k_{j-1} - t_j|,   t_j = (q_j - q_{j-1}) N,
for a total N, which is n for JointExp. It is wanted with weight exp(-r d_N). Several N are weighed side by side, or
several parts of the data with as many levels, each in a row of its own.

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

Floats. No sum is too small: each stored logarithm is at least that of the exact sum over the stored logarithms it was
made of, less 2^-21 (`joint.log_sums`); it may be larger by anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import cycle
from math import ceil, floor
from typing import TypeAlias

import numpy as np

from ...arrays import Flags, Floats, Integers, SortedCells, chunks
from ...people.shares import unit_of
from .distance import proportions_of
from .log_sums import NEVER, log_sum, running_sums, sums_between

SLACK = 0.7
"""What all places of a tuple together may cost: an attempt is accepted with exp(-SLACK) or more on that account."""
COUNTED, LITTLE = 4, 9.0
"""Runs of COUNTED levels or more are counted one by one where they weigh more than exp(-LITTLE) of all."""
FEW, PAIRS = 512, 1 << 17
"""Up to this many intervals, all pairs are added up, this many pairs at once."""
Intervals: TypeAlias = tuple[Integers, Integers]
"""Of intervals that have cells their ranks, increasing; the last cell before each of them, and that of the grid."""


@dataclass(frozen=True, eq=False)
class Part:
    """What one draw of several levels reads, and its rate. Its cells are counted from the first one it may answer."""

    cells: SortedCells
    grid: int
    """How many cells there are."""
    levels: tuple[Fraction, ...]
    rate: Fraction
    """For a rank: a record, or a unit of one."""
    low: int = 0
    """That first one, among `cells`; those beyond the first and the last lie at them."""

    @classmethod
    def of(cls, cells: SortedCells, grid: int, levels: tuple[Fraction, ...], rate: Fraction, low: int = 0) -> Part:
        """Return these cells with a rate for a person."""
        return cls(cells, grid, levels, rate / unit_of(cells), low)

    def slower(self, times: Fraction | int) -> Part:
        """Return the same with a rate that is lower by a factor."""
        return replace(self, rate=self.rate / times)

    @property
    def count(self) -> int:
        """Return how many ranks there are above 0."""
        return int(self.cells.size)

    @property
    def width(self) -> int:
        """Return how many ranks are one place: w of (bound)."""
        return max(floor(Fraction(SLACK) / (self.rate * (len(self.levels) + 1))), 1)

    def ranks_of(self, chosen: Integers) -> Integers:
        """Return the ranks of cells, same shape."""
        return np.asarray(self.cells.searchsorted(chosen + self.low) * (chosen > 0), dtype=np.int64)

    def edges(self, ranks: Integers) -> Integers:
        """Return the last cell before the cells of these ranks."""
        if self.count == 0:
            return np.where(ranks > 0, self.grid - 1, -1)
        edges = self._cells_at(np.minimum(np.maximum(ranks - 1, 0), self.count - 1))
        return np.asarray(np.where(ranks < 1, -1, np.where(ranks > self.count, self.grid - 1, edges)), dtype=np.int64)

    def _cells_at(self, at: Integers) -> Integers:
        return np.minimum(np.maximum(self.cells[at] - self.low, 0), self.grid - 1)

    def intervals(self, most: int) -> Intervals | None:
        """Return all intervals that have cells where there are at most `most` of them, else None. O(most log n)."""
        count = self.count
        if np.count_nonzero(np.diff(self.cells[np.arange(0, count, count // (4 * most + 4) + 1)])) > most:
            return None
        ranks, before = [0], [-1]
        while ranks[-1] < count and len(ranks) <= most:
            before += self._cells_at(np.array([ranks[-1]])).tolist()
            ranks += self.ranks_of(np.array([before[-1] + 1])).tolist() if before[-1] < self.grid - 1 else [count]
        if before[-1] == self.grid - 1:
            ranks.pop()
        else:
            before.append(self.grid - 1)
        return (np.array(ranks), np.array(before)) if len(ranks) <= most else None

    @property
    def every_interval(self) -> Intervals:
        """Return all intervals that have cells."""
        found = self.intervals(self.count + 1)
        assert found is not None, "there is one more than ranks at most"
        return found

    @cached_property
    def few(self) -> Intervals | None:
        """Return the intervals that have cells where they are few, and fewer than places of many ranks would be."""
        return self.intervals(min(FEW, self.count // self.width // 2))


class Windows:
    """The log weights of all tuples near their targets, in rows: of one part for some totals, or of some parts.

    All parts have equally many levels. What differs with the part alone has one row for all totals of one part.
    """

    def __init__(
        self,
        parts: Sequence[Part],
        sides: Sequence[Sequence[Fraction]],
        totals: tuple[Fraction, ...] | None = None,
        width: int = 0,
        intervals: Intervals | None = None,
    ) -> None:
        """`sides`: of each part, D of each level. `totals`: N of one part, by default the number of ranks of each.

        `intervals`: all of one part that have cells, where they are few; each is a place then, and the width 1.
        """
        self.parts, self.sides, self.intervals = parts, sides, intervals
        self.levels = len(parts[0].levels)
        self.totals = tuple(Fraction(part.count) for part in parts) if totals is None else totals
        """Of each row."""
        widths = [1 if intervals else width or part.width for part in parts]
        self.widths, self.rates = np.array(widths)[:, None], np.array([[float(part.rate)] for part in parts])
        """Of each part, (parts, 1)."""
        self.counts = np.array([part.count for part in parts])
        ends = np.array([_ends(*each) for each in zip(parts, sides, widths, strict=True)])
        self.lows, self.highs = ends[:, 0].T, ends[:, 1].T
        """The first and the last place of each window, (levels, parts)."""
        self._read_places()
        self.wanted = np.maximum(self._wanted(), 0.0)
        """t of each step and row, (levels + 1, rows); rounded below 0, no level would be before its run."""
        self.stays = self.rates[:, 0] * np.cumsum(self.wanted, axis=0)
        """What all levels up to each cost that share the place of the one before, (levels + 1, rows)."""
        self._weigh()

    def _wanted(self) -> Floats:
        """Return t of each step and row, (levels + 1, rows)."""
        shares = [proportions_of(part.levels) for part in self.parts]
        own = [[float(each * part.count) for each in some] for some, part in zip(shares, self.parts, strict=True)]
        rows = zip(self.totals, cycle(self.parts), strict=False)
        more = np.array([float(total - part.count) for total, part in rows])
        return np.asarray(np.array(own).T + np.array(shares, np.float64).T * more, dtype=np.float64)

    def part_of(self, rows: Integers) -> Integers:
        """Return the part of each of some rows."""
        return rows if len(self.parts) > 1 else np.zeros_like(rows)

    def _read_places(self) -> None:
        """Find the places of each level's window, of the longest one of all parts; beyond others' ends they are empty.

        Of each level: places, increasing; the last cell before each; and how many cells each has, (parts, places).
        """
        windows = zip(self.lows.tolist(), self.highs.tolist(), strict=True)
        found = [self._places_of_few(*window) if self.intervals else self._places_within(*window) for window in windows]
        self.places, self.before, self.lengths, bounds = (list(each) for each in zip(*found, strict=True))
        self._bounds = np.array(bounds)
        pairs = zip(self.places, self.lows[1:], strict=False)
        left = [[own.searchsorted(low) for own, low in zip(each, lows, strict=True)] for each, lows in pairs]
        self._first = np.cumsum(np.array([[0] * len(self.parts), *left], np.int64), axis=0)
        """Of each level, how many places lie before its window, (levels, parts)."""

    def _places_of_few(self, low: list[int], high: list[int]) -> tuple[Integers, ...]:
        """Return places, what is before them and their cells; and the last cell before all, and the last of all."""
        assert self.intervals is not None, "they are few"
        ranks, before = self.intervals
        some = slice(*ranks.searchsorted([low[0], high[0] + 1]).tolist())
        edges = before[None, some.start : some.stop + 1]
        return ranks[None, some], edges[:, :-1], np.diff(edges), edges[:, [0, -1]]

    def _places_within(self, low: list[int], high: list[int]) -> tuple[Integers, ...]:
        """Do the same of each part's window."""
        lows, highs = np.array(low)[:, None], np.array(high)[:, None]
        numbers = np.minimum(lows + np.arange(int((highs - lows).max()) + 2), highs + 1)
        edges = np.array([part.edges(own) for part, own in zip(self.parts, numbers * self.widths, strict=True)])
        return lows + np.arange(numbers.shape[1] - 1), edges[:, :-1], np.diff(edges), edges[:, [0, -1]]

    @property
    def whole(self) -> Flags:
        """Return whether no tuple of each part lies outside of the windows."""
        return np.asarray((self.lows[-1] == 0) & (self.highs[0] == self.counts // self.widths[:, 0]), dtype=np.bool_)

    def _weigh(self) -> None:
        """Fill in `starts` and `ends` level by level, then `total`."""
        most = max(each.shape[1] for each in self.places)
        self.starts = np.full((self.levels, len(self.totals), most), NEVER)
        self.ends: list[Floats] = []
        """(rows, places) of each level."""
        runs = np.empty((0, 0, 0))
        for column, places in enumerate(self.places):
            starts = self._steps(column, places) if column else -self._cost(0, self.widths * places)
            starts = np.where(self.lengths[column] > 0, starts, NEVER)
            self.starts[column, :, : places.shape[1]] = starts
            runs = self._runs(column, starts, runs)
            self.ends.append(self._sum_of_runs(column, runs))
        last = self.ends[-1] - self._cost(self.levels, self.counts[:, None] - self.widths * self.places[-1])
        self.total = log_sum(last) + (self.rates * (self.widths - 1) * (self.levels + 1))[:, 0]
        """Of each row the log weight of all tuples in the windows, or more: with the first factor of (bound)."""

    def _cost(self, column: int, steps: Integers) -> Floats:
        """Return r |step - t| for steps in ranks, (rows, steps)."""
        return np.asarray(self.rates * np.abs(steps - self.wanted[column][:, None]), dtype=np.float64)

    def options(self, column: int, which: Integers, after: Integers | None) -> Floats:
        """Return the log weights of the places of a level for some rows, (rows, places), given that of the next run.

        `after`: the place, (rows,); None after the last level.
        """
        part, places = self.part_of(which), self.places[column]
        low, width, rate = self.lows[column, part], self.widths[part, 0], self.rates[part, 0]
        last = self.counts[part] if after is None else width * after
        beyond = rate * ((last - width * low) - self.wanted[column + 1, which])
        ramp = self.rates * self.widths * (places - self.lows[column][:, None])
        several = len(self.parts) > 1
        logs = beyond[:, None] - (ramp[which] if several else ramp)
        np.subtract(self.ends[column][which], np.abs(logs, out=logs), out=logs)
        if after is not None and (self.lows[column + 1] <= self.highs[column]).any():
            logs[(places[which] if several else places) >= after[:, None]] = NEVER
        return np.asarray(logs, dtype=np.float64)

    def _steps(self, column: int, places: Integers) -> Floats:
        """Return `starts` of a level from the `ends` of the one before."""
        ends, width = self.ends[-1], self.widths
        if self.intervals:
            steps = places[0][:, None] - self.places[column - 1]
            found, at_once = np.empty((len(self.totals), len(steps))), max(PAIRS // max(steps.size, 1), 1)
            for some in chunks(len(found), at_once):
                missed = self.rates[0] * np.abs(steps - self.wanted[column, some, None, None])
                found[some] = log_sum(np.where(steps > 0, self.ends[-1][some, None] - missed, NEVER))
            return found
        at, size = np.arange(places.shape[1]), ends.shape[1]
        shift = (self.lows[column] - self.lows[column - 1])[:, None]
        offsets = width * shift - self.wanted[column][:, None]
        ramp, beyond = self.rates * width * np.arange(size), self.rates * (width * at + offsets)
        first = at + np.ceil(offsets / width).astype(np.int64)
        far = np.take_along_axis(running_sums(ends + ramp), np.clip(first - 1, 0, size - 1), axis=1) - beyond
        far[first < 1] = NEVER
        if (shift >= size).all():
            falling = running_sums((ends - ramp)[:, ::-1])
            near = np.take_along_axis(falling, size - 1 - np.clip(first, 0, size - 1), axis=1)
            near[first >= size] = NEVER
        else:
            near = sums_between(ends - ramp, first, np.broadcast_to(at + (shift - 1), first.shape))
        return np.asarray(np.logaddexp(far, near + beyond), dtype=np.float64)

    def _runs(self, column: int, starts: Floats, earlier: Floats) -> Floats:
        """Return the log weights of the runs of 1, 2, ..., COUNTED or more levels that end with this one.

        `earlier`: those that end with the level before. (lengths, rows, places)
        """
        lengths = self.lengths[column].astype(np.float64)
        with np.errstate(divide="ignore"):
            single = starts + np.log(lengths)
        if not column or (self.lows[column] > self.highs[column - 1]).all():
            return np.asarray(single[None], dtype=np.float64)
        shared = _from(earlier, self._first[column] - self._first[column - 1], single.shape[1])
        runs = np.empty((min(len(shared) + 1, COUNTED), *single.shape))
        runs[0], runs[1:] = single, shared[: len(runs) - 1]
        if len(shared) == COUNTED:
            runs[-1] = np.logaddexp(runs[-1], shared[-1])
        more = np.arange(1, len(runs))[:, None, None]
        runs[1:] += np.log(lengths + more) - np.log(more + 1)
        runs[1:] -= (self.stays[column] - self.stays[column - 1])[:, None]
        return np.asarray(runs, dtype=np.float64)

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
        """Return the log weights of the runs of 1, 2, ... levels that end with a level, for some rows (rows, lengths).

        `at`: its place among `places`, (rows,).
        """
        part = self.part_of(which)
        reach = int((self.highs[:, part] < self.places[column][part, at]).sum(axis=0).min())
        columns = np.arange(column, min(reach, column) - 1, -1)
        inside = (self._first[column, part] + at)[:, None] - self._first[columns][:, part].T
        sizes = np.array([self.places[each].shape[1] for each in columns])
        there = inside < sizes
        starts = self.starts[columns, which[:, None], np.minimum(inside, sizes - 1)]
        more = np.arange(columns.size)
        ways = np.cumsum(np.log(self.lengths[column][part, at][:, None] + more) - np.log(more + 1.0), axis=1)
        stays = self.stays[columns][:, which].T - self.stays[column, which][:, None]
        return np.where(there, starts + ways + stays, NEVER)

    def laws(self, cells: Integers) -> list[tuple[Integers, Floats]]:
        """Return of each level what a place was chosen from given the later cells of a tuple, edges and log weights.

        Levels of one place share what the last of them was chosen from. Of the first row. Places of many ranks are
        weighed by the first of them: so that this is the law but for a hundredth, there are 2^14 of them here.
        """
        width = int(self.widths[0, 0])
        size = int(self.highs.max() - self.lows.min() + 1) * width
        if (fine := max(size >> 14, 1)) < width:
            return Windows(self.parts, self.sides, width=fine).laws(cells)
        places, laws = self.parts[0].ranks_of(cells) // width, list[tuple[Integers, Floats]]()
        for column in reversed(range(cells.size)):
            if column < cells.size - 1 and places[column] == places[column + 1]:
                laws.append(laws[-1])
                continue
            after = places[[column + 1]] if column < cells.size - 1 else None
            there = self.lengths[column][0] > 0
            edges = np.append(self.before[column][0, there], self._bounds[column, 0, 1])
            laws.append((edges, self.options(column, np.zeros(1, np.int64), after)[0, there]))
        return laws[::-1]

    def hold(self, which: Integers, cells: Integers) -> Flags:
        """Return whether all cells of tuples (rows, levels) lie in the windows of their rows."""
        low, high = self._bounds[:, self.part_of(which)].transpose(2, 1, 0)
        return np.asarray(((cells > low) & (cells <= high)).all(axis=1), dtype=np.bool_)


def _ends(part: Part, sides: Sequence[Fraction], width: int) -> tuple[list[int], list[int]]:
    """Return the first and the last place of each level's window."""
    targets = [level * part.count for level in part.levels]
    lows = [max(floor(target - side), 0) // width for target, side in zip(targets, sides, strict=True)]
    return lows, [min(ceil(target + side), part.count) // width for target, side in zip(targets, sides, strict=True)]


def _from(logs: Floats, first: Integers, size: int) -> Floats:
    """Return `size` numbers (lengths, rows, size) from a first place of each part on; what is beyond is NEVER."""
    found = np.full((*logs.shape[:-1], size), NEVER)
    for part, start in enumerate(first.tolist()):
        rows = slice(part, part + 1 if first.size > 1 else None)
        some = logs[:, rows, start : start + size]
        found[:, rows, : some.shape[-1]] = some
    return found
