"""The exact sampler: integer weights that keep their lemma, and samplers whose law is known."""

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from dpq_core.noise.exact import FLOOR_BITS, SMALLEST_RATE, TOP_BITS, CeilTable, ExactEntropy, ceil_exp
from dpq_core.noise.fast import FastEntropy
from tests.noise.powerful import has_its_law_and_no_other

RATES = [Fraction(1, 2), Fraction(1, 14), Fraction(0.1), Fraction(5), Fraction(3, 1000), Fraction(60), SMALLEST_RATE]


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("offset", [Fraction(0), Fraction(1, 3), Fraction(1)])
def test_the_lemma_of_the_ceil_table_in_integers(rate, offset):
    table = CeilTable(rate, offset)
    weights = table.upto(3000)
    step = ceil_exp(rate)
    for heavier, lighter in pairwise(weights):
        assert heavier >= lighter >= 1 << FLOOR_BITS
        assert heavier * step <= lighter << TOP_BITS


@pytest.mark.parametrize("rate", RATES)
def test_weights_stay_close_above_the_ideal_ones(rate):
    weights = CeilTable(rate, Fraction(1, 3)).upto(2000)
    for distance in (0, 1, 2, 10, 500, 1999):
        with localcontext(prec=150):
            ideal = max(ideal_weight(rate * (distance + Fraction(1, 3))), Decimal(1 << FLOOR_BITS))
            assert ideal * (1 - Decimal(10) ** -140) <= weights[distance] <= ideal * (1 + Decimal(2) ** -75)


def ideal_weight(exponent):
    return (-(Decimal(exponent.numerator) / Decimal(exponent.denominator))).exp() * Decimal(1 << TOP_BITS)


@pytest.mark.parametrize("exponent", [Fraction(0), Fraction(1, 10**30), Fraction(1), Fraction(170), Fraction(10**9, 7)])
def test_ceil_exp_is_close_above(exponent):
    found = ceil_exp(exponent)
    with localcontext(prec=150):
        ideal = ideal_weight(exponent)
        assert ideal * (1 - Decimal(10) ** -140) <= found <= ideal * (1 + Decimal(2) ** -126) + 1


@pytest.mark.parametrize("entropy", [ExactEntropy(), FastEntropy(1)], ids=["exact", "fast"])
def test_uniform_integers_fill_what_is_below_their_limits(entropy):
    """Each end is missed by all 200 draws with a chance of at most 0.9^200 < 1e-9."""
    limits = np.array([[1, 2], [2**62, 10]])
    drawn = np.array([entropy.below(limits) for _ in range(200)])
    assert drawn.dtype == np.int64
    assert (drawn >= 0).all()
    assert (drawn < limits).all()
    assert drawn.max(axis=0).tolist()[0] == [0, 1]
    assert (drawn[:, 1, 1].min(), drawn[:, 1, 1].max()) == (0, 9)
    assert drawn[:, 1, 0].max() > 0.9 * 2**62


def test_uniform_integers_are_no_remainders():
    """A third lies below 2^60; of remainders of 62-bit words it would be half. Nine standard errors."""
    drawn = ExactEntropy().below(np.full(3000, 3 << 60))
    assert abs((drawn < 1 << 60).mean() - 1 / 3) < 9 * (2 / 9 / 3000) ** 0.5


def test_one_uniform_integer_may_be_larger_than_any_array_holds():
    drawn = [ExactEntropy().integer_below(10 * 2**300) for _ in range(200)]
    assert {number // 2**300 for number in drawn} == set(range(10))  # 1e-8: ten times 0.9^200


@pytest.mark.statistical
@pytest.mark.parametrize("entropy", [ExactEntropy(), FastEntropy(1)], ids=["exact", "fast"])
@pytest.mark.parametrize("scale", [Fraction(2), Fraction(7, 3), Fraction(1, 2), Fraction(1000, 3)])
def test_discrete_laplace_has_its_law_and_no_other(entropy, scale):
    assert has_its_law_and_no_other(entropy, "laplace", scale)
