"""The exact composition of several exponential mechanisms chosen beforehand (Dong, Durfee & Rogers, ICML 2020).

Theorem (non-adaptive, homogeneous). m mechanisms, each e-bounded-range, are (epsilon, delta)-DP together, with
    delta = max over l = 0..m of  sum_i C(m, i) p^(m-i) (1-p)^i [exp(m t - i e) - exp(epsilon)]_+,
    t = clip((epsilon + (l + 1) e) / (m + 1), 0, e),   p = (exp(-t) - exp(-e)) / (1 - exp(-e)).

The positive terms are those with i below a bound, and each half of the sum is a binomial distribution function:
weighing the terms by exp(m t - i e) gives again a binomial, of failure probability (1 - exp(t - e)) / (1 - exp(-e)),
since p + (1 - p) exp(-e) = exp(-t). So delta costs O(m) evaluations of a function that loses no digits in its tail.

Only for mechanisms that do not depend on each other's answers: never for a recursion.

Error. The rank errors of independent draws that share a budget are bounded as in [KSS].

[KSS]    Kaplan, Schnapp, Stemmer, "Differentially Private Approximate Quantiles", ICML 2022.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import sqrt
from typing import Self

import numpy as np

from ...privacy.budgets import ZCDP, ApproxDP, Privacy, PureDP
from ..base import Bound, Parameters
from ..exponential.distribution import Target, error_of_one_draw


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
