"""Speed of the two histograms as ratios to np.sort of 10^6 float64 (`make bench` prints the table)."""

import numpy as np
import pytest

from dpq_core import Adjacency, ApproxDP, Domain, Plan, PureDP, Sample
from dpq_core.mechanisms import bin_histogram as binhist
from dpq_core.mechanisms import normal_sample as normal
from dpq_core.noise import ExactEntropy, FastEntropy
from dpq_core.sketches.bin_counts import BinCounts
from tests.benchmarks.timing import median_seconds

DOMAIN = Domain(-100, 100)
SIZES = [10**3, 10**6, 10**7]
LEVELS = [f"{j}/100" for j in range(1, 100)]
LANES = {"fast": lambda: FastEntropy(0), "exact": ExactEntropy}


def binhist_parameters(**options):
    return binhist.calibrate(Plan(LEVELS, "binhist", PureDP(1.0), options=options), None)


def normal_parameters(privacy, **options):
    return normal.calibrate(Plan(LEVELS, "normal", privacy, Adjacency.SUBSTITUTE, options), None)


@pytest.fixture(scope="module")
def samples():
    return {n: Sample.from_values(np.random.default_rng(0).normal(0, 5, n), DOMAIN, seed=0) for n in SIZES}


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("lane", ["fast", "exact"])
def test_99_quantiles_of_a_sorted_sample(benchmark, samples, lane, n):
    parameters = binhist_parameters()
    benchmark(lambda: binhist.run(samples[n], parameters, LANES[lane]()))


ROWS = [
    # name, module, parameters, lane, n, target in units of np.sort of 10^6 float64
    ("histogram, 1024 bins", binhist, binhist_parameters(), "fast", 10**3, 0.5),
    ("histogram, 1024 bins", binhist, binhist_parameters(), "fast", 10**7, 0.5),
    ("histogram, 1024 bins", binhist, binhist_parameters(), "exact", 10**7, 1.0),
    ("histogram, 65,536 bins", binhist, binhist_parameters(bins=65536), "exact", 10**7, 15.0),
    ("normal, 41 bins", normal, normal_parameters(PureDP(1.0), sigma=5, mean_bound=100), "fast", 10**7, 0.5),
    ("normal, 41 bins", normal, normal_parameters(PureDP(1.0), sigma=5, mean_bound=100), "exact", 10**7, 1.0),
    (
        "normal, 4 * 10^9 bins",
        normal,
        normal_parameters(ApproxDP(1.0, 1e-9), sigma=5, mean_bound=10**10),
        "exact",
        10**7,
        1.0,
    ),
]


def test_the_table_of_ratios(benchmark, samples, capsys):
    """Prints each row as a ratio to np.sort of 10^6 floats, beside its target; and the streaming counts."""
    column = np.random.default_rng(0).normal(0, 5, 10**6)
    unit = median_seconds(lambda: np.sort(column))
    counting = median_seconds(lambda: BinCounts(DOMAIN).update(column))
    benchmark.pedantic(lambda: None)
    with capsys.disabled():
        print(f"\n{'np.sort of 1e6 float64 (the unit)':60} {unit * 1e3:9.2f} ms")
        print(f"{'BinCounts.update with 1e6 float64':60} {counting * 1e3:9.2f} ms {counting / unit:8.2f} units")
        for name, module, parameters, lane, n, target in ROWS:
            seconds = median_seconds(lambda r=module.run, p=parameters, n=n, lane=lane: r(samples[n], p, LANES[lane]()))
            title = f"{name}, m = 99, n = {n:.0e}, {lane} lane"
            verdict = f"{seconds / unit / target:8.2f} of the target"
            print(f"{title:60} {seconds * 1e3:9.2f} ms {seconds / unit:8.2f} units {verdict}")
