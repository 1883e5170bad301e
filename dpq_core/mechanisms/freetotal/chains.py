"""The weights of many small draws at once, in plain floats: for the fast sampler of AQ's nodes.

Each row is one draw: k levels among the records of one range. As in `freetotal.near` a total N is fixed first, and
tuples are weighed level by level with exp(-rate |n_i - u_i N|) for each part. To be quick for any rate and any number
of records, here the weights are those of an envelope, which `freetotal.many` turns into the law by rejection.

Blocks. b intervals in a row are one place: with ranks b i .. b i + b - 1 it counts as b i, which is off by b - 1
records at most in each of the k + 1 parts.

Outside. A level has places -H .. H beside its target, and two more, -H - 1 for all cells below those and H + 1 for all
above. The rank in an outer place is only bounded from one side, and so is a part beside it; `step_costs` takes that
bound as it is, or nothing for a part between two outer places. So nothing is cut off, whatever H.

Levels that share a place within -H .. H are a run, in C(L + c - 1, c) ways, as in `joint.recursion`. Sums over the
steps to a place are running sums: both parts of the two-sided kernel are geometric.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...arrays import Floats, Integers
from ...sample import Cells
from ..exponential import Partitions, left_edges

BLOCKS = 2.0
"""The envelope of the blocks is at most exp(this) above the weights."""
BITS = 5
"""As `totals.BITS`."""
STEPS = (1.0, 2.0, 3.0)
"""Totals near n, on either side; then each is half as far again from n."""


@dataclass(frozen=True)
class Batch:
    """Draws of k levels each: `proportions` (rows, k + 1), `rates` (rows,) per record of distance, ranges (rows,)."""

    cells: Cells
    parts: Partitions
    proportions: Floats
    rates: Floats

    def take(self, rows: Integers) -> Batch:
        """Return some of the draws."""
        return Batch(self.cells, self.parts.flat(rows), self.proportions[rows], self.rates[rows])

    @property
    def levels(self) -> int:
        """Return k."""
        return int(self.proportions.shape[1]) - 1

    @cached_property
    def widths(self) -> Integers:
        """Return how many intervals make one place."""
        intervals = (BLOCKS / (self.rates * self.proportions.shape[1])).astype(np.int64)
        return np.asarray(np.maximum(intervals, 1), dtype=np.int64)

    @cached_property
    def scales(self) -> Floats:
        """Return the exponent for each place of distance."""
        return self.rates * self.widths


def step_costs(before: Integers, after: Integers, wanted: Floats, half: int) -> Floats:
    """Return how far a step from one place to the next is from the wanted one, or a lower bound beside outer places.

    Places -half - 1 .. half + 1, counted from either level's own target; `wanted` likewise.
    """
    missed = after - before - wanted
    if np.abs(before).max(initial=0) <= half and np.abs(after).max(initial=0) <= half:
        return np.abs(missed)
    above = 1 * (before < -half) + 1 * (after > half)
    below = 1 * (before > half) + 1 * (after < -half)
    sign = above - below
    inside = np.where(above + below == 0, np.abs(missed), sign * missed)
    return np.where(np.abs(sign) == 2, np.maximum(sign // 2 * missed, 0.0), inside)


class Chains:
    """The envelope's weights of all tuples for each row and total; all arrays (rows, totals, ...) or (rows, ...)."""

    def __init__(self, batch: Batch, reach: float, totals: Floats, outer: bool) -> None:
        """`reach`: how many orders of e places go out from the targets. `outer`: whether there are outer places."""
        self.batch, self.totals, self.outer, counts = batch, totals, outer, batch.parts.counts
        widths, scales, levels = batch.widths, batch.scales, batch.levels
        farthest = np.minimum(np.ceil(reach / scales), np.ceil(counts / widths))
        self.half = int(farthest.max(initial=1)) + 2
        inner = np.cumsum(batch.proportions, axis=1)[:, :-1]
        self.centres = np.rint(inner * (counts / widths)[:, None]).astype(np.int64)
        last = counts / widths
        apart = np.diff(np.concatenate([np.zeros((counts.size, 1)), self.centres, last[:, None]], axis=1), axis=1)
        self.wanted = batch.proportions[:, None, :] * (self.totals / widths[:, None])[:, :, None] - apart[:, None, :]
        """(rows, totals, parts): the wanted step between places, each counted from its own target."""
        self.apart = np.diff(self.centres, axis=1)
        self.places = np.arange(-self.half - 1, self.half + 2)
        self.edges = [self._edges(column) for column in range(levels)]
        self.unit = (batch.parts.high - batch.parts.low + 1) / np.maximum(counts / widths, 1.0)
        self.up = np.exp(scales[:, None] * self.places)[:, None]
        self.down = 1 / self.up
        self.ways: list[Floats] = []
        self.starts: list[Floats] = []
        self.ends: list[Floats] = []
        self.tops: list[Floats] = []
        self.log_sums = np.zeros(self.totals.shape)
        for column in range(levels):
            self._weigh(column)
        last_sums = (self.ends[-1] * self._single(self.places, np.zeros(1, np.int64), levels)).sum(axis=2)
        with np.errstate(divide="ignore"):
            self.log_sums += np.log(last_sums) + levels * np.log(self.unit)[:, None]

    def _edges(self, column: int) -> Integers:
        """Return the last cell before each place, and that of the range: (rows, places + 1)."""
        parts, inner = self.batch.parts, np.arange(-self.half, self.half + 2)
        ranks = np.clip(
            (self.centres[:, column, None] + inner) * self.batch.widths[:, None], 0, parts.counts[:, None] + 1
        )
        inside = left_edges(self.batch.cells, parts, ranks)
        return np.concatenate([parts.low[:, None] - 1, inside, parts.high[:, None]], axis=1)

    def _ways(self, column: int) -> Floats:
        """Return C(L + c - 1, c) of each place over unit^c, (c, rows, places): for all runs that end with a level.

        In an outer place every level is by itself.
        """
        lengths = np.diff(self.edges[column], axis=1).astype(np.float64)
        points = np.arange(column + 1)[:, None, None]
        factors = np.where(lengths > 0, lengths + points, 0.0) / (points + 1.0) / self.unit[:, None]
        factors[1 if self.outer else 0 :, :, [0, -1]] = 0.0  # weighs nothing in near chains
        return np.cumprod(factors, axis=0)

    def _weigh(self, column: int) -> None:
        """Add the weights of runs that start with a level, and of those that end with it."""
        wanted = self.wanted[:, :, column]
        if column == 0:
            starts = self._single(np.zeros(1, np.int64), self.places, 0)
        else:
            starts = self._steps(self.ends[-1], wanted, self.apart[:, column - 1])
        self.starts.append(starts)
        ways = self._ways(column)
        self.ways.append(ways)
        ends = ways[0][:, None] * starts
        for back in range(1, column + 1):
            shift = self.centres[:, column] - self.centres[:, column - back]
            if shift.min() > 2 * self.half:
                break
            before = _shifted(self.starts[column - back], shift)
            ends += ways[back][:, None] * self.stays(column, back)[:, :, None] * before
        top = ends.max(axis=2)
        top[top == 0] = 1.0
        ends /= top[:, :, None]
        self.log_sums += np.log(top)
        self.tops.append(top)
        self.ends.append(ends)

    def _single(self, before: Integers, after: Integers, column: int) -> Floats:
        """Return the weights of steps from an end of the data or to one."""
        outer = self.half if self.outer else self.half + 1
        costs = step_costs(before, after, self.wanted[:, :, column, None], outer)
        costs *= -self.batch.scales[:, None, None]
        return np.asarray(np.exp(costs, out=costs), dtype=np.float64)

    def stays(self, column: int, back: int) -> Floats:
        """Return the weight of `back` steps within one place up to a level, in the scale of its own (rows, totals)."""
        proportion = self.batch.proportions[:, column - back + 1 : column + 1].sum(axis=1)[:, None] * self.totals
        scale = np.prod(self.tops[column - back : column], axis=0)
        return np.asarray(np.exp(-self.batch.rates[:, None] * proportion) / scale, dtype=np.float64)

    def _steps(self, ends: Floats, wanted: Floats, apart: Integers) -> Floats:
        """Return for each place the sum of all weights of the level before times those of the steps from there."""
        scales, size = self.batch.scales[:, None], self.places.size
        rising, falling = ends * self.up, ends * self.down
        rising[:, :, -1] = 0.0
        falling[:, :, [0, -1]] = 0.0
        below = np.cumsum(rising, axis=2)
        above = np.zeros((*ends.shape[:2], size + 1))
        above[:, :, :-1] = np.cumsum(falling[:, :, ::-1], axis=2)[:, :, ::-1]
        places = np.arange(size)
        least = np.floor(-wanted).astype(np.int64)[:, :, None] + places
        most = np.broadcast_to((apart[:, None, None] - 1) + places, least.shape)
        near = np.take_along_axis(below, np.clip(np.minimum(least, most), 0, size - 1), axis=2)
        far = np.take_along_axis(above, np.clip(least + 1, 0, size), axis=2)
        far -= np.take_along_axis(above, np.clip(most + 1, 0, size), axis=2)
        far = np.maximum(far, 0.0) + np.where(most >= size - 1, (ends * self.down)[:, :, -1:], 0.0)
        factor = np.exp(scales * wanted)[:, :, None]
        starts: Floats = self.down * factor * near + self.up / factor * far
        if self.outer:
            self._outer_steps(starts, ends, wanted, below, above)
        return starts

    def _outer_steps(self, starts: Floats, ends: Floats, wanted: Floats, below: Floats, above: Floats) -> None:
        """Fill in the first and the last place."""
        scales, out = self.batch.scales[:, None], np.array(self.half + 1)
        low, high = ends[:, :, 0], ends[:, :, -1]
        for place, inner, same, other in (
            (0, above[:, :, 0], low, high),
            (-1, below[:, :, -1] - low * self.up[:, :, 0], high, low),
        ):
            side = -1 if place == 0 else 1
            missed = side * (side * out - wanted)
            crossing = np.maximum(missed + out, 0)
            starts[:, :, place] = same + other * np.exp(-scales * crossing) + inner * np.exp(-scales * missed)


