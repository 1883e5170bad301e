"""The fast sampler for many small draws at once: tuples from the envelope of `freetotal.chains`, accepted or rejected.

Of few levels, tuples come from chains of the one total n, at a rate r' that is right for JointExp: its distance d_n
moves by at most s = 2 (1 - min u) for each of the d records that make y exact, so d_n <= s d, and r' = rate / s. A
tuple is accepted with exp(-rate d + e - slack), e <= r' d_n + slack its exponent in the envelope.

Of many that is too rare. Then an attempt chooses a total by the weight of all its tuples, and is accepted if its total
is one of the two neighbours of the best one, with
    2^(1 - g / 2) exp(-rate d - slack) / (w_- exp(-e_-) + w_+ exp(-e_+)),
where e are the envelope's exponents, at most rate d_N + slack, and g is BITS. So every tuple leaves with a weight in
proportion to exp(-rate d), for any places. A tuple outside the places, or whose best total is beyond all totals,
is far, d > T; it is drawn from chains of the one total n at a rate r' below rate / 2, and since d_n <= 2 d, accepted
with exp(-rate d + e + (rate - 2 r') T - slack'), e <= r' d_n + slack'.

Nothing is cut off. Where most proposals are far, or hardly any is accepted, places and totals go out farther, and in
the end a draw is made as by the exact sampler. Among ties and beside empty ranges the best totals may be far from n, or
0: then totals are chosen by a rough look at the weights (`chosen_totals`). The law holds for any increasing totals that
reach T / rate away from n, or down to 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from math import ceil, log

import numpy as np

from ...arrays import Flags, Floats, Integers
from ...noise.fast import SeededSampler
from ..exponential.distribution import count_below, left_edges
from ..joint.distance import best_totals, counts_between, distances
from .chains import NEARLY_ALL, Batch, Chains, draw_tuples

MOST_LEVELS_OF_ONE_TOTAL = 6
"""The most levels with one total. About one in 1.3, 2.8, 5, 10, 18 attempts is accepted, of 2 to 6."""
BITS = 5
"""How far neighbouring totals are apart near n, in binary orders of weight: g."""
STEPS = (1.0, 2.0, 3.0)
"""Totals near n, on either side; then each is farther from n by a factor."""
REACH_FACTOR = 1.5
COARSER, AROUND = 4, 2
"""For a look where among ties the weight is, which may be far from n: of the places; and the totals on either side."""
NEGLIGIBLE, EVERY = (-5.0, -9.0, -16.0), (1, 2, 4)
"""Totals whose weights are above these orders of the largest one are kept: each, every second, every fourth."""
LOOSER, FEW = 2.2, 16
"""Where totals are chosen, times the blocks' slack; and for how few draws in a range that saves more than it takes."""
ALIKE = 1.6
"""Reaches that differ by less are tried together."""
HIGH = 2.0
"""Above this rate many totals: targets are no whole ranks, and distances far from those for one total."""
ATTEMPTS, MOST_DOUBLINGS = 8, 6
ROUNDS, SOON = 12, 4
"""Rounds of attempts, for many totals and for one: where that is rare, as among ties, many totals are quicker."""
RARE, RARE_WITH_ONE_TOTAL = 4096, 64
"""Attempts in a range of which none was accepted, after which it is tried in another way."""
LEAST_ATTEMPTS = 1024
"""Of all rows together: so few take little longer than one."""
LARGEST_ORDERS = 650.0
"""Plain floats hold 709 orders of e: the weights of steps in a wide part, times those of the farthest places."""
SLOWER = 4
MOST_FAR = 1.0
FIRST, EACH = 4.0, 2.8
_ELEMENTS = 1 << 18


