"""Speed of SliceQuantiles as ratios to np.sort of 10^6 float64 in the same run; printed, never asserted."""

from fractions import Fraction

import numpy as np

from dpq_core import Adjacency, ApproxDP, Domain, Plan, Sample
from dpq_core.mechanisms.slice_quantiles import calibrate, run
from dpq_core.noise import ExactEntropy, FastEntropy
from tests.benchmarks.timing import median_seconds

DOMAIN = Domain(-100, 100)
TARGETS = [  # m, lane, target in units of np.sort of 10^6 float64: 20 ms for 200 quantiles in the fast lane
    (200, "fast", 2.0),
    (200, "exact", 30.0),
    (99, "fast", 1.0),
]


def test_the_table_of_ratios(benchmark, capsys):
    columns = {n: np.random.default_rng(0).normal(0, 5, n) for n in (10**6, 10**7)}
    unit = median_seconds(lambda: np.sort(columns[10**6]))
    rows = []
    for n, column in columns.items():
        sample = Sample.from_values(column, DOMAIN, seed=0)
        for m, lane, target in TARGETS:
            levels = [Fraction(i, m + 1) for i in range(1, m + 1)]
            for adjacency in Adjacency:
                plan = Plan(levels, "slice", ApproxDP(1.0, 1e-16), adjacency)
                parameters = calibrate(plan, n if adjacency is Adjacency.SUBSTITUTE else None)
                entropy = FastEntropy(1) if lane == "fast" else ExactEntropy()
                seconds = median_seconds(lambda s=sample, p=parameters, e=entropy: run(s, p, e))
                rows.append((f"slices, m = {m}, {lane}, n = {n:.0e}, {adjacency.value}", seconds, target))
    benchmark.pedantic(lambda: None)
    with capsys.disabled():
        print(f"\n{'np.sort of 1e6 float64 (the unit)':60} {unit * 1e3:9.2f} ms")
        for name, seconds, target in rows:
            print(f"{name:60} {seconds * 1e3:9.2f} ms {seconds / unit / target:8.2f} of the target")
