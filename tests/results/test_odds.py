"""The odds of a budget against binary randomized response, which attains them, and against Gaussian noise."""

from math import erf, exp, log, sqrt

import pytest

from dpq_core import ZCDP, ApproxDP, PureDP
from dpq_core.results.odds import right_guesses, right_of_hundred


def test_randomized_response_attains_the_pure_odds() -> None:
    assert right_guesses(PureDP(log(3))) == pytest.approx(3 / 4)
    assert right_guesses(PureDP(1.0)) == pytest.approx(exp(1) / (1 + exp(1)))


def test_delta_is_the_chance_to_be_told_outright() -> None:
    """With probability delta the record is shown, otherwise randomized response answers: the worst for (eps, delta)."""
    delta = 0.1
    told_or_guessed = delta + (1 - delta) * 3 / 4
    assert right_guesses(ApproxDP(log(3), delta)) == pytest.approx(told_or_guessed)


@pytest.mark.parametrize("rho", [1e-6, 0.005, 0.25, 0.5, 1.5, 5.0, 100.0])
def test_gaussian_noise_stays_below_the_concentrated_odds(rho: float) -> None:
    """Noise of deviation 1 on a difference of mu = sqrt(2 rho) is rho-zCDP: a guess is right Phi(mu / 2) often."""
    gaussian = 0.5 * (1 + erf(sqrt(2 * rho) / 2 / sqrt(2)))
    assert gaussian <= right_guesses(ZCDP(rho)) <= 1


def test_a_hundred_is_rounded_up_and_never_exceeded() -> None:
    assert right_of_hundred(PureDP(1.0)) == 74
    assert right_of_hundred(PureDP(log(3))) == 75
    assert right_of_hundred(PureDP(1e-9)) == 51
    assert right_of_hundred(PureDP(1e6)) == right_of_hundred(ZCDP(1e6)) == 100


def test_two_draws_add_up() -> None:
    assert right_guesses(PureDP(1.0), draws=2) == right_guesses(PureDP(2.0))
    assert right_guesses(ZCDP(0.25), draws=2) == right_guesses(ZCDP(0.5))
    assert right_guesses(ApproxDP(1.0, 1e-6), draws=2) == right_guesses(ApproxDP(2.0, 2e-6))
    assert right_of_hundred(ApproxDP(1.0, 0.5), draws=2) == 100
