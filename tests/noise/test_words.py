"""Integer noise from given words, decided as the formula says: right beside every threshold, so that no draw is left.

A word w is a uniform number w / 2^62. The thresholds are computed here by `mpmath`, not by the code's own floors.
"""

from collections.abc import Callable
from fractions import Fraction
from math import isqrt

import numpy as np
import pytest
from mpmath import mp, mpf

from dpq_core.arrays import Integers
from dpq_core.noise import integer_noise
from dpq_core.noise.exact import ExactEntropy

SCALES = [Fraction(1, 3), Fraction(2), Fraction(37, 5)]
TOP = 1 << 62


def threshold(exponent: Fraction) -> int:
    """floor(2^62 exp(-exponent))."""
    mp.dps = 60
    return int(mp.floor(TOP * mp.exp(-mpf(exponent.numerator) / exponent.denominator)))


@pytest.fixture
def words(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Set the words that are drawn, call by call; each call is given as many as it asks for, the last one repeated."""

    def given(*calls: list[int]) -> None:
        left = list(calls)

        def taken(count: int) -> Integers:
            own = left.pop(0)
            return np.array((own + own[-1:] * count)[:count], np.int64)

        monkeypatch.setattr(integer_noise, "_words", taken)

    return given


@pytest.mark.parametrize("scale", SCALES)
def test_laplace_noise_counts_the_thresholds_above_two_words(scale, words):
    """Each word gives the number of k >= 1 with w < 2^62 exp(-k / scale); the noise is the difference."""
    for first in (1, 2, 5):
        for second in (1, 3):
            near = [threshold(k / scale) for k in (first, second)]
            for aside, other in ((-1, 1), (1, -1)):
                words([near[0] + aside, near[1] + other])
                counts = [k if side < 0 else k - 1 for k, side in ((first, aside), (second, other))]
                assert ExactEntropy().discrete_laplace(scale, (1,)).tolist() == [counts[0] - counts[1]]


@pytest.mark.parametrize("value", [1, 5, 15])
def test_wide_laplace_noise_keeps_low_bits_with_their_own_chance(value, words):
    """Scale 1000: 16 times a count of scale 1000 / 16, and four low bits that are kept with chance exp(-k / scale)."""
    scale, above = Fraction(1000), [threshold(Fraction(16, 1000)) + 1]
    kept = threshold(value / scale)
    for coin, low in ((kept - 1, value), (kept + 1, 3)):
        words(above, [value, 3, *[0] * 8], [coin, *[0] * 9])
        assert integer_noise._geometric(1 / scale, 1).tolist() == [low]


@pytest.mark.parametrize("sigma_squared", [Fraction(1, 5), Fraction(7, 2), Fraction(60)])
def test_gaussian_noise_keeps_laplace_noise_with_its_own_chance(sigma_squared, words):
    """Proposals y of scale t = floor(sigma) + 1, kept where w < 2^62 exp(-(|y| - sigma^2 / t)^2 / (2 sigma^2))."""
    t = isqrt(int(sigma_squared)) + 1
    for value in (1, 2, 4):
        kept = threshold((value - sigma_squared / t) ** 2 / (2 * sigma_squared))
        proposals = [threshold(Fraction(value, t)) - 1] + [TOP - 1] * 17  # the first is `value`, all others are 0
        for sign, drawn in ((1, proposals), (-1, [TOP - 1] * 9 + proposals[:1] + [TOP - 1] * 8)):
            words(drawn, [kept - 1, 0])
            assert ExactEntropy().discrete_gaussian(sigma_squared, (1,)).tolist() == [sign * value]
            words(drawn, [kept + 1, 0])
            assert ExactEntropy().discrete_gaussian(sigma_squared, (1,)).tolist() == [0]
