"""The two histograms on sorted samples, and counting bins of a stream; beyond the ten promises."""

import numpy as np
import pytest

from dpq_core import Adjacency, ApproxDP, BinCounts, Plan, PureDP, calibrate
from dpq_core.mechanisms import bin_histogram, normal_sample
from dpq_core.noise import ExactEntropy, FastEntropy
from dpq_core.studies.grid import even_levels

target = pytest.mark.target
N = 10**7
NARROW, WIDE = {"sigma": 5, "mean_bound": 100}, {"sigma": 5, "mean_bound": 10**10}
FAST, EXACT = (lambda: FastEntropy(0)), ExactEntropy


@target(11, "bin counts of 10^6 floats of a stream")
def test_counting(timed, columns, domain):
    counts = BinCounts(domain)
    timed(lambda: counts.update(columns[10**6]))
    assert counts.n == 10 * 10**6  # nine rounds and the warm-up


def row(work, plan, entropy, at_most):
    sampler = "exact" if entropy is EXACT else "fast"
    return pytest.param(plan, entropy, marks=target(11, f"{work}, 99 quantiles, {sampler} sampler", at_most=at_most))


def binhist(**options):
    return bin_histogram, Plan(even_levels(99), "binhist", PureDP(1.0), options=options)


def normal(privacy, options):
    return normal_sample, Plan(even_levels(99), "normal", privacy, Adjacency.SUBSTITUTE, options)


@pytest.mark.parametrize(
    ("plan", "entropy"),
    [
        row("histogram, 1024 bins", binhist(), FAST, 0.5),
        row("histogram, 1024 bins", binhist(), EXACT, 1),
        row("histogram, 65,536 bins", binhist(bins=65536), EXACT, 15),
        row("normal data, 41 bins", normal(PureDP(1.0), NARROW), FAST, 0.5),
        row("normal data, 41 bins", normal(PureDP(1.0), NARROW), EXACT, 1),
        row("normal data, 4 · 10^9 bins", normal(ApproxDP(1.0, 1e-9), WIDE), EXACT, 1),
    ],
)
def test_99_quantiles(timed, samples, plan, entropy):
    mechanism, plan = plan
    parameters = calibrate(plan, N if plan.adjacency is Adjacency.SUBSTITUTE else None)
    assert (np.diff(timed(lambda: mechanism.run(samples[N], parameters, entropy()))) >= 0).all()
