"""JointExp's speed beside np.sort of 10^6 float64; verdicts are printed, never asserted (see test_speed.py)."""

import numpy as np
import pytest

from dpq_core import Domain, Plan, Sample
from dpq_core.mechanisms import joint_exponential
from dpq_core.noise import ExactEntropy, FastEntropy
from tests.benchmarks.timing import median_seconds

DOMAIN = Domain(-100, 100)
SIZES = [(120, 1000), (20, 10**6)]


def sample_of(count):
    return Sample.from_values(np.random.default_rng(0).normal(0, 5, count), DOMAIN)


def parameters_for(m):
    return joint_exponential.calibrate(Plan([f"{j}/{m + 1}" for j in range(1, m + 1)], "jointexp"), None)


def first_run(sample, parameters, entropy):
    joint_exponential._KEPT.clear()
    return joint_exponential.run(sample, parameters, entropy)


@pytest.mark.parametrize(("m", "count"), SIZES)
@pytest.mark.parametrize("lane", ["exact", "fast"])
def test_a_first_run(benchmark, m, count, lane):
    entropy = ExactEntropy() if lane == "exact" else FastEntropy(0)
    benchmark(first_run, sample_of(count), parameters_for(m), entropy)


@pytest.mark.parametrize(("m", "count"), SIZES)
def test_64_more_trials_on_the_same_sample(benchmark, m, count):
    sample, parameters = sample_of(count), parameters_for(m)
    joint_exponential.run(sample, parameters, FastEntropy(0))
    benchmark(joint_exponential.run, sample, parameters, FastEntropy(1, 64))


def test_the_table_of_ratios(benchmark, capsys):
    """Targets: m = 120, n = 1000 in 9 units (90 ms where the unit is 10 ms); m = 20, n = 1e6 in 150 units."""
    column = np.random.default_rng(0).normal(0, 5, 10**6)
    unit = median_seconds(lambda: np.sort(column))
    rows = []
    for (m, count), target in zip(SIZES, (9, 150), strict=True):
        sample, parameters = sample_of(count), parameters_for(m)
        first = median_seconds(lambda s=sample, p=parameters: first_run(s, p, ExactEntropy()))
        again = median_seconds(lambda s=sample, p=parameters: joint_exponential.run(s, p, FastEntropy(1, 64)))
        rows.append((f"JointExp, exact lane, m = {m}, n = {count}", first, target))
        rows.append((f"JointExp, 64 more trials, m = {m}, n = {count}", again, 64 * target))
    benchmark.pedantic(lambda: None)
    with capsys.disabled():
        print(f"\n{'np.sort of 1e6 float64 (the unit)':60} {unit * 1e3:9.2f} ms")
        for name, seconds, target in rows:
            ratio = seconds / unit
            print(f"{name:60} {seconds * 1e3:9.2f} ms {ratio:8.2f} units {ratio / target:8.2f} of the target")
