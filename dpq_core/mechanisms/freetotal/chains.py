"""The weights of many small draws at once, in plain floats: for the fast sampler of AQ's nodes.

Each row is one draw: k levels among the records of one range. As in `freetotal.draws` a total N is fixed first, and
tuples are weighed level by level with exp(-rate |n_i - u_i N|) for each part. To be quick for any rate and any number
of records, here the weights are those of an envelope, which `freetotal.many` turns into the law by rejection.

Blocks. b intervals in a row are one place: with ranks b i .. b i + b - 1 it counts as b i, which is off by b - 1
records at most in each of the k + 1 parts.

Outside. A level has places -H .. H beside its target, and two more, -H - 1 for all cells below those and H + 1 for all
above. The rank in an outer place is only bounded from one side, and so is a part beside it; `step_costs` takes that
bound as it is, or nothing for a part between two outer places. So nothing is cut off, for any H.

Runs. c levels in one place of L cells have C(L + c - 1, c) tuples: a factor L for the first, (L + 1) / 2 for the
second, (L + 2) / 3 for the third, so tuples are weighed for each length of the run that they end with. Of c > LONG the
factor is that of the LONG-th after the first, which is more. In an outer place every level is by itself, in any order:
a tuple that is not in order is rejected.

Sums over the steps to a place are running sums: both parts of the two-sided kernel are geometric.

Tuples. Where a level comes from is found by bisection in the running sums that its weight was made of; first, how many
levels share its place.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ...arrays import Cells, Flags, Floats, Integers
from ...noise.fast import SeededSampler
from ..exponential.distribution import Ranges, left_edges
from ..joint.draws import multisets

LONG = 3
"""Longer runs are rare but among ties; those of nine levels weigh 15 times too much."""
NEARLY_ALL = 1.25
"""Where levels would have nearly all places there are, they have all: the same ones, which takes less to weigh."""
SMALL, BLOCKS, WIDER_BLOCKS = 200, 0.5, 1.0
"""The envelope of the blocks is at most exp(these) above the weights: up to this many records, and of more."""


@dataclass(frozen=True)
class Batch:
    """Draws of k levels each: `proportions` (rows, k + 1), `rates` (rows,) per record of distance, ranges (rows,)."""

    cells: Cells
    parts: Ranges
    proportions: Floats
    rates: Floats
    coarser: int = 1
    """Times as many intervals make one place: for a rough look at weights."""
    looser: float = 1.0
    """Times as many orders of e the envelope of the blocks may be above the weights."""

    def take(self, rows: Integers) -> Batch:
        """Return some of the draws."""
        return replace(self, parts=self.parts.flat(rows), proportions=self.proportions[rows], rates=self.rates[rows])

    @property
    def levels(self) -> int:
        """Return k."""
        return int(self.proportions.shape[1]) - 1

    @cached_property
    def widths(self) -> Integers:
        """Return how many intervals make one place."""
        slack = self.looser * np.where(self.parts.counts > SMALL, WIDER_BLOCKS, BLOCKS)
        intervals = np.minimum(1 + slack / (self.rates * self.proportions.shape[1]), self.parts.counts + 1.0)
        return np.asarray(np.maximum(intervals.astype(np.int64), 1) * self.coarser, dtype=np.int64)

    @cached_property
    def scales(self) -> Floats:
        """Return the exponent for each place of distance."""
        return self.rates * self.widths

    @cached_property
    def slack(self) -> Floats:
        """Return by how much the envelope's exponent may exceed the law's."""
        return np.asarray(self.rates * (self.widths - 1) * self.proportions.shape[1], dtype=np.float64)


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

    def __init__(self, batch: Batch, reach: float | Floats, totals: Floats, outer: bool) -> None:
        """`reach`: how many orders of e places go out from the targets. `outer`: whether there are outer places."""
        self.batch, self.totals, self.outer, counts = batch, totals, outer, batch.parts.counts
        widths, scales, levels = batch.widths, batch.scales, batch.levels
        last = counts / widths
        farthest, middle = np.minimum(np.ceil(reach / scales), np.ceil(last)), np.ceil(last / 2)
        self.common = bool(middle.max(initial=1) <= NEARLY_ALL * farthest.max(initial=1))
        """Whether all levels have the same places, all there are."""
        self.half = int((middle if self.common else farthest).max(initial=1)) + 2
        inner = np.full((1, levels), 0.5) if self.common else np.cumsum(batch.proportions, axis=1)[:, :-1]
        self.centres = np.rint(inner * last[:, None]).astype(np.int64)
        apart = np.diff(self.centres, axis=1, prepend=0)
        beyond = (last - self.centres[:, -1])[:, None]
        steps = np.concatenate([apart, beyond], axis=1)
        self.wanted = batch.proportions[:, None, :] * (self.totals / widths[:, None])[:, :, None] - steps[:, None, :]
        """(rows, totals, parts): the wanted step between places, each counted from its own target."""
        self.apart = apart[:, 1:]
        self.places = np.arange(-self.half - 1, self.half + 2)
        self.edges = self._edges()
        self.unit = (batch.parts.high - batch.parts.low + 1) / np.maximum(last, 1.0)
        self.up = np.exp(scales[:, None] * self.places)[:, None]
        self.down = 1 / self.up
        stays = batch.proportions[:, None, :] * (self.totals * batch.rates[:, None])[:, :, None]
        self.stays = np.exp(-stays)
        """The weight of a step that stays in its place, (rows, totals, parts)."""
        self.starts: list[Floats] = []
        """Of all tuples up to a level that is the first in its place, (rows, totals, places), and `ends` of all."""
        self.ends: list[Floats] = []
        self.tops: list[Floats] = []
        """What the weights up to a level are divided by, (rows, totals)."""
        self._runs: list[Floats] = []
        self.sums: list[Floats] = []
        """Running sums from 0, rising ones and falling ones from behind, (rows, totals, 2 (places + 1)): `_summed`."""
        self.log_sums = levels * np.log(self.unit)[:, None] + np.zeros(self.totals.shape)
        for column in range(levels):
            self._weigh(column)
        weights = self.ends[-1] * self._single(self.places, np.zeros(1, np.int64), levels)
        self.last = np.zeros((*weights.shape[:-1], weights.shape[-1] + 1))
        np.cumsum(weights, axis=-1, out=self.last[..., 1:])
        with np.errstate(divide="ignore"):
            self.log_sums += np.log(self.last[:, :, -1])

    def _edges(self) -> Integers:
        """Return the last cell before each place, and that of the range: (rows, levels, places + 1)."""
        batch, parts, inner = self.batch, self.batch.parts, np.arange(-self.half, self.half + 2)
        centres = self.centres[:, :1] if self.common else self.centres
        places = (centres[:, :, None] + inner) * batch.widths[:, None, None]
        ranks = np.clip(places, 0, parts.counts[:, None, None] + 1).reshape(parts.counts.size, -1)
        edges = np.empty((*centres.shape, self.places.size + 1), np.int64)
        edges[:, :, 1:-1] = left_edges(batch.cells, parts, ranks).reshape(places.shape)
        edges[:, :, 0], edges[:, :, -1] = parts.low[:, None] - 1, parts.high[:, None]
        return np.broadcast_to(edges, (*self.centres.shape, edges.shape[2]))

    def _weigh(self, column: int) -> None:
        """Add the weights of all tuples up to a level, for each place of its own."""
        lengths = np.diff(self.edges[:, column]).astype(np.float64)
        if not self.outer:
            lengths[:, [0, -1]] = 0.0
        lengths = (lengths / self.unit[:, None])[:, None]
        if column == 0:
            self._runs = [lengths * self._single(np.zeros(1, np.int64), self.places, 0)]
        else:
            self._runs = [lengths * self._steps(column), *self._staying(column, lengths)]
        ends = np.sum(self._runs, axis=0) if len(self._runs) > 1 else self._runs[0].copy()
        top = ends.max(axis=2)
        top[top == 0] = 1.0
        for weights in (ends, *self._runs):
            weights /= top[:, :, None]
        self.log_sums += np.log(top)
        self.starts.append(self._runs[0])
        self.ends.append(ends)
        self.tops.append(top)
        if column < self.batch.levels - 1:
            size = self.places.size
            sums = np.zeros((*ends.shape[:2], 2 * (size + 1)))  # rising with the place, then falling from the end
            np.cumsum((ends * self.up)[:, :, :-1], axis=2, out=sums[:, :, 1:size])
            sums[:, :, size] = sums[:, :, size - 1]
            np.cumsum((ends * self.down)[:, :, -2:0:-1], axis=2, out=sums[:, :, size + 3 : -1])
            sums[:, :, -1] = sums[:, :, -2]
            self.sums.append(sums)

    def _single(self, before: Integers, after: Integers, column: int) -> Floats:
        """Return the weights of steps from an end of the data or to one."""
        outer = self.half if self.outer else self.half + 1
        costs = step_costs(before, after, self.wanted[:, :, column, None], outer)
        costs *= -self.batch.scales[:, None, None]
        return np.asarray(np.exp(costs, out=costs), dtype=np.float64)

    def apart_by(self, column: int) -> Integers | None:
        """Return how many places a level's targets are behind those of the level before; None if it shares none."""
        if column == 0:
            return None
        apart = self.apart[:, column - 1]
        return apart if apart.min() <= 2 * self.half else None

    def _staying(self, column: int, lengths: Floats) -> list[Floats]:
        """Return the weights of tuples whose last 2, 3, ... levels share a place."""
        size, apart = self.places.size, self.apart_by(column)
        if apart is None:
            return []
        before = np.arange(size) + apart[:, None]
        inside = (before >= 1) & (before <= size - 2)
        inside[:, [0, -1]] = False
        places, stays = np.where(inside, before, 0)[:, None], self.stays[:, :, column, None]
        shared = inside[:, None] & (lengths > 0)
        found = [
            (runs if self.common else _at(runs, places))
            * (np.where(shared, one_more(lengths, self.unit[:, None, None], count), 0.0) * stays)
            for count, runs in enumerate(self._runs, 1)
        ]
        for longer in found[LONG:]:
            found[LONG - 1] += longer
        return found[:LONG]

    def _steps(self, column: int) -> Floats:
        """Return for each place the sum of all weights of the level before times those of the steps from there."""
        ends, sums, wanted = self.ends[-1], self.sums[-1], self.wanted[:, :, column]
        size, apart = self.places.size, self.apart[:, column - 1]
        places = np.arange(size)
        least = np.floor(-wanted).astype(np.int64)[:, :, None] + places
        most = (apart[:, None, None] - 1) + places
        below = _at(sums, np.clip(np.minimum(least, most), 0, size - 1) + 1)
        above = _at(sums, 2 * size + 1 - np.clip(least + 1, 0, size))
        above -= sums[:, :, : size + 1 : -1] if self.common else _at(sums, 2 * size + 1 - np.clip(most + 1, 0, size))
        np.maximum(above, 0.0, out=above)
        factor = np.exp(self.batch.scales[:, None] * wanted)[:, :, None]
        if self.outer:
            above += np.where(most >= size - 2, (ends * self.down)[:, :, -1:], 0.0)
        below *= self.down * factor
        above *= self.up / factor
        below += above
        if self.outer:
            for place in (0, -1):
                inner, same, other = self.outer_steps(column, place)
                falling_or_rising = sums[..., -1] if place == 0 else sums[..., size] - sums[..., 1]
                below[:, :, place] = inner * falling_or_rising + same * ends[:, :, place]
                below[:, :, place] += other * ends[:, :, -1 - place]
        return np.asarray(below, dtype=np.float64)

    def outer_steps(self, column: int, place: int) -> tuple[Floats, Floats, Floats]:
        """Return the factors of steps to the first or the last place, from inner ones, from there, and across."""
        scales, wanted, out = self.batch.scales[:, None], self.wanted[:, :, column], self.half + 1
        missed = out + (wanted if place == 0 else -wanted)
        return np.exp(-scales * missed), np.ones(wanted.shape), np.exp(-scales * np.maximum(missed + out, 0))

    def log_weights(self, rows: Integers, which: Integers, places: Integers) -> Floats:
        """Return the log weight of paths through places, for a total each."""
        path = np.pad(places, ((0, 0), (1, 1)))
        costs = step_costs(path[:, :-1], path[:, 1:], self.wanted[rows, which], self.half).sum(axis=1)
        return np.asarray(-self.batch.scales[rows] * costs, dtype=np.float64)