class Source:
    """The envelope of some draws: tuples for one total, or near ones for many totals and far ones for one."""

    def __init__(self, batch: Batch, reach: float, one_total: bool, chosen: bool = False) -> None:
        """`reach`: how many orders of e places and totals go out from the targets; for one total, more.

        `chosen`: whether totals are dense where the weight is, not near the number of records.
        """
        self.batch, counts = batch, batch.parts.counts
        self.near = None if one_total else _Near(batch, reach, chosen)
        moved = 2 * (1 - batch.proportions.min(axis=1))
        slow = replace(batch, rates=batch.rates / (SLOWER if self.near else moved))
        quarters = left_edges(batch.cells, batch.parts, np.rint(np.outer(counts, [0.25, 0.75])).astype(np.int64))
        inner = np.maximum(np.diff(quarters, axis=1)[:, 0] / np.maximum(counts / 2, 1), 1)
        breadth = (batch.parts.high - batch.parts.low + 1) / inner  # in intervals as in the middle of the records
        wide = (reach if one_total else FIRST) + batch.levels * np.maximum(EACH, np.log1p(breadth * slow.rates) / 2)
        self.far = Chains(slow, wide, counts[:, None].astype(np.float64), outer=True)
        self.lowered = ((1 - 2 / SLOWER) * reach if self.near else 0.0) - slow.slack
        """How many orders of e far weights are below those of the far chains; a factor of both kinds left out."""
        self.fits, self.reaches, self.sums = np.ones(counts.size, np.bool_), np.full(counts.size, reach), None
        if self.near:
            far = self.far.log_sums[:, 0] + self.near.constant - self.lowered
            far[reach >= batch.rates * counts] = -np.inf
            log_sums = self.near.chains.log_sums + self.near.log_weights
            near = np.logaddexp.reduce(log_sums, axis=1)
            known = np.isfinite(near) & ~np.isnan(far)  # else numbers were too large
            excess = np.where(known, far - near, np.inf)
            self.fits = excess < MOST_FAR
            """Whether far tuples are not most of those that are proposed."""
            self.reaches = reach + np.where(self.fits, reach, np.maximum(excess / (1 - 2 / SLOWER), reach / 4))
            """The next reach to try: where they are, one at which they are not, as far weights fall with it."""
            log_sums = np.hstack([log_sums, far[:, None]])
            self.sums = np.cumsum(np.exp(log_sums - log_sums.max(axis=1, keepdims=True)), axis=1)


class _Near:
    """Tuples within the places, for each of many totals."""

    def __init__(self, batch: Batch, reach: float, chosen: bool) -> None:
        self.totals = chosen_totals(batch, reach) if chosen else totals_around(batch.parts.counts, batch.rates, reach)
        apart = np.diff(self.totals, axis=1) * batch.rates[:, None]
        wider = np.maximum(np.pad(apart, ((0, 0), (0, 1))), np.pad(apart, ((0, 0), (1, 0))))
        self.log_weights = (wider - BITS * log(2)) / 2
        """Of increasing totals (rows, totals), as in `totals.Totals`; of equal ones the last."""
        self.log_weights[:, :-1][apart <= 0] = -np.inf
        self.chains = Chains(batch, reach, self.totals, outer=False)
        self.constant = (1 - BITS / 2) * log(2) - batch.slack

    def holds(self, rows: Integers, ranks: Integers, best: Floats) -> Flags:
        """Return whether tuples are near: within the places, and the best total within the totals."""
        chains, totals = self.chains, self.totals[rows]
        places = ranks // chains.batch.widths[rows][:, None] - chains.centres[rows]
        inside = (np.abs(places) <= chains.half).all(axis=1)
        return np.asarray(inside & (best >= totals[:, 0]) & (best <= totals[:, -1]), dtype=np.bool_)

    def log_chances(self, rows: Integers, which: Integers, places: Integers, best: Floats, least: Floats) -> Floats:
        """Return the logarithms of the chances of near tuples at distances of `least` orders."""
        totals = self.totals[rows]
        first = np.clip((totals <= best[:, None]).sum(axis=1) - 1, 0, totals.shape[1] - 2)
        sums = np.logaddexp(
            *(self.log_weights[rows, one] + self.chains.log_weights(rows, one, places) for one in (first, first + 1))
        )
        matches = (which == first) | (which == first + 1)
        return np.where(matches, self.constant[rows] - least - sums, -np.inf)


def totals_around(counts: Integers, rates: Floats, reach: float) -> Floats:
    """Return increasing totals around each count, (rows, totals)."""
    bit = log(2)
    offsets = [0.0, *STEPS]
    while offsets[-1] * BITS * bit < reach:
        offsets.append(offsets[-1] * REACH_FACTOR)
    sides = np.array([-each for each in offsets[:0:-1]] + offsets)
    return np.maximum(counts[:, None] + sides * (BITS * bit / rates)[:, None], 0.0)


