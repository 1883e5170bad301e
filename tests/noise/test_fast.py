"""The fast sampler: repeatable, independent parts, and the same laws as the exact sampler."""

from fractions import Fraction

import numpy as np
import pytest

from dpq_core.noise import FastEntropy
from tests.noise.test_exact import laplace_p_value


def test_a_seed_repeats_and_parts_are_independent():
    first, again, other = FastEntropy(7), FastEntropy(7), FastEntropy(7, part=1)
    drawn = first.uniform(5)
    assert np.array_equal(drawn, again.uniform(5))
    assert not np.array_equal(drawn, other.uniform(5))


@pytest.mark.parametrize("scale", [Fraction(2), Fraction(7, 3), Fraction(1, 2)])
def test_discrete_laplace_has_its_law_and_no_other(scale):
    drawn = FastEntropy(1).discrete_laplace(scale, (100_000,))
    assert laplace_p_value(drawn, scale) > 1e-6
    assert laplace_p_value(drawn, scale * Fraction(7, 10)) < 1e-9
    assert laplace_p_value(drawn, scale * Fraction(13, 10)) < 1e-9


def test_a_tiny_scale_gives_zeros():
    assert not FastEntropy(1).discrete_laplace(Fraction(1, 10**6), (100,)).any()