def one_more(lengths: Floats, unit: Floats | float, count: int) -> Floats:
    """Return by what a run of this many levels weighs more with one level more; lengths are in units."""
    return (lengths + min(count, LONG) / unit) / (min(count, LONG) + 1)


def _at(numbers: Floats, places: Integers) -> Floats:
    """Return the numbers (rows, totals, some) at places (rows, totals or 1, others)."""
    rows, totals, size = numbers.shape
    first = (np.arange(rows * totals) * size).reshape(rows, totals, 1)
    return np.asarray(numbers.reshape(-1).take(first + places), dtype=np.float64)


def draw_tuples(
    chains: Chains, rows: Integers, which: Integers, entropy: SeededSampler
) -> tuple[Integers, Integers, Floats]:
    """Return places and cells of a tuple for each of the rows and its total, and a log chance to accept it."""
    levels, size = chains.batch.levels, chains.places.size
    at = rows * chains.totals.shape[1] + which
    found = np.empty((rows.size, levels), np.int64)
    first = at * (size + 1)
    found[:, -1] = entropy.choice_within(chains.last.reshape(-1), first, first + size) - first
    stay = _further(chains, levels - 1, rows, at, found[:, -1], entropy)
    for column in range(levels - 2, -1, -1):
        after = found[:, column + 1]
        found[:, column] = after + chains.apart[:, column].take(rows)
        new = np.flatnonzero(stay == 0)
        stay -= 1
        if new.size:
            found[new, column] = _before(chains, column, rows[new], at[new], after[new], entropy)
            stay[new] = _further(chains, column, rows[new], at[new], found[new, column], entropy)
    before = chains.edges[rows[:, None], np.arange(levels), found]
    lengths = chains.edges[rows[:, None], np.arange(levels), found + 1] - before
    # where levels share an inner place with the one before, (rows, levels)
    inner = (found >= 1) & (found <= chains.places.size - 2)
    shared = np.diff(found + chains.centres[rows], axis=1, prepend=-1) == 0
    shared[:, 1:] &= inner[:, 1:] & inner[:, :-1]
    shared[:, 0] = False
    inside, chances = _inside(shared, lengths, entropy)
    return found - chains.half - 1, before + 1 + inside, chances


