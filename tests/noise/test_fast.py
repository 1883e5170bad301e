"""The fast sampler: repeatable, independent parts, and single draws whose breakpoints lie where their weights say."""

from fractions import Fraction
from itertools import pairwise
from math import exp, fsum

import numpy as np
import pytest

from dpq_core.noise.fast import MOST_TABLED, SeededSampler
from dpq_core.noise.integer_noise import Size


def test_a_seed_repeats_and_parts_are_independent():
    limits = np.full(5, 2**60)
    first, again, other = SeededSampler(7), SeededSampler(7), SeededSampler(7, part=1)
    drawn = first.below(limits)
    assert np.array_equal(drawn, again.below(limits))
    assert not np.array_equal(drawn, other.below(limits))


class Generator:
    """In place of numpy's: uniform floats and geometric counts that a test says, and what was asked for."""

    def __init__(self, *answers):
        self.answers, self.asked = list(answers), []

    def random(self, size):
        return np.full(size, self.answers.pop(0))

    def geometric(self, stop, shape):
        self.asked.append((stop, shape))
        return np.full(shape, self.answers.pop(0))

    def normal(self, mean, deviation, shape):
        self.asked.append((mean, deviation, shape))
        return np.full(shape, self.answers.pop(0))

    def integers(self, low, high, dtype):
        self.asked.append((low, high.tolist(), dtype))
        return np.minimum(self.answers.pop(0), high - 1)


def told(*answers):
    entropy = SeededSampler(0)
    vars(entropy)["_generator"] = Generator(*answers)
    return entropy


def breakpoints(draw, steps):
    """From which uniform float on the drawn place is above each of the `steps`, by bisection of all 2^53."""
    found = []
    for step in steps:
        low, high = -1, 2**53
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if draw(told(middle / 2**53)) > step else (middle, high)
        found.append(high / 2**53)
    return found


WEIGHTS = [0.25, 0.0, 3.0, 1e-9, 1.0, 2.5, 0.0]
SUMS = np.cumsum(WEIGHTS)


@pytest.mark.parametrize("draw", [
    lambda entropy: entropy.choice(SUMS[None, :])[0],
    lambda entropy: entropy.choice(np.stack([SUMS[::-1].cumsum(), SUMS]))[1],
    lambda entropy: entropy.choices(SUMS, 3)[2],
])  # fmt: skip
def test_a_choice_turns_where_the_sums_of_the_weights_do(draw):
    shares = [float(sum(map(Fraction, WEIGHTS[: place + 1])) / sum(map(Fraction, WEIGHTS))) for place in range(5)]
    assert breakpoints(draw, range(5)) == pytest.approx(shares, abs=2.0**-51)
    assert draw(told(1 - 2.0**-53)) == 5, "the last place has no weight"
    assert draw(told(0.0)) == 0


@pytest.mark.parametrize("chance", [1 / 3, 2e-9, 7 / 8])
def test_a_coin_turns_at_its_chance(chance):
    (turn,) = breakpoints(lambda e: not e.bernoulli(np.array([5.0, chance]))[1], [0])
    assert turn == pytest.approx(chance, abs=2.0**-52)
    assert told(1 - 2.0**-53).bernoulli(np.array([1.0])).all()
    assert not told(0.0).bernoulli(np.array([0.0])).any()


def test_coins_of_whole_numbers_and_uniform_integers_ask_for_what_they_say():
    entropy = told(2, 3, 6)
    assert entropy.coins(3, 7).tolist() == [True]
    assert entropy.coins(3, 7).tolist() == [False]
    assert entropy.below(np.array([4, 9])).tolist() == [3, 6]
    assert entropy._generator.asked == [(0, [7], np.int64), (0, [7], np.int64), (0, [4, 9], np.int64)]


@pytest.mark.parametrize("sigma_squared", [Fraction(1, 2), Fraction(7, 3), Fraction(30.1), Fraction(900)])
def test_tabled_gaussian_noise_turns_where_the_exact_weights_do(sigma_squared):
    reach = int(3 * float(sigma_squared) ** 0.5)
    places, step = range(-reach, reach + 1), max(reach // 8, 1)
    weights = [exp(-(k**2) / (2 * float(sigma_squared))) for k in range(-4 * reach - 9, 4 * reach + 10)]
    shares = [fsum(weights[: place + 4 * reach + 10]) / fsum(weights) for place in places[::step]]
    found = breakpoints(lambda entropy: entropy.discrete_gaussian(sigma_squared, (2, 3))[1, 2], places[::step])
    assert found == pytest.approx(shares, abs=1e-13)
    assert all(a < b for a, b in pairwise(found))


def test_wide_gaussian_noise_is_rounded_normal_noise():
    entropy = told(-2.6e5)
    assert entropy.discrete_gaussian(Fraction(10**12), (3,)).tolist() == [-260_000] * 3
    assert entropy._generator.asked == [(0, 10.0**6, (3,))]
    assert MOST_TABLED < 10**12


@pytest.mark.parametrize("scale", [Fraction(2), Fraction(7, 3), Fraction(1, 2), Fraction(1, 9), Fraction(10**9)])
def test_laplace_noise_is_a_difference_of_geometric_counts(scale):
    """P(G = k) = (1 - a) a^(k - 1) with a = exp(-1 / scale); the difference of two has weights a^|k|."""
    entropy = told(7, 3)
    assert entropy.discrete_laplace(scale, (4,)).tolist() == [4] * 4
    (stop, shape), again = entropy._generator.asked
    assert (stop, shape) == again
    assert shape == (4,)
    assert np.log1p(-stop) == pytest.approx(-1 / float(scale), rel=1e-9)


def test_a_tiny_scale_gives_zeros():
    assert not SeededSampler(1).discrete_laplace(Size(Fraction(1, 10**6)), (100,)).any()


def test_each_row_gets_what_its_first_accepted_attempt_gives():
    asked = []

    def attempt(entropy, rows):
        asked.append(rows.tolist())
        return np.stack([rows, np.full(rows.size, len(asked))], axis=1), rows <= 2 * len(asked)

    found = SeededSampler(1).accepted_rows(attempt, np.array([5, 1, 4, 2]), (2,))
    assert found.tolist() == [[5, 3], [1, 1], [4, 2], [2, 1]]
    assert asked == [[5, 1, 4, 2], [5, 4], [5]]
    assert SeededSampler(1).accepted_rows(attempt, np.empty(0, np.int64), (2,)).shape == (0, 2)


def test_rows_of_the_same_number_share_their_attempts():
    """Two rows of number 7 get the first two that were accepted for it; one of number 4 gets none."""

    def attempt(entropy, rows):
        assert rows.tolist() == [7, 7, 7, 4, 4, 4, 7, 7, 7, 9, 9, 9]
        return np.arange(12)[:, None], np.isin(np.arange(12), [2, 6, 7, 9])

    found, has_one = SeededSampler(1).accepted_soon(attempt, np.array([7, 4, 7, 9]), 3, (1,))
    assert has_one.tolist() == [True, False, True, True]
    assert found[has_one].tolist() == [[2], [6], [9]]
