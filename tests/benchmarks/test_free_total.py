"""JointExp with a free total: the first draw on a sample of a million records, by either sampler; and AQ's default."""

from dataclasses import replace

import numpy as np
import pytest

from dpq_core import Plan, release, simulate
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


@pytest.mark.parametrize(
    ("quantiles", "trials"),
    [
        pytest.param(99, 1, marks=target(5, "AQ by default, fast, 99 quantiles, n = 1000", at_most=3)),
        pytest.param(9, 256, marks=target(5, "AQ by default, 256 runs of 9 quantiles, n = 1000", at_most=30)),
        pytest.param(20, 256, marks=target(5, "AQ by default, 256 runs of 20 quantiles, n = 1000", at_most=30)),
    ],
)
def test_default_draws_of_aq(timed, small_sample, quantiles, trials):
    plan = Plan(even_levels(quantiles), "aq")
    values = timed(lambda: simulate(small_sample, plan, trials)).values
    assert (np.diff(values, axis=1) >= 0).all()


@pytest.mark.parametrize(
    "quantiles",
    [
        pytest.param(9, marks=target(5, "AQ by default, exact, 9 quantiles, n = 10^6", at_most=6)),
        pytest.param(199, marks=target(5, "AQ by default, exact, 199 quantiles, n = 10^6", at_most=30)),
    ],
)
def test_an_exact_release_of_aq(timed, samples, quantiles):
    plan = Plan(even_levels(quantiles), "aq")
    values = timed(lambda: release(samples[10**6], plan)).values
    assert list(values) == sorted(values)