def _further(
    chains: Chains, column: int, rows: Integers, at: Integers, found: Integers, entropy: SeededSampler
) -> Integers:
    """Return how many levels before one share its place; `found`: places from 0, `at`: rows of all rows and totals."""
    if chains.apart_by(column) is None:
        return np.zeros(rows.size, np.int64)
    size, unit, place, factors = chains.places.size, chains.unit[rows], found, np.ones(rows.size)
    lengths = (chains.edges[rows, column, found + 1] - chains.edges[rows, column, found]) / unit
    weights = np.zeros((column + 1, rows.size))
    weights[0] = chains.starts[column].reshape(-1)[at * size + found]
    for more in range(1, column + 1):
        level = column - more + 1
        factors = factors * (chains.stays[:, :, level] / chains.tops[level]).reshape(-1)[at]
        factors *= one_more(lengths, unit, more)
        place = place + chains.apart[:, level - 1].take(rows)
        inside = np.flatnonzero((found >= 1) & (place <= size - 2))
        if not inside.size:
            break
        starts = chains.starts[level - 1].reshape(-1)
        weights[more, inside] = starts[at[inside] * size + place[inside]] * factors[inside]
    return entropy.choice(np.cumsum(weights, axis=0).T)


def _before(
    chains: Chains, column: int, rows: Integers, at: Integers, after: Integers, entropy: SeededSampler
) -> Integers:
    """Return the place of a level, from 0, given that of the next level, which is another one."""
    size = chains.places.size
    sums, ends = chains.sums[column].reshape(-1), chains.ends[column].reshape(-1)
    wanted = chains.wanted[:, :, column + 1].reshape(-1).take(at)
    start, own, shared = at * (2 * size + 2), at * size, after + chains.apart[:, column].take(rows)
    least, turn = after + np.floor(-wanted).astype(np.int64), 2 * size + 1
    least_next, most_next = (np.minimum(np.maximum(each, 0), size) for each in (least + 1, shared))
    ranges = np.empty((2, 2, after.size), np.int64)
    ranges[0] = start, start + np.maximum(np.minimum(least_next, most_next), 1)
    ranges[1] = start + turn - most_next, start + turn - least_next
    singles = np.full((2, after.size), size - 1)
    factors = np.empty((2, after.size))
    factors[1] = np.exp(chains.batch.scales.take(rows) * ((after - chains.half - 1) - wanted))
    factors[0] = 1 / factors[1]
    weights = np.zeros((4, after.size))
    weights[:2] = np.maximum(sums[ranges[:, 1]] - sums[ranges[:, 0]], 0.0) * factors
    if chains.outer:
        top = ends[own + size - 1] * chains.down[rows, 0, -1] * factors[1]
        weights[3] = np.where(shared >= size - 1, top, 0.0)
        for place in (0, -1):
            outside = np.flatnonzero(after == place % size)
            _from_outside(chains, column, place, outside, at[outside], (ranges, singles, weights))
    side = entropy.choice(np.cumsum(weights, axis=0).T)
    found = np.where(side == 2, singles[0], singles[1])
    some = np.flatnonzero(side < 2)
    inside = entropy.choice_within(sums, *ranges[side[some], :, some].T) - start[some]
    found[some] = np.where(side[some] == 0, inside, 2 * size - inside)
    return np.asarray(found, dtype=np.int64)


