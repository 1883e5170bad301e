"""Draws for both samplers: attempts that pick a proposal, draw it and accept or reject, until enough are accepted.

An attempt begins with the choice among all proposals by their weights, so that a rejection starts from the beginning
and every tuple is accepted with a probability proportional to 2^(-r d).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import ldexp
from typing import TypeAlias

import numpy as np

from ...arrays import Flags, Floats, Integers
from ...noise.entropy import Entropy
from ...noise.exact import ExactEntropy
from ...noise.fast import FastEntropy
from ...people.shares import unit_of
from ...sample import SortedCells
from ..joint.numbers import RATE_BITS, Wide, power
from ..joint.recursion import Recursion, counts_of, distance, distance_of, in_window, proportions_of
from ..joint.sampling import choose, multisets
from ..joint.shares import Coarse, CoarseDraws, attempts_for, coarse_records
from .apart import draw_near
from .paths import Paths, can_be_enumerated
from .proposals import Proposals, propose
from .totals import best_total, best_totals, counts_between, distances

Draws: TypeAlias = Callable[[Entropy, int], Integers]
"""(entropy, trials): fine cells (trials, levels), non-decreasing along levels."""


def draw(proposals: Proposals, entropy: Entropy, trials: int) -> Integers:
    """Return fine cells (trials, levels), non-decreasing along levels."""
    if isinstance(entropy, ExactEntropy):
        return np.array([entropy.accepted(partial(_attempt, proposals)) for _ in range(trials)])
    assert isinstance(entropy, FastEntropy), "there are two samplers"
    return entropy.first_accepted(partial(_attempts, proposals), trials, attempts_for)


def draws_of(
    cells: SortedCells,
    grid: int,
    levels: tuple[Fraction, ...],
    rate: int,
    kind: type[Recursion] = Recursion,
) -> Draws:
    """Return how tuples are drawn in the quickest way there is; at least one level. `kind`: as in `propose`."""
    if can_be_enumerated(cells, grid, levels):
        return Paths(cells, grid, levels, rate).draw
    coarse, slower = coarse_records(cells, rate, len(levels))
    if coarse.step == unit_of(cells) == 1:
        return partial(draw, propose(cells, grid, levels, rate, kind))
    return coarse_draws(coarse, grid, levels, rate, slower, kind).draw


def coarse_draws(
    coarse: Coarse, grid: int, levels: tuple[Fraction, ...], rate: int, slower: int, kind: type[Recursion]
) -> CoarseDraws:
    """Return how tuples are drawn from records that represent others, at a rate for a whole person."""
    proposals, proportions = propose(coarse, grid, levels, slower, kind), proportions_of(levels)
    plain = np.array([float(proportion) for proportion in proportions])

    def exact_distance(ranks: list[int], count: int) -> Fraction:
        between = counts_of(ranks, count)
        return distance(between, proportions, best_total(between, proportions))

    def many(ranks: Integers, count: int) -> Floats:
        between = counts_between(ranks, count)
        return distances(between, plain, best_totals(between, plain))

    propose_some = partial(_attempts, proposals)
    return CoarseDraws(coarse.cells, coarse, len(levels), rate, slower, propose_some, exact_distance, many)


def _attempts(proposals: Proposals, entropy: Entropy, count: int) -> Integers:
    """Return the tuples that this many attempts draw and accept."""
    weights, shape = proposals.weights, (proposals.weights.mantissa.size, count)
    mantissas, exponents = weights.mantissa[:, None], weights.exponent[:, None]
    which = choose(Wide(np.broadcast_to(mantissas, shape), np.broadcast_to(exponents, shape)), entropy)
    cells = _propose(proposals, which, entropy)
    return cells[_accepts(proposals, which, cells, entropy)]


def _attempt(proposals: Proposals, entropy: Entropy) -> tuple[int, ...] | None:
    """Return the tuple that one attempt draws, or None: begin again."""
    return next(map(tuple, _attempts(proposals, entropy, 1).tolist()), None)


def _propose(proposals: Proposals, which: Integers, entropy: Entropy) -> Integers:
    """A tuple of cells for each choice of a proposal: places of totals, then the two kinds of far ones."""
    cells = np.empty((which.size, len(proposals.levels)), np.int64)
    far = len(proposals.totals.values)
    near, slow, beyond = which < far, np.flatnonzero(which == far), np.flatnonzero(which > far)
    cells[near] = proposals.near.draw(which[near], entropy)
    if slow.size:
        cells[slow] = draw_near(proposals.slow, np.zeros(slow.size, np.int64), entropy)
    if beyond.size:
        cells[beyond] = multisets(np.full(beyond.size, proposals.grid), len(proposals.levels), entropy)
    return cells


def _accepts(proposals: Proposals, which: Integers, cells: Integers, entropy: Entropy) -> Flags:
    ranks = np.asarray(proposals.cells.searchsorted(cells), dtype=np.int64)
    if isinstance(entropy, ExactEntropy):
        # each drawn exactly, with a probability that is right up to a few units of 2^-53
        chances = (exact_chance(proposals, *pair) for pair in zip(which.tolist(), ranks, strict=True))
        return np.array([m > 0 and entropy.bernoulli(int(ldexp(m, 53)), 1 << (53 - power)) for m, power in chances])
    assert isinstance(entropy, FastEntropy), "there are two samplers"
    return entropy.bernoulli(np.exp2(log_chances(proposals, which, ranks)))


def exact_chance(proposals: Proposals, which: int, ranks: Integers) -> tuple[float, int]:
    """The probability mantissa * 2^exponent, at most 1, of a proposed tuple with these ranks."""
    totals, proportions = proposals.totals, proposals.proportions
    counts = counts_of(ranks.tolist(), proposals.count)
    best = best_total(counts, proportions)
    first = totals.around_best(best)
    far = first is None or not in_window(ranks, proposals.near.lows, proposals.near.highs)
    if which >= len(totals.values):
        return _far_chance(proposals, which, ranks, distance(counts, proportions, best)) if far else (0.0, 0)
    if far or first is None or which not in (first, first + 1):
        return 0.0, 0
    least, rate = distance(counts, proportions, best), Fraction(proposals.rate, 1 << RATE_BITS)
    exponents = [
        totals.bits[place] - rate * (distance(counts, proportions, totals.values[place]) - least)
        for place in (first, first + 1)
    ]
    larger, smaller = max(exponents), min(exponents)
    mantissa, exponent = power(-Fraction(1, 2) - larger)
    return mantissa / (1 + 2.0 ** max(float(smaller - larger), -1000)), exponent


def _far_chance(proposals: Proposals, which: int, ranks: Integers, least: Fraction) -> tuple[float, int]:
    """Of a far tuple, by how much its weight is below that of the proposal."""
    slow, count = proposals.slow, proposals.count
    inside = in_window(ranks, slow.lows, slow.highs)
    if inside != (which == len(proposals.totals.values)):
        return 0.0, 0
    own = distance_of(ranks.tolist(), proposals.levels, count) if inside else Fraction(2 * slow.window)
    rate, slower = (Fraction(each, 1 << RATE_BITS) for each in (proposals.rate, slow.rate))
    excess = rate * least - proposals.spare * proposals.reach - slower * own
    assert excess >= 0, "far tuples weigh less than what is proposed for them"
    return power(-excess)


def log_chances(proposals: Proposals, which: Integers, ranks: Integers) -> Floats:
    """The binary logarithm of `exact_chance` of many tuples, up to the rounding of floats; -inf where it is 0."""
    totals, proportions = proposals.totals, np.array([float(proportion) for proportion in proposals.proportions])
    values, bits = (np.array([float(each) for each in numbers]) for numbers in (totals.values, totals.bits))
    rate, counts = proposals.rate / 2.0**RATE_BITS, counts_between(ranks, proposals.count)
    best = best_totals(counts, proportions)
    least = distances(counts, proportions, best)
    near, slow = proposals.near, proposals.slow
    window = in_window(ranks, near.lows, near.highs)
    far = ~window | (best < values[0]) | (best > values[-1])
    first = np.clip(np.searchsorted(values, best, side="right") - 1, 0, values.size - 2)
    sums = np.logaddexp2(
        *(bits[place] - rate * (distances(counts, proportions, values[place]) - least) for place in (first, first + 1))
    )
    matches = ~far & ((which == first) | (which == first + 1))
    found = np.where(matches, -0.5 - sums, -np.inf)
    inside = in_window(ranks, slow.lows, slow.highs)
    own = np.where(
        inside, distances(counts, proportions, np.full(which.size, float(proposals.count))), 2.0 * slow.window
    )
    excess = rate * least - float(proposals.spare * proposals.reach) - slow.rate / 2.0**RATE_BITS * own
    matches = far & (which == np.where(inside, values.size, values.size + 1))
    return np.asarray(np.where(matches, -excess, found), dtype=np.float64)
