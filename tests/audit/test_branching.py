"""The entropy that follows every outcome: its laws of single draws, its closed loops, and what it leaves out."""

from fractions import Fraction
from math import exp

import numpy as np
import pytest

from tests.branching import (
    Distribution,
    Paths,
    _Branching,
    _FastBranching,
    enumerate_fast_law,
    enumerate_law,
    exp_bounds,
)
from tests.harness import ExactEntropy, SeededSampler

TINY = Fraction(1, 2**1000)


def test_uniform_integers_coins_and_choices_have_their_rational_chances():
    drawn = enumerate_law(lambda e: (e.integer_below(3), e.bernoulli(1, 4), e.choice([2, 2, 7])))
    assert set(drawn.chances) == {(i, b, c) for i in range(3) for b in (True, False) for c in (0, 2)}
    for (_, heads, place), chance in drawn.chances.items():
        exact = Fraction(1, 3) * Fraction(1 if heads else 3, 4) * Fraction({0: 2, 2: 5}[place], 7)
        assert exact - TINY <= chance <= exact
    assert 0 <= drawn.cut <= TINY


@pytest.mark.parametrize("size", [Fraction(1, 3), Fraction(5, 4)])
@pytest.mark.parametrize("kind", ["laplace", "gaussian"])
def test_integer_noise_has_its_chances_and_a_cut_tail(kind, size):
    def weight(k):
        return exp(-abs(k) / size) if kind == "laplace" else exp(-(k**2) / (2 * size))

    def program(entropy):
        draw = entropy.discrete_laplace if kind == "laplace" else entropy.discrete_gaussian
        return int(draw(size, (1,))[0])

    drawn = enumerate_law(program, Fraction(1, 10**6))
    total = sum(map(weight, range(-200, 201)))
    reach = max(drawn.chances)
    assert list(sorted(drawn.chances)) == list(range(-reach, reach + 1))
    for value, chance in drawn.chances.items():
        assert float(chance) == pytest.approx(weight(value) / total, rel=1e-12)
    assert weight(reach + 1) / total < 1e-6 <= weight(reach) / total
    assert float(drawn.cut) == pytest.approx(2 * sum(map(weight, range(reach + 1, 200))) / total, rel=1e-6)


def test_a_loop_that_begins_again_is_closed():
    """A die from three coins: 8 outcomes, of which 6 and 7 begin again."""

    def attempt(entropy, rows):
        number = sum(entropy.bernoulli(1, 2) << bit for bit in range(3))
        return np.array([number]), np.array([number < 6])

    drawn = enumerate_law(lambda e: (int(e.accepted_rows(attempt, np.zeros(1, np.int64), ())[0]), e.integer_below(2)))
    assert len(drawn.chances) == 12
    assert all(Fraction(1, 12) - TINY <= chance <= Fraction(1, 12) for chance in drawn.chances.values())
    rows = np.zeros(1, np.int64)
    with pytest.raises(AssertionError, match="some attempt"):
        enumerate_law(lambda e: len(e.accepted_rows(lambda *_: (rows, rows > 0), rows, ())))


def test_what_is_cut_bounds_the_excess_from_both_sides():
    a = Distribution({0: Fraction(3, 4), 1: Fraction(1, 5)}, Fraction(1, 20))
    b = Distribution({0: Fraction(1, 4), 2: Fraction(3, 4)}, Fraction(0))
    least, most = a.excess(b, Fraction(0))
    assert (least, float(most)) == (Fraction(7, 10), 0.75)
    least, most = b.excess(a, Fraction(1))
    small, large = exp_bounds(Fraction(1))
    assert least == Fraction(3, 4) - large / 20
    many = Distribution({value: Fraction(1, 100) for value in range(100)}, Fraction(0))
    assert many.excess(Distribution({}, Fraction(1, 10)), Fraction(0))[0] == pytest.approx(
        0.9
    )  # not 100 times what is cut
    assert most == Fraction(3, 4)
    assert float(small) == pytest.approx(exp(1)) == float(large)
    assert 0 < large - small < TINY


def test_every_draw_of_both_samplers_branches():
    for sampler, branching in ((ExactEntropy, _Branching), (SeededSampler, _FastBranching)):
        drawing = {name for name, found in vars(sampler).items() if callable(found) and not name.startswith("_")}
        assert drawing - vars(branching).keys() - vars(Paths).keys() == set()


class ByIntegers(ExactEntropy):
    """The exact sampler as it is, but for its uniform integers."""

    def __init__(self, entropy):
        self.entropy = entropy

    def integer_below(self, limit: int) -> int:
        return int(self.entropy.integer_below(limit))


@pytest.mark.parametrize("numerator", range(6))
def test_coins_and_choices_of_the_exact_lane_have_the_law_that_is_followed(numerator):
    def of(entropy):
        return entropy.bernoulli(numerator, 5), entropy.choice([1, 1, 4, 9]), *entropy.coins(numerator, 7).tolist()

    followed, drawn = enumerate_law(of), enumerate_law(lambda entropy: of(ByIntegers(entropy)))
    assert followed.chances.keys() == drawn.chances.keys()
    assert all(abs(chance - drawn.at_least(x)) < TINY for x, chance in followed.chances.items())


# ── the fast sampler ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_float_weights_and_chances_are_taken_as_they_are():
    sums = np.array([[0.1, 0.1, 0.4], [0.5, 0.75, 0.75]])
    drawn = enumerate_fast_law(lambda e: (*e.choice(sums).tolist(), *e.bernoulli(np.array([0.2, 2.0])).tolist()))
    assert set(drawn.chances) == {(a, b, c, True) for a in (0, 2) for b in (0, 1) for c in (True, False)}
    for (first, second, heads, _), chance in drawn.chances.items():
        share = Fraction(0.1) / Fraction(0.4)
        exact = (share if first == 0 else 1 - share) * Fraction(1 if second else 2, 3)
        exact *= Fraction(0.2) if heads else 1 - Fraction(0.2)
        assert exact - TINY <= chance <= exact
    assert enumerate_fast_law(lambda e: tuple(e.choices(sums[1], 2).tolist())).at_least((1, 0)) == pytest.approx(2 / 9)


def test_rows_that_are_drawn_until_accepted_are_independent():
    """Row r is uniform below r, from three coins."""

    def attempt(entropy, rows):
        bits = [entropy.bernoulli(np.full(rows.size, 0.5)) for _ in range(3)]
        number = sum(bit.astype(np.int64) << place for place, bit in enumerate(bits))
        return np.stack([number, rows], axis=1), number < rows

    drawn = enumerate_fast_law(lambda e: tuple(e.accepted_rows(attempt, np.array([3, 5]), (2,)).reshape(-1).tolist()))
    assert set(drawn.chances) == {(a, 3, b, 5) for a in range(3) for b in range(5)}
    assert all(Fraction(1, 15) - TINY <= chance <= Fraction(1, 15) for chance in drawn.chances.values())
    nothing = enumerate_fast_law(lambda e: e.accepted_rows(attempt, np.empty(0, np.int64), (2,)).shape)
    assert nothing.chances == {(0, 2): 1}
