"""AQ and IndExp on samples that are sorted already: the fast sampler, the exact sampler, a hundred trials."""

import pytest

from dpq_core import Plan, calibrate, release, simulate
from dpq_core.studies.grid import even_levels
from tests.benchmarks.table import power

target = pytest.mark.target
LABELS = {"aq": "AQ", "indexp": "IndExp"}


def plan_of(m, mechanism="aq"):
    return Plan(even_levels(m), mechanism)


@pytest.mark.parametrize(
    ("mechanism", "n"),
    [
        pytest.param(
            key, n, marks=target(1, f"{LABELS[key]}, 99 quantiles of a sorted sample, n = {power(n)}", at_most=1)
        )
        for key in LABELS
        for n in (10**4, 10**7)
    ],
)
def test_fast_sampler(timed, samples, mechanism, n):
    plan = plan_of(99, mechanism)
    check(timed(lambda: simulate(samples[n], plan, 1)), n)


@pytest.mark.parametrize(
    "mechanism",
    [
        pytest.param(key, marks=target(1, f"{LABELS[key]}, n = 10^7 against n = 10^4", at_most=2, of="n = 10^4"))
        for key in LABELS
    ],
)
def test_fast_sampler_does_not_grow_with_n(timed, samples, mechanism):
    plan = plan_of(99, mechanism)
    check(timed(lambda: simulate(samples[10**7], plan, 1), lambda: simulate(samples[10**4], plan, 1), 25), 10**7)


@target(1, "AQ, calibration of a plan of 99 quantiles, once a plan")
def test_calibration(timed):
    plan = plan_of(99)
    assert timed(lambda: calibrate(plan)).guarantee.covers(plan.privacy)


@pytest.mark.parametrize(
    ("mechanism", "n"),
    [
        pytest.param(key, n, marks=target(3, f"{LABELS[key]}, exact sampler, 99 quantiles, n = {power(n)}", at_most=15))
        for key in LABELS
        for n in (10**4, 10**7)
    ],
)
def test_exact_sampler(timed, samples, mechanism, n):
    plan = plan_of(99, mechanism)
    values = timed(lambda: release(samples[n], plan)).values
    assert list(values) == sorted(values)


@target(4, "AQ, 100 trials of 120 quantiles, n = 1000", at_most=35)
def test_a_hundred_trials(timed, small_sample):
    plan = plan_of(120)
    check(timed(lambda: simulate(small_sample, plan, 100)), 1000)


def check(study, n):
    """Answers rise, and lie within some hundred ranks of the truth, far less than chance would give."""
    assert (study.values[:, 1:] >= study.values[:, :-1]).all()
    assert study.rank_errors.mean() < min(1000, n / 10)