def _shifted(numbers: Floats, shift: Integers) -> Floats:
    """Return numbers (rows, totals, places) of `shift` places higher up; 0 in outer places and beyond."""
    size = numbers.shape[2]
    places = np.arange(size) + shift[:, None]
    inside = (places >= 1) & (places <= size - 2)
    inside[:, [0, -1]] = False
    at = np.broadcast_to(np.where(inside, places, 0)[:, None], numbers.shape)
    return np.where(inside[:, None], np.take_along_axis(numbers, at, axis=2), 0.0)


def totals_around(counts: Integers, rates: Floats, reach: float) -> tuple[Floats, Floats]:
    """Return increasing totals around each count, (rows, totals), and their log weights; see `totals.Totals`."""
    bit = np.log(2.0)
    offsets = [0.0, *STEPS]
    while offsets[-1] * BITS * bit < reach:
        offsets.append(offsets[-1] * 1.5)
    sides = np.array([-each for each in offsets[:0:-1]] + offsets)
    totals = np.maximum(counts[:, None] + sides * (BITS * bit / rates)[:, None], 0.0)
    apart = np.diff(totals, axis=1) * rates[:, None]
    wider = np.maximum(np.pad(apart, ((0, 0), (0, 1))), np.pad(apart, ((0, 0), (1, 0))))
    log_weights = (wider - BITS * bit) / 2
    log_weights[:, :-1][totals[:, 1:] <= 0] = -np.inf  # each total once
    return totals, log_weights
