"""Find where a normal column lies, privately: the fullest of the bins of width sigma, as noisy counts show it.

Bins. Bin j holds the values from j sigma - R on, j = 0 .. K - 1 with K = floor(2 R / sigma) + 1; the outer two hold
all that lies beyond. A record's bin is a function of its own grid index, in exact fractions.

Claim (e1, delta), REPLACE_ONE. A replaced record takes 1 from one count and gives 1 to another, or changes nothing.
Noise is discrete Laplace of scale s = 2 / e1, a = exp(-1 / s); the answer is the bin of the largest noisy count.

Few bins: all of them get noise. Each of the two counts loses 1 / s = e1 / 2: the claim holds with delta = 0.

Many bins: only those that hold a record get noise, and only noisy counts strictly above tau are kept; if there is
none, the answer is that there is none. Let the record move from bin x to bin y, and let O be a set of kept tables.
- Neither bin is empty in either column: the case above, since an empty bin is never shown by either.
- y was empty: it is shown with the probability P(1 + N > tau) = P(N >= tau) = a^tau / (1 + a), which is at most delta
  by the choice of tau; else it is hidden, as in the old column. If x still holds a record, its count loses e1 / 2. So
  P(new in O) <= e^(e1/2) P(old in O) + delta, and P(old in O) <= e^(e1/2) P(new in O) / (1 - delta).
- y was empty and x becomes so: P(old in O) <= P(the rest in O) + delta and
  P(new in O) >= (1 - delta) P(the rest in O), and the same with old and new exchanged.
All of it is within (e1, delta) if 1 / (1 - delta) <= e^(e1/2), which is required; which bins are noised is decided
by K, epsilon and delta alone. (Stability-based histograms: Korolova et al. 2009; Bun, Nissim & Stemmer 2016.)

Loss of both steps, for audits. A step's loss is a table of atoms (p, p'): outcomes whose probabilities under two
neighbouring columns have one ratio, taken together. Independent tables multiply; epsilon is the largest |log(p / p')|,
and delta at an epsilon the sum of max(0, p - e^epsilon p'), the worse of both directions. Nothing is sampled.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from math import ceil, exp, log, sqrt

import numpy as np

from ...arrays import Floats, Integers
from ...column import Column
from ...domain.domain import Domain
from ...errors import Infeasible, Name, Remedy
from ...noise.entropy import Entropy
from ...noise.integer_noise import exp_floor
from ...privacy.conversions import round_up
from ..base import USUAL_DELTA
from ..counts.noise import Noise, delta_at, laplace_for_epsilon

SMALL_DELTAS = (USUAL_DELTA, 1e-9, 1e-12, 1e-15)
"""To choose from where the requested one is too large."""
MOST_NOISED = 2**16
"""With more bins than this, only those that hold a record get noise."""
NONE = -1
"""No bin was chosen."""
_MOST_BITS = 1280
"""No delta is below 2^-1074."""
_LEAST_SHARE = 0.3413
"""Of a normal distribution, in the bin of width sigma that holds its mean: at least P(0 < Z < 1)."""


@dataclass(frozen=True, kw_only=True)
class RangeRule:
    """How the range is found; public."""

    sigma: Fraction
    bound: Fraction
    """The mean lies between -bound and bound."""
    beta: float
    noise: Noise
    threshold: int | None
    """tau; None where all bins get noise."""

    @property
    def bins(self) -> int:
        """Return K, the number of bins."""
        return int(2 * self.bound / self.sigma) + 1

    def times(self, factor: Fraction) -> RangeRule:
        """Return the rule with the noise multiplied by a factor, and the threshold as it was."""
        return replace(self, noise=self.noise.times(factor))

    def half_width(self, n: int) -> Fraction:
        """Return how far from the middle of a bin with a record all n may lie: sigma (1/2 + 2 sqrt(2 ln(2 n / beta))).

        Each record is within sigma sqrt(2 ln(2 n / beta)) of the mean, all of them with probability 1 - beta.
        """
        return self.sigma * (Fraction(1, 2) + Fraction(2 * sqrt(2 * log(2 * max(n, 1) / self.beta))))

    def interval(self, bin_index: int, n: int, domain: Domain) -> tuple[int, int]:
        """Return the first and last grid index around a bin; around the whole range where there is none."""
        middle, half_width = (2 * bin_index + 1) * self.sigma / 2 - self.bound, self.half_width(n)
        if bin_index == NONE:
            middle, half_width = Fraction(0), self.bound + half_width
        ends = (middle - half_width, middle + half_width)
        low, high = (min(domain.first_at_least(end), domain.cells - 1) for end in ends)
        return low, high

    def enough_records(self) -> int:
        """Return from how many records on the fullest bin stands out with probability 1 - 2 beta.

        By Hoeffding's bound on its count and the tails of the noise; a public number.
        """
        tail = float(self.noise.size) * log(2 / self.beta)
        others = float(self.noise.size) * log(2 * self.bins / self.beta) if self.threshold is None else self.threshold
        deviation = sqrt(log(2 / self.beta) / 2)
        root = (deviation + sqrt(deviation**2 + 4 * _LEAST_SHARE * (tail + others))) / (2 * _LEAST_SHARE)
        return ceil(root**2)


def rule_for(sigma: Fraction, bound: Fraction, beta: float, epsilon: Fraction, delta: float | None) -> RangeRule:
    """Return the rule for a budget e1 = `epsilon` and a delta, if there is one. Raises Infeasible."""
    noise = laplace_for_epsilon(epsilon, 2)  # s = 2 / e1: two counts change
    rule = RangeRule(sigma=sigma, bound=bound, beta=beta, noise=noise, threshold=None)
    if rule.bins <= MOST_NOISED:
        return rule
    closer = float(f"{float(sigma * (MOST_NOISED - 1) / 2):.6g}")
    widest = (Name("mean_bound"), f" of at most {closer:.6g}")
    if delta is None:
        raise Infeasible(
            "mean_bound",
            (
                "must be closer for so small a ",
                Name("sigma"),
                " and a pure budget: a ",
                *widest,
                " would do, or a delta.",
            ),
            (Remedy("delta", USUAL_DELTA), Remedy("mean_bound", closer)),
        )
    if not _hides(epsilon / 2, Fraction(delta)):
        smaller = [Remedy("delta", each) for each in SMALL_DELTAS if _hides(epsilon / 2, Fraction(each))][:1]
        raise Infeasible(
            "privacy",
            (
                "must have 1 / (1 - delta) <= e^(epsilon / 4) where the mean may lie in so wide a range: a smaller "
                "delta would do, a larger epsilon, or a ",
                *widest,
                ".",
            ),
            (*smaller, Remedy("mean_bound", closer)),
        )
    return replace(rule, threshold=_threshold(noise.size, Fraction(delta)))


def shown_chance(scale: Fraction, threshold: int) -> Fraction:
    """Return P(N >= threshold) = a^threshold / (1 + a), rounded up: that a bin of one record is shown."""
    bits = min(128 + ceil(threshold / scale * 3 / 2), _MOST_BITS)  # log2(e) < 3 / 2
    above = exp_floor(threshold / scale, bits) + 1
    return Fraction(above, (1 << bits) + exp_floor(1 / scale, bits))


def fullest_bins(column: Column, rule: RangeRule, entropy: Entropy) -> Integers:
    """Return the chosen bin of every trial, or NONE, shape (entropy.trials,). O(bins that hold a record)."""
    which, counts = occupied_bins(column, rule)
    if rule.threshold is None:
        exact = np.zeros(rule.bins, np.int64)
        exact[which] = counts
        noisy = exact + rule.noise.draw((entropy.trials, rule.bins), entropy)
        return np.asarray(np.argmax(noisy, axis=1), dtype=np.int64)
    if not counts.size:
        return np.full(entropy.trials, NONE, np.int64)
    noisy = counts + rule.noise.draw((entropy.trials, counts.size), entropy)
    return np.where(noisy.max(axis=1) > rule.threshold, which[np.argmax(noisy, axis=1)], np.int64(NONE))


def occupied_bins(column: Column, rule: RangeRule) -> tuple[Integers, Integers]:
    """Return the bins that hold a record, increasing, and how many each holds; found by jumps of O(log n)."""
    domain, last, start = column.domain, rule.bins - 1, 0
    which, counts = list[int](), list[int]()
    while start < column.n:
        cell = int(column.places.cells_of(column.records[np.array([start])])[0])
        held = min(max(int((domain.exact_value(cell) + rule.bound) // rule.sigma), 0), last)
        next_cell = domain.first_at_least((held + 1) * rule.sigma - rule.bound)
        end = column.n
        if held < last and next_cell < domain.cells:
            end = int(column.count_below(np.array([next_cell]))[0])
        which.append(held)
        counts.append(end - start)
        start = end
    return np.array(which, np.int64), np.array(counts, np.int64)


def _threshold(scale: Fraction, delta: Fraction) -> int:
    """Return the smallest tau >= 1 for which `shown_chance` is at most delta: ceil(s ln(1 / (delta (1 + a))))."""
    most = 1
    while shown_chance(scale, most) > delta:
        most *= 2
    return bisect_left(range(most), True, most // 2 + 1, key=lambda tau: shown_chance(scale, tau) <= delta)


def _hides(exponent: Fraction, delta: Fraction) -> bool:
    """Return whether 1 / (1 - delta) <= e^exponent, decided on the safe side."""
    bits = 128
    return Fraction(exp_floor(exponent, bits) + 1, 1 << bits) <= 1 - delta


def spent_delta(rule: RangeRule, requested: float) -> float:
    """Return the delta that a rule really spends, rounded up; never above the requested one."""
    if rule.threshold is None:
        return 0.0
    exact = shown_chance(rule.noise.size, rule.threshold)
    return min(round_up(exact * (1 + Fraction(1, 2**40))), requested)  # room for the rounding of audits in floats


def two_stage_loss(a: Integers, b: Integers, rule: RangeRule, noise: Noise, epsilon: float) -> tuple[float, float, int]:
    """Return the largest epsilon and delta of two sorted columns that differ in one record, and how many counts differ.

    Over all bounds and steps of the grid; epsilon is infinite where an outcome is possible for one column only. Which
    other records share the bins of the old and the new one depends on bounds and step; their numbers run over those at
    which the distribution of a kept bin bends.
    """
    only_a, only_b = _only(a, b), _only(b, a)
    if only_a is None or only_b is None:
        return 0.0, 0.0, 0
    inside = [counted(noise), counted(noise)]
    losses = [_loss(reduce(_together, [*step, *inside]), epsilon) for step in _range_steps(a, only_a, only_b, rule)]
    return max(loss[0] for loss in losses), max(loss[1] for loss in losses), 4


def counted(noise: Noise) -> Floats:
    """Return atoms (2, atoms) of one noisy count that differs by 1: a coin that is true with the odds e^(1/s)."""
    truth = 1 / (1 + exp(-1 / float(noise.size)))
    return np.array([[truth, 1 - truth], [1 - truth, truth]])


def reported_bin(before: int, after: int, noise: Noise, threshold: int) -> Floats:
    """Return atoms (2, atoms) of one bin that is shown if it holds a record and its noisy count is above the threshold.

    Hidden; shown with a noisy count up to the smaller, or from the larger true count on.
    """
    middle = max(min(before, after), threshold)
    rows = []
    for count in (before, after):
        shown = tail(threshold + 1 - count, noise) if count else 0.0
        high = tail(middle + 1 - count, noise) if count else 0.0
        hidden = tail(count - threshold, noise) if count else 1.0
        rows.append([hidden, shown - high, high])
    return np.array(rows)


def tail(least: int, noise: Noise) -> float:
    """Return P(N >= least) for discrete Laplace noise."""
    rate = 1 / float(noise.size)
    below = exp(-rate * (1 - least)) / (1 + exp(-rate)) if least <= 0 else 0.0
    return 1 - below if least <= 0 else exp(-rate * least) / (1 + exp(-rate))


def _range_steps(a: Integers, only_a: int, only_b: int, rule: RangeRule) -> Iterator[list[Floats]]:
    """Yield the two counts that differ in the first step, for every number of others that may share their bins."""
    if rule.threshold is None:
        yield [counted(rule.noise), counted(rule.noise)]
        return
    others = a.size - 1
    with_old, with_new = int((a == only_a).sum()) - 1, int((a == only_b).sum())
    bends = [0, 1, 2, rule.threshold - 1, rule.threshold, rule.threshold + 1, others]
    for old in {min(max(count, with_old), others - with_new) for count in bends}:
        for new in {min(max(count, with_new), others - old) for count in bends}:
            yield [
                reported_bin(old + 1, old, rule.noise, rule.threshold),
                reported_bin(new, new + 1, rule.noise, rule.threshold),
            ]


def _only(a: Integers, b: Integers) -> int | None:
    """Return the record of `a` that `b` lacks, of two columns that differ in one; None where they are equal."""
    values, counts = np.unique(np.concatenate([a, b]), return_counts=True)
    lacking = [int(x) for x in values[counts % 2 == 1] if (a == x).sum() > (b == x).sum()]
    return lacking[0] if lacking else None


def _together(first: Floats, second: Floats) -> Floats:
    return np.asarray((first[:, :, None] * second[:, None, :]).reshape(2, -1), dtype=np.float64)


def _loss(atoms: Floats, epsilon: float) -> tuple[float, float]:
    possible = atoms[:, atoms.max(axis=0) > 0]
    with np.errstate(divide="ignore"):
        ratios = np.subtract(*np.log(possible))
    ways = zip((ratios, -ratios), possible, strict=True)
    return float(np.abs(ratios).max()), max(delta_at(epsilon, *way) for way in ways)
