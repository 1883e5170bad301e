"""The fast sampler for many small draws at once: tuples from the envelope of `freetotal.chains`, accepted or rejected.

An attempt chooses a total by the weight of all its tuples, places from the last level back, and cells within them. It
is accepted as in `freetotal.proposals`: if its total is one of the two neighbours of the best one, with
    2^(1 - g / 2) exp(-rate d - slack) / (w_- exp(-e_-) + w_+ exp(-e_+)),
where e are the envelope's exponents, at most rate d_N + slack, and g is `chains.BITS`. So every tuple leaves with a
weight in proportion to exp(-rate d), whatever the places. A tuple outside the places, or whose best total is beyond
all totals, is far, d > T; it is drawn from chains of the one total n at a rate r' below rate / 2, and since d_n <= 2 d,
accepted with exp(-rate d + e + (rate - 2 r') T - slack'), e <= r' d_n + slack'. Nothing is cut off. Where most
proposals are far, or hardly any is accepted, places and totals go out farther, and in the end a draw is made as by the
exact sampler.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from math import log

import numpy as np

from ...arrays import Flags, Floats, Integers
from ...noise import FastEntropy
from ..exponential import count_below
from ..joint import multisets
from .chains import BITS, Batch, Chains, step_costs, totals_around
from .totals import best_totals, distances

ATTEMPTS = 8
MOST_DOUBLINGS = 6
ROUNDS = 12
FARTHEST = 600.0
SLOWER = 4
MOST_FAR = 1.0
FIRST, EACH = 4.0, 2.8
_ELEMENTS = 1 << 18


class Source:
    """The envelope of some draws: near tuples for each of many totals, and far ones at a slower rate, for one."""

    def __init__(self, batch: Batch, reach: float) -> None:
        counts, levels = batch.parts.counts, batch.levels
        totals, self.log_weights = totals_around(counts, batch.rates, reach)
        slow = replace(batch, rates=batch.rates / SLOWER)
        self.batch, self.reach = batch, reach
        self.near = Chains(batch, reach, totals, outer=False)
        self.far = Chains(slow, FIRST + EACH * levels, counts[:, None].astype(np.float64), outer=True)
        self.lowered = (1 - 2 / SLOWER) * reach - _slack(slow)
        """How many orders of e far weights are below those of the far chains; a factor of both kinds left out."""
        self.constant = (1 - BITS / 2) * log(2) - _slack(batch)
        far = np.where(reach < batch.rates * counts, self.far.log_sums[:, 0] + self.constant - self.lowered, -np.inf)
        self.log_sums = np.hstack([self.near.log_sums + self.log_weights, far[:, None]])
        near = np.logaddexp.reduce(self.log_sums[:, :-1], axis=1)
        self.fits = far < near + MOST_FAR
        """Whether far tuples are not most of those that are proposed."""


def _slack(batch: Batch) -> Floats:
    """Return by how much the envelope's exponent may exceed the law's, for blocks of intervals."""
    return np.asarray(batch.rates * (batch.widths - 1) * batch.proportions.shape[1], dtype=np.float64)


def draw_many(batch: Batch, rows: Integers, entropy: FastEntropy, alone: Callable[[int], Integers]) -> Integers:
    """Return one tuple of cells for each of `rows`, which are draws of the batch; `alone` draws what is left over."""
    chosen = np.empty((rows.size, batch.levels), np.int64)
    pending, reach = np.arange(rows.size), _first_reach(batch)
    while pending.size and reach < FARTHEST:
        left = []
        for some in _alike(batch, rows, pending, reach):
            distinct, place = np.unique(rows[some], return_inverse=True)
            source = Source(batch.take(distinct), reach)
            left.append(_fill(chosen, some, place.reshape(-1), source, entropy))
        pending, reach = np.concatenate(left), 2 * reach
    for row in pending.tolist():
        chosen[row] = alone(int(rows[row]))
    return chosen


def _first_reach(batch: Batch) -> float:
    """Return a reach that is enough for most data; at a high rate, for targets that are no whole ranks."""
    beyond_rounding = max(float(batch.rates.max(initial=0.0)) - 0.5, 0.0)
    return FIRST + EACH * batch.levels + 3 * beyond_rounding * (batch.levels + 1)


def _alike(batch: Batch, rows: Integers, pending: Integers, reach: float) -> Iterator[Integers]:
    """Yield the pending ones in parts that fit into memory, with rates of one binary order."""
    order = np.rint(np.log2(batch.scales[rows[pending]]))
    for each in np.unique(order):
        same = pending[order == each]
        same = same[np.argsort(rows[same], kind="stable")]
        new = np.cumsum(np.diff(rows[same], prepend=-1) != 0)
        size = 2 * min(reach / 2.0 ** (each - 0.5), float((batch.parts.counts / batch.widths).max()) + 1) + 3
        at_once = max(int(_ELEMENTS / (20 * size)), 1)
        groups = (new - 1) // at_once
        for group in range(int(groups[-1]) + 1):
            yield same[groups == group]


def _fill(chosen: Integers, rows: Integers, place: Integers, source: Source, entropy: FastEntropy) -> Integers:
    """Fill in what is accepted in a few rounds of attempts, and return the rows that are left."""
    left, rows, place = rows[~source.fits[place]], rows[source.fits[place]], place[source.fits[place]]
    for number in range(ROUNDS):
        tries = ATTEMPTS << min(number, MOST_DOUBLINGS)
        at_once = max(int(4 * _ELEMENTS / (tries * source.near.places.size)), 1)
        done = np.zeros(rows.size, bool)
        for first in range(0, rows.size, at_once):
            part = slice(first, first + at_once)
            found, done[part] = entropy.accepted_soon(partial(attempts, source), place[part], tries, chosen.shape[1:])
            chosen[rows[part][done[part]]] = found[done[part]]
        rows, place = rows[~done], place[~done]
        if not rows.size:
            break
    return np.concatenate([left, rows])


def attempts(source: Source, entropy: FastEntropy, rows: Integers) -> tuple[Integers, Flags]:
    """Return a tuple for each of the rows of the source, and whether it is accepted."""
    cells, chances = propose(source, rows, entropy)
    return cells, entropy.bernoulli(np.exp(chances))


def propose(source: Source, rows: Integers, entropy: FastEntropy) -> tuple[Integers, Floats]:
    """Return a tuple for each of the rows of the source, and the logarithm of the chance to accept it."""
    weights = np.exp(source.log_sums - source.log_sums.max(axis=1, keepdims=True))
    which = _choose(weights[rows], entropy)
    proposed_far = which == source.near.totals.shape[1]
    cells, own = np.empty((rows.size, source.batch.levels), np.int64), np.zeros(rows.size)
    places = np.zeros(cells.shape, np.int64)
    at = np.flatnonzero(~proposed_far)
    places[at], cells[at] = _tuples(source.near, rows[at], which[at], entropy)
    at = np.flatnonzero(proposed_far)
    if at.size:
        zeros = np.zeros(at.size, np.int64)
        found, cells[at] = _tuples(source.far, rows[at], zeros, entropy)
        own[at] = _log_weights(source.far, rows[at], zeros, found)
    return cells, _log_chances(source, rows, which, cells, places, own)


def _log_chances(
    source: Source, rows: Integers, which: Integers, cells: Integers, places: Integers, own: Floats
) -> Floats:
    """Return the logarithms of the chances; -inf for a tuple that belongs to another kind of proposal."""
    batch, near = source.batch, source.near
    parts = batch.parts.flat(rows)
    counts, ranks = parts.counts, count_below(batch.cells, parts.standing, cells)
    between = np.diff(ranks, axis=1, prepend=0, append=counts[:, None])
    proportions, totals = batch.proportions[rows], near.totals[rows]
    best = best_totals(between, proportions)
    least = batch.rates[rows] * distances(between, proportions, best)
    first = np.clip((totals <= best[:, None]).sum(axis=1) - 1, 0, totals.shape[1] - 2)
    sums = np.logaddexp(
        *(source.log_weights[rows, first + side] + _log_weights(near, rows, first + side, places) for side in (0, 1))
    )
    inside = np.abs(ranks // batch.widths[rows][:, None] - near.centres[rows]) <= near.half
    far = ~inside.all(axis=1) | (best < totals[:, 0]) | (best > totals[:, -1])
    fits = np.where(far, which == totals.shape[1], (which == first) | (which == first + 1))
    chance = np.where(far, source.lowered[rows] - own - least, source.constant[rows] - least - sums)
    fits &= (np.diff(cells, axis=1) >= 0).all(axis=1)
    return np.where(fits, chance, -np.inf)


def _log_weights(chains: Chains, rows: Integers, which: Integers, places: Integers) -> Floats:
    """Return the log weight of paths through places, for a total each."""
    path = np.pad(places, ((0, 0), (1, 1)))
    costs = step_costs(path[:, :-1], path[:, 1:], chains.wanted[rows, which], chains.half).sum(axis=1)
    return np.asarray(-chains.batch.scales[rows] * costs, dtype=np.float64)


def _tuples(chains: Chains, rows: Integers, which: Integers, entropy: FastEntropy) -> tuple[Integers, Integers]:
    """Return the places and the cells of a tuple for each of the rows and its total."""
    levels = chains.batch.levels
    places, cells = (np.zeros((rows.size, levels), np.int64) for _ in range(2))
    column, after = np.full(rows.size, levels - 1), np.zeros(rows.size, np.int64)
    for current in range(levels - 1, -1, -1):
        at = np.flatnonzero(column == current)
        if not at.size:
            continue
        row, total = rows[at], which[at]
        place = _place(chains, current, row, total, after[at], entropy)
        count = _count(chains, current, row, total, place, entropy)
        edges = chains.edges[current]
        before = edges[row, place + chains.half + 1]
        lengths = edges[row, place + chains.half + 2] - before
        for size in np.unique(count).tolist():
            same = count == size
            columns = np.arange(current - size + 1, current + 1)
            inside = multisets(lengths[same], size, entropy)
            cells[at[same, None], columns] = before[same, None] + 1 + inside
            shift = chains.centres[row[same], current, None] - chains.centres[row[same]][:, columns]
            places[at[same, None], columns] = place[same, None] + shift
            after[at[same]] = places[at[same], current - size + 1]
        column[at] = current - count
    return places, cells


def _place(
    chains: Chains, column: int, rows: Integers, which: Integers, after: Integers, entropy: FastEntropy
) -> Integers:
    """Return the place of a level, given that of the next level or the end."""
    places, half = chains.places, chains.half
    wanted = chains.wanted[rows, which, column + 1][:, None]
    costs = (
        step_costs(places, after[:, None], wanted, half) if chains.outer else np.abs(places - after[:, None] + wanted)
    )
    costs *= -chains.batch.scales[rows][:, None]
    weights = np.exp(costs, out=costs)
    weights *= chains.ends[column][rows, which]
    if column < chains.batch.levels - 1:
        most = np.where(np.abs(after) > half, half + 1, after + chains.apart[rows, column] - 1)
        weights *= places <= np.maximum(most, -half - 1)[:, None]
    return places[_choose(weights, entropy)]


def _count(
    chains: Chains, column: int, rows: Integers, which: Integers, place: Integers, entropy: FastEntropy
) -> Integers:
    """Return how many levels the run has that ends with this one in its place."""
    weights, at = np.zeros((rows.size, column + 1)), place + chains.half + 1
    weights[:, 0] = chains.ways[column][0][rows, at] * chains.starts[column][rows, which, at]
    for back in range(1, column + 1):
        there = place + chains.centres[rows, column] - chains.centres[rows, column - back]
        inside = (there <= chains.half) & (np.abs(place) <= chains.half)
        there = np.where(inside, there, 0) + chains.half + 1
        own = chains.ways[column][back][rows, at] * chains.stays(column, back)[rows, which]
        weights[:, back] = np.where(inside, own * chains.starts[column - back][rows, which, there], 0.0)
    return _choose(weights, entropy) + 1


def _choose(weights: Floats, entropy: FastEntropy) -> Integers:
    """Return one option for each row of weights (rows, options)."""
    return entropy.choice(np.cumsum(weights, axis=1))