def chosen_totals(batch: Batch, reach: float) -> Floats:
    """Return increasing totals, (rows, totals): every step around each count where weight is, elsewhere fewer.

    The weight of tuples is looked at with coarse places, for every second step. The first totals may be repeated.
    """
    step = BITS * log(2) / batch.rates
    last = ceil(reach / (BITS * log(2)))
    last += -last % 2
    places = np.arange(-last, last + 1)
    totals = np.maximum(batch.parts.counts[:, None] + places * step[:, None], 0.0)
    rough = Chains(replace(batch, coarser=COARSER), reach, totals[:, ::2], outer=False).log_sums
    orders = np.full((len(totals), places.size + 2 * AROUND), -np.inf)
    orders[:, AROUND : orders.shape[1] - AROUND : 2] = rough - rough.max(axis=1, keepdims=True)
    nearby = np.lib.stride_tricks.sliding_window_view(orders, 2 * AROUND + 1, axis=1).max(axis=2)
    apart = np.select([nearby > orders_below for orders_below in NEGLIGIBLE], EVERY, default=EVERY[-1] * 2)
    kept = places % apart == 0
    kept[:, -1] = True
    kept &= totals > 0
    kept[np.arange(len(kept)), (totals <= 0).sum(axis=1).clip(1) - 1] = True
    size = int(kept.sum(axis=1).max())
    behind = np.argsort(kept, axis=1, kind="stable")[:, -size:]
    behind = np.where(np.take_along_axis(kept, behind, axis=1), behind, kept.argmax(axis=1)[:, None])
    return np.take_along_axis(totals, behind, axis=1)


def draw_many(batch: Batch, rows: Integers, entropy: SeededSampler, alone: Callable[[int, int], Integers]) -> Integers:
    """Return one tuple of cells for each of `rows`, which are draws of the batch; `alone` draws what is left over.

    `alone` is given a row, and how many tuples are missing.
    """
    chosen = np.empty((rows.size, batch.levels), np.int64)
    farthest = LARGEST_ORDERS / NEARLY_ALL / (1 + 2 * float(batch.proportions.max(initial=0.0)))
    first = min(_first_reach(batch), farthest)
    pending, reaches, dense = np.arange(rows.size), np.full(batch.rates.size, first), False
    one_total = batch.levels <= MOST_LEVELS_OF_ONE_TOTAL and float(batch.rates.max(initial=0.0)) <= HIGH
    while pending.size:
        left = []
        for some in _alike(batch, rows, pending, reaches / (5 if one_total else 1)):
            distinct, place = np.unique(rows[some], return_inverse=True)
            reach = FIRST if one_total else float(reaches[distinct].max())
            looser = LOOSER if dense and some.size < FEW * distinct.size else 1.0
            source = Source(replace(batch.take(distinct), looser=looser), reach, one_total, dense)
            left.append(_fill(chosen, some, place.reshape(-1), source, entropy))
            if not one_total:
                reaches[distinct] = np.where(source.reaches <= farthest, source.reaches, np.inf)
        pending, one_total, dense = np.concatenate(left), False, not one_total
        far = np.isinf(reaches[rows[pending]])
        for row in np.unique(rows[pending[far]]).tolist():
            places = pending[rows[pending] == row]
            chosen[places] = alone(row, places.size)
        pending = pending[~far]
    return chosen


def _first_reach(batch: Batch) -> float:
    """Return a reach that is enough for most data; at a high rate, for targets that are no whole ranks."""
    beyond_rounding = max(float(batch.rates.max(initial=0.0)) - 0.5, 0.0)
    return FIRST + EACH * batch.levels + 3 * beyond_rounding * (batch.levels + 1)


def _alike(batch: Batch, rows: Integers, pending: Integers, reaches: Floats) -> Iterator[Integers]:
    """Yield the pending ones in parts that fit into memory, with rates and reaches of about the same order."""
    rates = np.rint(np.log2(batch.scales[rows[pending]]))
    orders = rates + 1j * np.ceil(np.log(reaches[rows[pending]]) / log(ALIKE))
    for each in np.unique(orders):
        same = pending[orders == each]
        same = same[np.argsort(rows[same], kind="stable")]
        new = np.cumsum(np.diff(rows[same], prepend=-1) != 0)
        half = min(ALIKE**each.imag / 2.0 ** (each.real - 0.5), float((batch.parts.counts / batch.widths).max()) + 1)
        at_once = max(int(_ELEMENTS / (20 * (2 * half + 3))), 1)
        groups = (new - 1) // at_once
        for group in range(int(groups[-1]) + 1):
            yield same[groups == group]


