"""Integer noise on counts that a neighbour changes by one: the size that a budget needs, and its exact loss.

Between neighbours some counts change by 1 in either direction, `changed` of them; all noises are independent.

Laplace. Let e = 1 / scale. For one count log P(k) / P(k - 1) is e for k <= 0 and -e otherwise, and P(k <= 0) =
1 / (1 + exp(-e)): the pair is a coin that tells the truth with the odds exp(e) (randomised response). Hence exactly
epsilon = changed * e; the privacy loss is (2 J - changed) e with J binomial, which gives delta; and
rho = changed * e * tanh(e / 2), which lies below the e^2 / 2 of any pure mechanism.
Proof. (a - 1) D_a = log cosh((a - 1/2) e) - log cosh(e / 2), and log cosh(sqrt(s)) is concave in s, since its
derivative tanh(sqrt(s)) / (2 sqrt(s)) decreases; so D_a <= a e tanh(e / 2), and both sides meet as a falls to 1.

Gaussian. A shift by 1 is 1 / (2 sigma^2)-zCDP (Canonne, Kamath & Steinke 2020, Theorem 4), exactly, and no epsilon
without a delta holds.

Shares. Where a person's rows weigh 1 together, in whole units of 1 / unit, counts and noise are in units: scale and
sigma are `unit` times as large. On every level of a tree the person changes counts by masses w_i that sum to 1 (a
replaced one: two such sets of masses). Laplace: |w_i| e each, e in all, as one whole count; a pair with pure loss x is
no worse than the coin with odds exp(x) (Kairouz, Oh & Viswanath 2015), so rho is at most the sum of f(w_i e) with f(x)
= x tanh(x / 2), and f(x) / x increases, so that is at most f(e). Gaussian: the sum of w_i^2, at most 1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb, erfc, exp, expm1, inf, sqrt, tanh
from typing import Literal, TypeAlias

import numpy as np

from ...arrays import Floats, Integers
from ...errors import ParameterError
from ...noise.entropy import Entropy
from ...noise.integer_noise import LARGEST_SCALE, Size
from ...privacy.budgets import Guarantee
from ..base import Loss, Parameters

NoiseKind: TypeAlias = Literal["laplace", "gaussian"]

_ROUNDING = 2.0**-45
"""Far above the rounding of the few float operations that it covers."""
_SPACING = 1e-5
"""Between losses of shares that differ."""
_NORMAL_ENOUGH = 16
"""From this variance on a sum of discrete Gaussians is one up to e^-150 (Canonne, Kamath & Steinke 2020, section 4)."""


@dataclass(frozen=True)
class Noise:
    """The distribution of the noise on every count; `size` is the scale of Laplace, the sigma^2 of Gaussian noise."""

    kind: NoiseKind
    size: Size

    def times(self, factor: Fraction) -> Noise:
        """Return the noise with its standard deviation multiplied by a factor."""
        return replace(self, size=Size(self.size * (factor if self.kind == "laplace" else factor**2)))

    def draw(self, shape: tuple[int, ...], entropy: Entropy, unit: int = 1) -> Integers:
        """Return independent noise of this shape, for counts in which a record, or a person, counts `unit`."""
        size = self.size if unit == 1 else self.times(Fraction(unit)).size
        return (entropy.discrete_laplace if self.kind == "laplace" else entropy.discrete_gaussian)(size, shape)

    @property
    def variance(self) -> float:
        """Return the variance of one draw; for Gaussian noise a bound that is close from sigma = 1 on."""
        if self.kind == "gaussian":
            return float(self.size)
        stays = exp(-1 / self.size)
        return 2 * stays / expm1(-1 / self.size) ** 2

    def epsilon(self, changed: int) -> Fraction | None:
        """Return the exact pure loss, or None where there is none."""
        if self.kind == "gaussian" and changed:
            return None
        return changed / self.size

    def rho(self, changed: int) -> float:
        """Return the exact concentrated loss, rounded up."""
        if self.kind == "gaussian":
            exact = changed / (2 * self.size)
            return float(exact) * (1 + _ROUNDING) if Fraction(float(exact)) < exact else float(exact)
        return changed * _laplace_rho(float(1 / self.size)) * (1 + _ROUNDING)

    def delta(self, changed: int, epsilon: float) -> float:
        """Return the exact delta at an epsilon."""
        return delta_at(epsilon, *(self._laplace_losses if self.kind == "laplace" else self._gaussian_losses)(changed))

    def _laplace_losses(self, changed: int) -> tuple[Floats, Floats]:
        truth = 1 / (1 + exp(-1 / self.size))
        true_coins = range(changed + 1)
        losses = [(2 * times - changed) * float(1 / self.size) for times in true_coins]
        chances = [comb(changed, times) * truth**times * (1 - truth) ** (changed - times) for times in true_coins]
        return np.array(losses), np.array(chances)

    def _gaussian_losses(self, changed: int) -> tuple[Floats, Floats]:
        if changed == 0:
            return np.zeros(1), np.ones(1)
        if self.size >= _NORMAL_ENOUGH:
            chances = _gaussian_law(float(self.size) * changed)
        else:
            chances = np.ones(1)
            for _ in range(changed):
                chances = np.convolve(chances, _gaussian_law(float(self.size)))
        sums = np.arange(chances.size) - chances.size // 2
        return (changed - 2 * sums) / (2 * float(self.size)), chances


def delta_at(epsilon: float, losses: Floats, chances: Floats, rounding: float = 1e-12) -> float:
    """Return the delta at an epsilon of outcomes with these log ratios; differences within rounding are none."""
    above = losses > epsilon + rounding
    return float(np.sum(chances[above] * -np.expm1(epsilon - losses[above])))


@dataclass(frozen=True, kw_only=True)
class NoisyCounts(Parameters):
    """Parameters of a mechanism that reads its answers off counts, with this noise on each of them."""

    noise: Noise

    def refused_in_units(self, unit: int) -> ParameterError | None:
        """Return why the noise does not fit into integers where a person counts this many units; None where it does."""
        largest = LARGEST_SCALE // unit
        if self.noise.size <= (largest if self.noise.kind == "laplace" else largest**2):
            return None
        return ParameterError("privacy", "must be larger for shares of persons: its noise would not fit.")

    def with_rates_times(self, factor: Fraction) -> Parameters:
        """Return the same counts with noise divided by the factor under the same guarantee: for audits."""
        return replace(self, noise=self.noise.times(1 / Fraction(factor)))


def laplace_for_epsilon(epsilon: Fraction, changed: int) -> Noise:
    """Return the least Laplace noise with the pure loss `epsilon`: scale changed / epsilon (Dwork et al. 2006)."""
    return Noise("laplace", Size(changed / epsilon))


def laplace_for_rho(rho: Fraction, changed: int) -> Noise:
    """Return the least Laplace noise, up to 2^-40 of itself, with the concentrated loss `rho`."""
    each = float(rho / changed)
    low, high = sqrt(2 * each), 2 * (sqrt(2 * each) + each)  # x^2 / 2 >= x tanh(x / 2)
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if _laplace_rho(middle) <= each else (low, middle)
    rate = Fraction(low) * (1 - Fraction(1, 2**40))
    return Noise("laplace", Size(1 / rate))


def gaussian_for_rho(rho: Fraction, changed: int) -> Noise:
    """Return the least Gaussian noise with the concentrated loss `rho`: sigma^2 = changed / (2 rho)."""
    return Noise("gaussian", Size(changed / (2 * rho)))


def loss_of_counts(noise: Noise, changed: int, guarantee: Guarantee, of: str) -> Loss:
    """Return the exact loss of a pair of neighbours that differ in this many noisy counts, each by one."""
    epsilon = noise.epsilon(changed)
    differ = (
        f"1 count of the {of} differs by one, and has noise of its own"
        if changed == 1
        else f"{changed} counts of the {of} differ, each by one, and have independent noise"
    )
    return Loss(
        epsilon=inf if epsilon is None else float(epsilon),
        delta=noise.delta(changed, guarantee.epsilon),
        rho=noise.rho(changed),
        lemma=f"{differ}; the answers follow from the noisy counts alone.",
    )


def loss_of_shares(noise: Noise, masses: Floats, guarantee: Guarantee, of: str) -> Loss:
    """Return the loss of a pair of neighbours in which some noisy counts differ by masses in [0, 1] of a person.

    Exact for epsilon and for Gaussian noise; else what the coins of the module's claim lose, which is no less.
    """
    masses = masses[masses > 0]
    if noise.kind == "laplace":
        rates = masses * float(1 / noise.size)
        rho = float((rates * np.tanh(rates / 2)).sum())
        epsilon, delta = float(rates.sum()), _delta_of_coins(rates, guarantee.epsilon)
    else:
        square = float((masses**2).sum() / noise.size)
        rho, epsilon, delta = square / 2, inf if square else 0.0, _delta_of_normal(sqrt(square), guarantee.epsilon)
    return Loss(
        epsilon=epsilon,
        delta=delta,
        rho=rho * (1 + _ROUNDING),
        lemma=f"{masses.size} counts of the {of} differ, by parts of one person that add up to one on each level, and "
        "have independent noise; the answers follow from the noisy counts alone.",
    )


def _delta_of_coins(rates: Floats, epsilon: float) -> float:
    """Return the delta at an epsilon of coins that are right with the odds exp(rate); losses rounded up."""
    losses: Floats = np.zeros(1)
    chances: Floats = np.ones(1)
    for rate in rates.tolist():
        places = np.ceil(np.concatenate([losses - rate, losses + rate]) / _SPACING - 1e-6).astype(np.int64)
        weights = np.concatenate([chances / (1 + exp(rate)), chances / (1 + exp(-rate))])
        first = int(places.min())
        chances = np.asarray(np.bincount(places - first, weights), dtype=np.float64)
        losses = np.asarray((first + np.arange(chances.size)) * _SPACING, dtype=np.float64)
    return delta_at(epsilon, losses, chances, _SPACING * rates.size)


def _delta_of_normal(shift: float, epsilon: float) -> float:
    """Return the delta at an epsilon of a normal number of deviation 1, moved (Balle & Wang 2018, Theorem 8)."""
    if shift == 0:
        return 0.0
    below, above = (erfc((epsilon / shift + side * shift / 2) / sqrt(2)) / 2 for side in (-1, 1))
    return max(below - exp(epsilon) * above, 0.0)


def _laplace_rho(rate: float) -> float:
    return rate * tanh(rate / 2)


def _gaussian_law(sigma_squared: float) -> Floats:
    """Return P(-reach .. reach), to float precision."""
    farthest = int(12 * sqrt(sigma_squared)) + 3
    weights = np.exp(-(np.arange(-farthest, farthest + 1) ** 2) / (2 * sigma_squared))
    return np.asarray(weights / weights.sum(), dtype=np.float64)
