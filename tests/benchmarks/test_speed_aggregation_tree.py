"""Speed of the tree of counts as ratios to np.sort of 10^6 float64 (`make bench` prints the table)."""

import numpy as np
import pytest

from dpq_core import ZCDP, Domain, Plan, PureDP, Sample
from dpq_core.mechanisms import aggregation_tree as aggtree
from dpq_core.noise import ExactEntropy, FastEntropy
from tests.benchmarks.timing import median_seconds

DOMAIN = Domain(-100, 100)
SIZES = [10**3, 10**6, 10**7]
PRINTED = {"branching": 12, "height": 4}
LANES = {"fast": lambda: FastEntropy(0), "exact": ExactEntropy}


def parameters_for(privacy=PureDP(1.0), m=99, **options):  # noqa: B008
    return aggtree.calibrate(Plan([f"{j}/{m + 1}" for j in range(1, m + 1)], "aggtree", privacy, options=options), None)


@pytest.fixture(scope="module")
def samples():
    return {n: Sample.from_values(np.random.default_rng(0).normal(0, 5, n), DOMAIN, seed=0) for n in SIZES}


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("lane", ["fast", "exact"])
def test_99_quantiles_of_a_sorted_sample(benchmark, samples, lane, n):
    parameters = parameters_for(**PRINTED)
    benchmark(lambda: aggtree.run(samples[n], parameters, LANES[lane]()))


ROWS = [
    # name, parameters, lane, n, target in units of np.sort of 10^6 float64
    ("12^4 Laplace", parameters_for(**PRINTED), "fast", 10**3, 1.5),
    ("12^4 Laplace", parameters_for(**PRINTED), "fast", 10**7, 1.5),
    ("12^4 Laplace", parameters_for(**PRINTED), "exact", 10**7, 15.0),
    ("12^4 Gaussian", parameters_for(ZCDP(0.125), **PRINTED), "fast", 10**7, 1.5),
    ("12^4 Gaussian", parameters_for(ZCDP(0.125), **PRINTED), "exact", 10**7, 15.0),
    ("default, epsilon 1", parameters_for(), "fast", 10**7, 1.5),
    ("default, epsilon 1", parameters_for(), "exact", 10**7, 15.0),
    ("default, rho 1/8", parameters_for(ZCDP(0.125)), "fast", 10**7, 1.5),
    ("default, rho 1/8", parameters_for(ZCDP(0.125)), "exact", 10**7, 15.0),
]


def test_the_table_of_ratios(benchmark, samples, capsys):
    """Prints each row as a ratio to np.sort of 10^6 floats, beside its target."""
    column = np.random.default_rng(0).normal(0, 5, 10**6)
    unit = median_seconds(lambda: np.sort(column))
    benchmark.pedantic(lambda: None)
    with capsys.disabled():
        print(f"\n{'np.sort of 1e6 float64 (the unit)':60} {unit * 1e3:9.2f} ms")
        for name, parameters, lane, n, target in ROWS:
            seconds = median_seconds(lambda p=parameters, n=n, lane=lane: aggtree.run(samples[n], p, LANES[lane]()))
            title = f"AggTree {name}, m = 99, n = {n:.0e}, {lane} lane"
            verdict = f"{seconds / unit / target:8.2f} of the target"
            print(f"{title:60} {seconds * 1e3:9.2f} ms {seconds / unit:8.2f} units {verdict}")
