"""JointExp with a free total: the first draw on a sample of a million records, by either sampler."""

from dataclasses import replace

import numpy as np
import pytest

from dpq_core import Plan
from dpq_core.mechanisms import free_total
from dpq_core.noise import ExactEntropy, FastEntropy
from dpq_core.studies.grid import even_levels

target = pytest.mark.target


@pytest.mark.parametrize(
    ("quantiles", "entropy"),
    [
        pytest.param(20, FastEntropy(0), marks=target(5, "JointExp, free total, fast, m = 20, n = 10^6", at_most=3)),
        pytest.param(9, ExactEntropy(), marks=target(5, "JointExp, free total, exact, m = 9, n = 10^6", at_most=6)),
    ],
)
def test_first_draw(timed, samples, quantiles, entropy):
    parameters = free_total.calibrate(Plan(even_levels(quantiles), "freetotal"), None)
    # A copy of the sample is one that nothing is kept of.
    chosen = timed(lambda: free_total.run(replace(samples[10**6]), parameters, entropy))
    assert (np.diff(chosen, axis=1) >= 0).all()
