"""IndExp: every quantile by an exponential mechanism of its own, over all records; the answers are sorted.

Idea. The simplest way: each level is drawn for itself (Smith 2011). All m draws read every record, so the budget is
divided by m, or by about sqrt(m) where a small delta or a concentrated budget is allowed.

Source. The baseline of Gillenwater, Joseph & Kulesza, "Differentially Private Quantiles", ICML 2021; composition by
Dong, Durfee & Rogers, ICML 2020. With one level this is DPExpFull of Alabi, Ben-Eliezer & Chaturvedi 2022.

Claim. ADD_REMOVE: score |#{x < w} - q n| without rounding has sensitivity max(q, 1 - q). REPLACE_ONE: n is public, the
target floor(q n) is fixed, sensitivity 1. Either way a draw is e-bounded-range with e = 2 * sensitivity * rate, and
with e = rate for the levels 0 and 1, whose scores move one way for all answers (`exponential.sampling` proves it).

Paper says / we do / why: see NOTES, which the app shows.

Theorem (Dong et al., non-adaptive, homogeneous). m mechanisms, each e-bounded-range, are (epsilon, delta)-DP together,
with
    delta = max over l = 0..m of  sum_i C(m, i) p^(m-i) (1-p)^i [exp(m t - i e) - exp(epsilon)]_+,
    t = clip((epsilon + (l + 1) e) / (m + 1), 0, e),   p = (exp(-t) - exp(-e)) / (1 - exp(-e)).

The positive terms are those with i below a bound, and each half of the sum is a binomial distribution function:
weighing the terms by exp(m t - i e) gives again a binomial, of failure probability (1 - exp(t - e)) / (1 - exp(-e)),
since p + (1 - p) exp(-e) = exp(-t). So delta costs O(m) evaluations of a function that loses no digits in its tail.

Only for mechanisms that do not depend on each other's answers: never for a recursion. Errors of draws that share a
budget are bounded as by Kaplan, Schnapp, Stemmer, "Differentially Private Approximate Quantiles", ICML 2022 [KSS].
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import permutations
from math import factorial, prod, sqrt
from typing import Self

import numpy as np

from ...arrays import Floats, Integers, SortedCells
from ...column import Column
from ...noise.entropy import Entropy
from ...plan import Plan
from ...privacy.budgets import ZCDP, Adjacency, ApproxDP, Guarantee, Privacy, PureDP
from ...privacy.conversions import bounded_range_rho, largest_epsilon, round_up
from ..base import (
    EVERY_BUDGET,
    Bound,
    DrawStep,
    Law,
    Option,
    Parameters,
    Profile,
    TimeCost,
    distinct_levels,
    options_of,
)
from ..exponential.density import distribution_pieces, log_density
from ..exponential.distribution import Ranges, Target, error_of_one_draw, range_of_draw, rounded_rate
from ..exponential.sampling import draw


@dataclass(frozen=True, kw_only=True)
class SeparateDraws(Parameters):
    """Parameters of one draw for each level, none of which depends on another's answer."""

    target_levels: tuple[Target, ...]

    def with_rates_times(self, factor: Fraction) -> Self:
        """Return the same draws with other noise under the same guarantee: for audits of broken mechanisms."""
        return replace(self, target_levels=tuple(each.times(factor) for each in self.target_levels))


ROUNDING = 1e-12
"""Relative error allowed for a distribution function, and added to the computed delta: more than scipy's own."""


def composed_delta(count: int, each: float, epsilon: float) -> float:
    """Return the delta at `epsilon` of `count` mechanisms that are `each`-bounded-range; rounded up. Cost O(count)."""
    from scipy.special import betainc

    t = np.unique(np.clip((epsilon + (np.arange(count + 1) + 1) * each) / (count + 1), 0.0, each))
    last = np.minimum(np.ceil((count * t - epsilon) / each) - 1, count)
    counted = (last >= 0) & (t < each)
    t, last = t[counted], last[counted]
    # betainc(m - k, k + 1, p) = P(at most k of m succeed), p the probability of failure
    gain = betainc(count - last, last + 1, np.expm1(t - each) / np.expm1(-each))
    loss = betainc(count - last, last + 1, np.expm1(t - each) / np.expm1(-each) * np.exp(-t))
    with np.errstate(divide="ignore"):
        scaled_loss = np.exp(np.minimum(epsilon + np.log(loss), 0.0))
    rounding = ROUNDING + count * 2.0**-50 * (epsilon + each) / (each - t)
    return float(np.max(gain - scaled_loss + rounding * gain, initial=0.0))