def _from_outside(
    chains: Chains, column: int, place: int, some: Integers, at: Integers, options: tuple[Integers, Integers, Floats]
) -> None:
    """Fill in the options of `_before` for some whose next level is in the first or the last place."""
    ranges, singles, weights = options
    size, start = chains.places.size, at * (2 * chains.places.size + 2)
    inner, same, other = (each.reshape(-1)[at] for each in chains.outer_steps(column + 1, place))
    first, last = (size + 1, 2 * size + 1) if place == 0 else (1, size)
    ranges[1 + place, 0, some], ranges[1 + place, 1, some] = start + first, start + last
    singles[0, some], singles[1, some] = place % size, (-1 - place) % size
    sums, ends = chains.sums[column].reshape(-1), chains.ends[column].reshape(-1)
    weights[:, some] = 0.0
    weights[1 + place, some] = inner * (sums[start + last] - sums[start + first])
    weights[2:, some] = np.array([same, other]) * ends[at * size + singles[:, some]]


def _inside(stayed: Flags, lengths: Integers, entropy: SeededSampler) -> tuple[Integers, Floats]:
    """Return the cells within places of this many, counted from their first; and a log chance: see Runs."""
    first = np.flatnonzero(~stayed)
    counts = np.diff(first, append=stayed.size)
    inside, chances, flat = np.empty(stayed.size, np.int64), np.zeros(len(stayed)), lengths.reshape(-1)
    for count in np.unique(counts).tolist():
        at = first[counts == count]
        inside[at[:, None] + np.arange(count)] = multisets(flat[at], count, entropy)
        for more in range(LONG + 1, count):
            chance = (flat[at] + more) / (more + 1) / one_more(flat[at], 1.0, more)
            np.add.at(chances, at // lengths.shape[1], np.log(chance))
    return inside.reshape(lengths.shape), chances
