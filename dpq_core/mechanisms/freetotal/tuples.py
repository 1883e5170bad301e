"""Tuples from the envelope of `freetotal.chains`, for many draws at once: from the last level back.

Where a level comes from is found by bisection in the running sums that its weight was made of; first, how many levels
share its place.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Flags, Floats, Integers
from ...noise.fast import SeededSampler
from ..joint.draws import multisets
from .chains import LONG, Chains, one_more


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
    inside, chances = _inside(_stayed(chains, rows, found), lengths, entropy)
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


def _stayed(chains: Chains, rows: Integers, found: Integers) -> Flags:
    """Return where levels share an inner place with the one before, (rows, levels)."""
    inner = (found >= 1) & (found <= chains.places.size - 2)
    shared = np.diff(found + chains.centres[rows], axis=1, prepend=-1) == 0
    shared[:, 1:] &= inner[:, 1:] & inner[:, :-1]
    shared[:, 0] = False
    return np.asarray(shared, dtype=np.bool_)


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
