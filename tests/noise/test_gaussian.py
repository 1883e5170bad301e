"""Exact integer noise: the discrete Gaussian in both samplers, and the words and tables that both exact laws share."""

import secrets
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache

import numpy as np
import pytest

from dpq_core.noise import integer_noise
from dpq_core.noise.exact import ExactEntropy
from dpq_core.noise.fast import MOST_TABLED, SeededSampler
from tests.noise.powerful import has_its_law_and_no_other, p_of_shape

VARIANCES = [Fraction(4), Fraction(7, 3), Fraction(1, 2), Fraction(30.1), Fraction(900)]


@pytest.mark.statistical
@pytest.mark.parametrize("entropy", [ExactEntropy(), SeededSampler(1)], ids=["exact", "fast"])
@pytest.mark.parametrize("sigma_squared", VARIANCES)
def test_discrete_gaussian_has_its_law_and_no_other(entropy, sigma_squared):
    assert has_its_law_and_no_other(entropy, "gaussian", sigma_squared)


@pytest.mark.parametrize("entropy", [ExactEntropy(), SeededSampler(1)], ids=["exact", "fast"])
def test_extreme_widths_keep_their_variance(entropy):
    assert not entropy.discrete_gaussian(Fraction(1, 10**9), (100,)).any()
    wide = entropy.discrete_gaussian(Fraction(10**14), (500,)) / 1e7
    assert 0.72 < wide.std() < 1.28  # nine standard errors
    assert abs(wide.mean()) < 0.4
    assert MOST_TABLED < 10**14


@pytest.mark.slow(keep=("scale2", "scale0"))
@pytest.mark.statistical
@pytest.mark.parametrize("scale", [Fraction(2), Fraction(7, 3), Fraction(1, 2)])
def test_short_words_read_on_and_keep_the_law(monkeypatch, scale):
    """With words of 3 bits nearly every draw has to read further; 1e-9 a case."""
    monkeypatch.setattr(integer_noise, "WORD", 3)
    monkeypatch.setattr(integer_noise, "exp_floor", lru_cache(None)(integer_noise.exp_floor))  # the same few, often
    assert p_of_shape(ExactEntropy().discrete_laplace(scale, (1000,)), "laplace", scale) > 1e-9
    assert p_of_shape(ExactEntropy().discrete_gaussian(scale, (1000,)), "gaussian", scale) > 1e-9


@pytest.mark.statistical
@pytest.mark.parametrize("tabled", [1, 2])
def test_low_bits_and_high_part_together_have_the_law(monkeypatch, tabled):
    """Scales above `MOST_TABLED` are split; here small ones are. 1e-9 a case."""
    monkeypatch.setattr(integer_noise, "MOST_TABLED", tabled)
    assert has_its_law_and_no_other(ExactEntropy(), "laplace", Fraction(23, 3))


@pytest.mark.statistical
def test_counts_beyond_the_table_go_on(monkeypatch):
    """With a table of two entries most counts start again at its end; 1e-9."""
    monkeypatch.setattr(integer_noise, "_floors", lambda rate, bits: floors_of(rate, bits, last=2))
    assert has_its_law_and_no_other(ExactEntropy(), "laplace", Fraction(5))


def floors_of(rate, bits, last):
    return np.array([integer_noise.exp_floor(rate * k, bits) for k in range(last, 0, -1)], np.int64)


def test_every_ambiguous_word_is_settled_by_more_digits(monkeypatch):
    """A word equal to a threshold's floor is below it with the chance of the digits that follow."""
    exponents = [Fraction(1, 3), Fraction(1, 3) + Fraction(1, 2**70), Fraction(2)]
    word = integer_noise.exp_floor(exponents[0], 62)
    assert word == integer_noise.exp_floor(exponents[1], 62)
    for following, expected in ((0, 2), (2**62 - 1, 0)):
        monkeypatch.setattr(secrets, "randbits", lambda bits, following=following: following)
        assert integer_noise._count_above(word, exponents) == expected
    assert integer_noise._count_above(word - 1, exponents) == 2
    assert integer_noise._count_above(0, exponents) == 3


@pytest.mark.parametrize(("following", "lands"), [(0, True), (2**62 - 1, False)])
def test_a_coin_on_its_threshold_is_settled_by_more_digits(monkeypatch, following, lands):
    exponent = Fraction(1, 3)
    word = integer_noise.exp_floor(exponent, 62)
    monkeypatch.setattr(secrets, "randbits", lambda bits: following)
    monkeypatch.setattr(integer_noise, "_words", lambda count: np.full(count, word))
    assert integer_noise._bernoulli_exp([exponent], np.zeros(3, np.intp)).tolist() == [lands] * 3


@pytest.mark.parametrize("number", [1, 2**61 + 1, 2**62 - 1])
def test_a_floor_right_beside_a_whole_number_is_exact(number):
    """2^62 exp(-x) lies 10^-60 of itself above the number, or below it, which the first digits cannot tell."""
    with localcontext(prec=100):
        beside = -(Decimal(number) / Decimal(2**62)).ln()
        above, below = (Fraction(beside + sign * Decimal(10) ** -60) for sign in (-1, 1))
    assert (integer_noise.exp_floor(above, 62), integer_noise.exp_floor(below, 62)) == (number, number - 1)


@pytest.mark.parametrize("bits", [1, 3, 62, 124, 400])
@pytest.mark.parametrize(
    "exponent", [Fraction(0), Fraction(1, 10**30), Fraction(0.1), Fraction(1), Fraction(43, 7), Fraction(10**9, 7)]
)
@pytest.mark.parametrize("digits", [5, 28])
def test_floors_are_exact_whatever_the_threads_context(exponent, bits, digits):
    with localcontext() as context:
        context.prec = 400
        power = (-(Decimal(exponent.numerator) / Decimal(exponent.denominator))).exp()
        ideal = int(power * Decimal(1 << bits))
    with localcontext() as context:
        context.prec = digits
        assert integer_noise.exp_floor(exponent, bits) == ideal


def test_words_are_uniform_and_long():
    words = integer_noise._words(4000)
    assert words.min() >= 0
    assert words.max() < 2**62
    for bit in (0, 31, 61):
        assert abs(((words >> bit) & 1).mean() - 0.5) < 0.06  # seven standard errors
    assert len(set(words.tolist())) == 4000
