"""The exact sampler: uniform integers and noise whose law is known."""

from fractions import Fraction

import numpy as np
import pytest

from dpq_core.noise.exact import ExactEntropy
from dpq_core.noise.fast import SeededSampler
from tests.noise.powerful import has_its_law_and_no_other


@pytest.mark.parametrize("entropy", [ExactEntropy(), SeededSampler(1)], ids=["exact", "fast"])
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


@pytest.mark.statistical
@pytest.mark.parametrize("entropy", [ExactEntropy(), SeededSampler(1)], ids=["exact", "fast"])
@pytest.mark.parametrize("scale", [Fraction(2), Fraction(7, 3), Fraction(1, 2), Fraction(1000, 3)])
def test_discrete_laplace_has_its_law_and_no_other(entropy, scale):
    assert has_its_law_and_no_other(entropy, "laplace", scale)
