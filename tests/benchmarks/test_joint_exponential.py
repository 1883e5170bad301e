"""JointExp: the first draw on a sample in the exact sampler, and what more draws on it cost."""

from dataclasses import replace

import numpy as np
import pytest

from dpq_core import Plan, calibrate
from dpq_core.mechanisms import joint_exponential
from dpq_core.noise import ExactEntropy, FastEntropy
from dpq_core.studies.grid import even_levels

target = pytest.mark.target


@pytest.fixture
def joint(small_sample, samples, request):
    """The sample, its parameters."""
    m, n = request.param
    return (small_sample if n == 1000 else samples[n]), calibrate(Plan(even_levels(m), "jointexp"))


@pytest.mark.parametrize(
    "joint",
    [
        pytest.param((120, 1000), marks=target(5, "JointExp, exact sampler, m = 120, n = 1000", at_most=9)),
        pytest.param((20, 10**6), marks=target(5, "JointExp, exact sampler, m = 20, n = 10^6", at_most=150)),
    ],
    indirect=True,
)
def test_first_draw(timed, joint):
    sample, parameters = joint
    # A copy of the sample is one that nothing is kept of.
    check(timed(lambda: joint_exponential.run(replace(sample), parameters, ExactEntropy())))


@pytest.mark.parametrize(
    "joint",
    [
        pytest.param(
            (120, 1000), marks=target(5, "JointExp, 64 more trials, m = 120, n = 1000", at_most=64, of="the first")
        )
    ],
    indirect=True,
)
def test_more_draws(timed, joint):
    sample, parameters = joint
    joint_exponential.run(sample, parameters, FastEntropy(0))
    check(
        timed(
            lambda: joint_exponential.run(sample, parameters, FastEntropy(1, 64)),
            lambda: joint_exponential.run(replace(sample), parameters, FastEntropy(0)),
        )
    )


def check(chosen):
    assert (np.diff(chosen, axis=1) >= 0).all()