@lru_cache(maxsize=256)
def largest_each(count: int, epsilon: float, delta: float) -> float:
    """Return the largest e, rounded down, for which `count` e-bounded-range mechanisms are (epsilon, delta)-DP.

    Never below epsilon / count, which plain addition allows. Cost O(count) for each of about 50 steps.
    """
    low = epsilon / count
    high = 2 * low
    while composed_delta(count, high, epsilon) <= delta:
        low, high = high, 2 * high
    for _ in range(50):
        middle = (low + high) / 2
        if composed_delta(count, middle, epsilon) <= delta:
            low = middle
        else:
            high = middle
    return low * (1 - 1e-12)


def epsilon_of_each(count: int, privacy: Privacy) -> float:
    """Return the printed epsilon of one of this many draws."""
    match privacy:
        case PureDP(epsilon):
            return epsilon / count
        case ZCDP(rho):
            return sqrt(8 * rho / count)
        case ApproxDP(epsilon, delta):
            return float(largest_each(count, epsilon, delta))


def one_by_one(levels: tuple[Fraction, ...], cells: int, privacy: Privacy, beta: float, threshold: int = 1) -> Bound:
    """Return the bound for each of m independent draws that share the budget, with beta / m.

    [KSS] Lemma A.1; from a sketch with a larger `threshold` than 1 what follows from it.
    """
    m = len(levels)
    error = error_of_one_draw(cells, epsilon_of_each(m, privacy), beta / m, threshold)
    return Bound(error, f"{'KSS, Lemma A.1' if threshold == 1 else 'after BSPACE, Theorem 4.11'}, for each level")


def log_sorted(outputs: Integers, logs: Floats) -> Floats:
    """Return log probabilities (outputs,) of sorted outputs (outputs, m): the sum over the orders of the draws.

    `logs[:, j, k]` is the log probability that draw j gives output k of its row. Cost m! for each output.
    """
    draws = range(outputs.shape[1])
    orders = [logs[:, draws, order].sum(axis=1) for order in permutations(draws)]
    repeats = [prod(factorial(times) for times in Counter(row).values()) for row in outputs.tolist()]
    return np.asarray(np.logaddexp.reduce(orders, axis=0) - np.log(repeats), dtype=np.float64)


KEY = "indexp"
LABEL = "One by one (IndExp)"
SUMMARY = (
    "Draws every quantile separately from all the data and sorts the answers. "
    "Each person is looked at once for every quantile, so the budget is shared by all of them. "
    "Good for one quantile or two; a baseline for more."
)
CLAIM = "Pure, approximate or concentrated privacy, for a person who joins or leaves and for one who is replaced."
REFERENCE = "Smith 2011; as a baseline in Gillenwater, Joseph, Kulesza: Differentially Private Quantiles. ICML 2021."
NOTES = (
    (
        "sensitivity 1 for every level",
        "target q n without rounding, sensitivity max(q, 1 - q) for a person who joins or leaves",
        "up to half the error at the median for the same privacy",
    ),
    (
        "the same rate for the levels 0 and 1",
        "twice the rate there: a person moves the scores of all answers one way, or not at all",
        "half the error of the smallest and the largest value for the same privacy",
    ),
    (
        "a published calculator for the composed budget",
        "the same theorem with distribution functions that lose no digits",
        "at about 1,100 quantiles the published one overflows and then accepts any budget",
    ),
)
SUPPORTS = EVERY_BUDGET
READS = Column
OPTIONS: tuple[Option, ...] = ()


