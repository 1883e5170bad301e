"""Draws from JointExp's recursion, for both samplers: intervals from the last level back, then cells within runs.

Backwards, level by level: the interval of a run given that of the run after it, with weights A_j(k) K(k' - k); how
many levels the run has, with weights C(L + c - 1, c) G_{j-c+1}(k); and its cells, uniform among the non-decreasing
choices.

The exact sampler draws with the very float64 weights, each of which is an integer times a power of two. An option is
proposed by integers close above the weights, and accepted with the exact ratio. Tuples outside the window are proposed
uniformly under one envelope weight and accepted likewise; on rejection everything starts again, so that no window
changes the law.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import ceil, comb, ldexp

import numpy as np

from ...arrays import Integers
from ...noise.entropy import Entropy
from ...noise.exact import ExactEntropy
from ...noise.fast import FastEntropy
from .numbers import RATE_BITS, Wide, power, product, scaled
from .recursion import Messages, Recursion, distance_of, in_window, outside_exponent

_MATRIX_ELEMENTS = 1 << 20


@dataclass(frozen=True)
class IntervalDraw:
    """One draw of an interval: what it is drawn from with weights, and the last level of the run. For traces."""

    column: int
    intervals: Integers
    weights: Wide


@dataclass(frozen=True)
class Seen:
    """What one trial chooses its intervals from: collected while it is drawn."""

    trial: int
    draws: list[IntervalDraw]


def draw(recursion: Recursion, entropy: Entropy, seen: Seen | None = None, trials: int | None = None) -> Integers:
    """Cells (trials, levels), non-decreasing. `seen` collects what its trial chose its intervals from."""
    trials = entropy.trials if trials is None else trials
    cells = draw_inside(recursion, np.zeros(trials, np.int64), entropy, seen)
    if not recursion.whole:
        proportions = _shares(recursion)
        for trial in range(trials):
            inner_tuple = tuple(cells[trial].tolist())
            cells[trial] = entropy.accepted(partial(_inside_or_not, recursion, inner_tuple, proportions))
    return cells


def _inside_or_not(
    recursion: Recursion, inner_tuple: tuple[int, ...], proportions: tuple[int, int], entropy: Entropy
) -> tuple[int, ...] | None:
    """The tuple drawn in the window, or one outside of it; None: begin again."""
    if not _leaves(*proportions, entropy):
        return inner_tuple
    proposed = multisets(np.array([recursion.grid]), len(recursion.levels), entropy)[0]
    return tuple(proposed.tolist()) if _accepts(recursion, proposed, entropy) else None


def draw_inside(messages: Messages, which: Integers, entropy: Entropy, seen: Seen | None = None) -> Integers:
    """Tuples in the window, drawn as if nothing else existed: one for each of `which`, the places of its total."""
    levels = len(messages.levels)
    cells = np.empty((which.size, levels), np.int64)
    after = np.full(which.size, messages.count)
    column = np.full(which.size, levels - 1)
    for current in range(levels - 1, -1, -1):
        waiting = np.flatnonzero(column == current)
        if waiting.size == 0:
            continue
        at_once = max(_MATRIX_ELEMENTS // messages.intervals(current).size, 1)
        for first in range(0, waiting.size, at_once):
            rows = waiting[first : first + at_once]
            weights = _interval_weights(messages, current, which[rows], after[rows])
            if seen is not None and seen.trial in rows:
                chosen_from = weights[:, int(rows.searchsorted(seen.trial))]
                seen.draws.append(IntervalDraw(current, messages.intervals(current), chosen_from))
            intervals = messages.intervals(current)[choose(weights, entropy)]
            counts = choose(product(*messages.runs(current, intervals, which[rows])), entropy) + 1
            _fill(messages, cells, rows, current, intervals, counts, entropy)
            after[rows], column[rows] = intervals, current - counts
    return cells


def _interval_weights(messages: Messages, column: int, which: Integers, after: Integers) -> Wide:
    """Return weights (intervals, rows) of the interval of a run that ends with this level, given that after it."""
    intervals, least = messages.intervals(column), 1
    if column == len(messages.levels) - 1:  # after it comes the end of the data, whose interval may be its own
        nearest, farthest, least = messages.count, messages.count, 0
    else:
        nearest, farthest = int(messages.lows[column + 1]), int(messages.highs[column + 1])
    first = max(nearest - int(intervals[-1]), 0)
    table = messages.kernel(column + 1, first, farthest - int(intervals[0]) - first + 1, least)
    places = which * table.mantissa.shape[1] + np.maximum(after - intervals[:, None] - first, 0)
    ends = messages.ends[column][which if len(messages.totals) > 1 else slice(None)]
    return product(Wide(ends.mantissa.T, ends.exponent.T), table.take(places))


def _fill(
    messages: Messages,
    cells: Integers,
    rows: Integers,
    column: int,
    intervals: Integers,
    counts: Integers,
    entropy: Entropy,
) -> None:
    """The cells of runs of `counts` levels that end with this level."""
    edges = messages.edge(intervals)
    lengths = messages.edge(intervals + 1) - edges
    for count in sorted(set(counts.tolist())):
        same = counts == count
        inside = multisets(lengths[same], count, entropy)
        cells[rows[same], column - count + 1 : column + 1] = edges[same, None] + 1 + inside


def multisets(lengths: Integers, count: int, entropy: Entropy) -> Integers:
    """Uniform non-decreasing choices of `count` places among 0..length-1, (lengths, count), by stars and bars.

    A uniform subset of 0..length+count-2 (Floyd's algorithm), sorted, minus 0..count-1.
    """
    subset = np.empty((lengths.size, count), np.int64)
    for position in range(count):
        place = entropy.below(lengths + position)
        taken = (subset[:, :position] == place[:, None]).any(axis=1)
        subset[:, position] = np.where(taken, lengths + position - 1, place)
    subset.sort(axis=1)
    return subset - np.arange(count)


def choose(weights: Wide, entropy: Entropy) -> Integers:
    """One option for each column of weights (options, columns), with probabilities proportional to them."""
    if isinstance(entropy, ExactEntropy):
        return np.array([_choose_exact(weights[:, column], entropy) for column in range(weights.mantissa.shape[1])])
    assert isinstance(entropy, FastEntropy), "there are two samplers"
    sums = np.cumsum(scaled(weights, weights.exponent.max(axis=0)), axis=0)
    return entropy.choice(sums.T)


def _choose_exact(weights: Wide, entropy: ExactEntropy) -> int:
    """An option with probability exactly proportional to mantissa * 2^exponent.

    Proposed with integers e >= weight * 2^s, made by exact scaling and rounding up, their sum below 2^62; accepted
    with probability weight * 2^s / e.
    """
    shift = 61 - weights.mantissa.size.bit_length() - int(weights.exponent.max())
    raised = np.ldexp(weights.mantissa, np.maximum(weights.exponent + shift, -2000).astype(np.int32))
    envelope = np.maximum(np.ceil(raised), weights.mantissa > 0).astype(np.int64)
    sums = np.cumsum(envelope).tolist()

    def attempt(entropy: ExactEntropy) -> int | None:
        option = entropy.choice(sums)
        numerator, denominator = float(weights.mantissa[option]).as_integer_ratio()
        exponent = int(weights.exponent[option]) + shift
        if exponent >= 0:
            numerator <<= exponent
        else:
            denominator <<= -exponent
        return option if entropy.bernoulli(numerator, int(envelope[option]) * denominator) else None

    return entropy.accepted(attempt)


def _shares(recursion: Recursion) -> tuple[int, int]:
    """In one unit the weight of all tuples in the window, and of the envelope over all tuples there are."""
    mantissa, exponent = recursion.total
    levels = len(recursion.levels)
    envelope = ceil(outside_exponent(recursion)) - levels * recursion.cell_bits
    inside, outside = int(ldexp(mantissa, 53)), comb(recursion.grid + levels - 1, levels)
    interval = envelope - (exponent - 53)
    return (inside, outside << interval) if interval >= 0 else (inside << -interval, outside)


def _leaves(inside: int, outside: int, entropy: Entropy) -> bool:
    """Whether a tuple outside the window is proposed: the share of the envelope in all weight."""
    if isinstance(entropy, ExactEntropy):
        return not entropy.bernoulli(inside, inside + outside)
    assert isinstance(entropy, FastEntropy), "there are two samplers"
    return bool(entropy.bernoulli(np.array([outside / (inside + outside)]))[0])


def _accepts(recursion: Recursion, proposed: Integers, entropy: Entropy) -> bool:
    """Whether a proposed tuple lies outside the window, and passes with its weight in the envelope."""
    intervals = np.asarray(recursion.cells.searchsorted(proposed), dtype=np.int64)
    if in_window(intervals, recursion.lows, recursion.highs):
        return False
    distance = distance_of(intervals.tolist(), recursion.levels, recursion.count)
    rate = Fraction(recursion.rate, 2**RATE_BITS)
    excess = ceil(outside_exponent(recursion)) - rate * (recursion.count - distance)
    assert excess >= 0, "a level outside the window is off by more than its width, before it and after it"
    mantissa, exponent = power(-excess)
    if isinstance(entropy, ExactEntropy):
        return entropy.bernoulli(int(ldexp(mantissa, 53)), 1 << (53 - exponent))
    assert isinstance(entropy, FastEntropy), "there are two samplers"
    return bool(entropy.bernoulli(np.array([ldexp(mantissa, exponent)]))[0])