def _fill(chosen: Integers, rows: Integers, place: Integers, source: Source, entropy: SeededSampler) -> Integers:
    """Fill in what is accepted in a few rounds of attempts, and return the rows that are left."""
    left, rows, place = [rows[~source.fits[place]]], rows[source.fits[place]], place[source.fits[place]]
    usual = ATTEMPTS if source.near else 1 << max(chosen.shape[1] - 3, 1)
    made, accepted = np.zeros((2, source.fits.size), np.int64)
    for number in range(ROUNDS if source.near else SOON):
        if not rows.size:
            break
        tries = max(usual << min(number, MOST_DOUBLINGS), LEAST_ATTEMPTS // rows.size)
        at_once = max(_ELEMENTS // (tries * 2), 1)
        done = np.zeros(rows.size, bool)
        for first in range(0, rows.size, at_once):
            part = slice(first, first + at_once)
            found, done[part] = entropy.accepted_soon(partial(attempts, source), place[part], tries, chosen.shape[1:])
            chosen[rows[part][done[part]]] = found[done[part]]
        made += tries * np.bincount(place, minlength=made.size)
        accepted += np.bincount(place[done], minlength=made.size)
        rare = (accepted == 0) & (made >= (RARE if source.near else RARE_WITH_ONE_TOTAL))
        left.append(rows[~done & rare[place]])
        rows, place = (each[~done & ~rare[place]] for each in (rows, place))
    return np.concatenate([*left, rows])


def attempts(source: Source, entropy: SeededSampler, rows: Integers) -> tuple[Integers, Flags]:
    """Return a tuple for each of the rows of the source, and whether it is accepted."""
    cells, chances = propose(source, rows, entropy)
    return cells, entropy.bernoulli(np.exp(chances))


def propose(source: Source, rows: Integers, entropy: SeededSampler) -> tuple[Integers, Floats]:
    """Return a tuple for each of the rows of the source, and the logarithm of the chance to accept it."""
    near, batch, none = source.near, source.batch, np.zeros(rows.size, np.int64)
    if near is None or source.sums is None:
        places, cells, chances = draw_tuples(source.far, rows, none, entropy)
        _, _, least = _measured(batch, rows, cells)
        chances += source.lowered[rows] - least - source.far.log_weights(rows, none, places)
    else:
        which, chances = entropy.choice(source.sums[rows]), np.empty(rows.size)
        from_far = which == near.totals.shape[1]
        places, cells = (np.empty((rows.size, batch.levels), np.int64) for _ in range(2))
        for chains, some in ((near.chains, np.flatnonzero(~from_far)), (source.far, np.flatnonzero(from_far))):
            if some.size:
                place = none[some] if chains is source.far else which[some]
                places[some], cells[some], chances[some] = draw_tuples(chains, rows[some], place, entropy)
        ranks, best, least = _measured(batch, rows, cells)
        is_near = near.holds(rows, ranks, best)
        far = source.lowered[rows] - least - source.far.log_weights(rows, none, places)
        own = near.log_chances(rows, which, places, best, least)
        chances += np.where(is_near, np.where(from_far, -np.inf, own), np.where(from_far, far, -np.inf))
    chances[(np.diff(cells, axis=1) < 0).any(axis=1)] = -np.inf
    return cells, chances


def _measured(batch: Batch, rows: Integers, cells: Integers) -> tuple[Integers, Floats, Floats]:
    """Return the ranks of tuples, their best totals, and the rate times their distance."""
    parts, proportions = batch.parts.flat(rows), batch.proportions[rows]
    counts, ranks = parts.counts, count_below(batch.cells, parts.standing, cells)
    between = counts_between(ranks, counts[:, None])
    best = best_totals(between, proportions)
    return ranks, best, batch.rates[rows] * distances(between, proportions, best)