@dataclass(frozen=True, kw_only=True)
class IndExpParameters(SeparateDraws):
    """One target for each level."""

    each: Fraction
    """The epsilon of one draw."""

    def as_if_distinct(self) -> IndExpParameters:
        """Return the same draws with scores of slots."""
        return replace(self, target_levels=tuple(replace(each, signed=False) for each in self.target_levels))

    @property
    def slowest_rate(self) -> float:
        """Return the rate of the draw with the most noise."""
        return min(float(each.rate) for each in self.target_levels)

    @property
    def standard_error(self) -> float:
        """Return the error of an answer: that of a point under a two-sided exponential, sqrt(2) / rate."""
        return sqrt(sum(2 / float(each.rate) ** 2 for each in self.target_levels) / len(self.target_levels))

    def bound(self, plan: Plan, cells: int, beta: float) -> Bound:
        """Return what the paper proves: the rates here are the printed ones, or higher."""
        return one_by_one(self.levels, cells, plan.privacy, beta)


def calibrate(plan: Plan, n_public: int | None) -> IndExpParameters:
    """Return one target for each distinct level with the guarantee of all; `n_public` is not used. O(m)."""
    options_of(plan, OPTIONS)
    levels, adjacency = distinct_levels(plan), plan.adjacency
    count = len(levels)
    delta = 0.0
    if isinstance(plan.privacy, PureDP):
        each = Fraction(plan.privacy.epsilon) / count
    elif isinstance(plan.privacy, ZCDP):
        each = largest_epsilon(Fraction(plan.privacy.rho) / count)
    else:
        delta = plan.privacy.delta
        each = Fraction(largest_each(count, plan.privacy.epsilon, delta))
    spent = plan.privacy.epsilon if isinstance(plan.privacy, ApproxDP) else round_up(each * count)
    rho = round_up(bounded_range_rho(each) * count)
    floored = adjacency is Adjacency.REPLACE_ONE
    target_levels = tuple(
        Target((level,), rounded_rate(each / range_of_draw(level, floored)), floored, signed=True) for level in levels
    )
    guarantee = Guarantee(epsilon=spent, delta=delta, rho=rho, adjacency=adjacency)
    return IndExpParameters(levels=levels, guarantee=guarantee, target_levels=target_levels, each=each)


def run(column: Column, parameters: IndExpParameters, entropy: Entropy) -> Integers:
    """Return the drawn slots, shape (entropy.trials, levels), sorted along levels."""
    return np.sort(_draw(column, parameters, entropy), axis=1)


def _draw(column: Column, parameters: IndExpParameters, entropy: Entropy) -> Integers:
    shape = entropy.trials, len(parameters.target_levels)
    parts = Ranges.whole(column.records.size, column.slots, shape, column.places)
    return draw(column.records, parts, parameters.target_levels, entropy)


def log_law(outputs: Integers, cells: SortedCells, parameters: IndExpParameters, grid: int) -> Floats:
    """Return log probabilities of sorted outputs (outputs, levels): the sum over the orders of the draws."""
    parts = Ranges.whole(cells.size, grid, outputs.shape)
    logs = [
        log_density(cells, parts, (target_level,) * outputs.shape[1], outputs)
        for target_level in parameters.target_levels
    ]
    return log_sorted(outputs, np.stack(logs, axis=1))


def trace(column: Column, parameters: IndExpParameters, entropy: Entropy, trial: int = 0) -> list[DrawStep]:
    """Return one run, level by level; values before sorting."""
    chosen = _draw(column, parameters, entropy)[trial]
    low_value, high_value = column.values_of(np.array([0, column.slots - 1]))
    return [
        DrawStep(
            level=level,
            depth=0,
            records=(0, column.n),
            bounds=(float(low_value), float(high_value)),
            target=float(target_level.ranks(column.n)[0]),
            value=float(value),
            epsilon=float(parameters.each),
            distribution=distribution_pieces(column, (0, column.n), 0, column.slots - 1, target_level),
        )
        for level, target_level, value in zip(
            parameters.levels, parameters.target_levels, column.values_of(chosen), strict=True
        )
    ]


AUDIT = Law(log_law)
PROFILE = Profile(
    colour="#8390a3",
    symbol="square",
    reads_shares=True,
    interpolates=True,
    cost=TimeCost(2e-3, trial_and_level=3e-6),
)
