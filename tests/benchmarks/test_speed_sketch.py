"""Speed and size of the sketch beside Apache DataSketches' KLL, and of draws from it (see `make bench`)."""

import numpy as np
import pytest

from dpq_core import Domain, GKSketch, Plan
from dpq_core.mechanisms import gk_exponential
from dpq_core.noise import ExactEntropy, FastEntropy
from tests.benchmarks.timing import median_seconds

DOMAIN = Domain(-100, 100)
SIZES = [10**6, 10**7]
ALPHAS = [1e-1, 1e-2, 1e-3, 1e-4]
BUFFERED = {1e-2: 69, 1e-3: 733, 1e-4: 9435}
"""Points of a buffered pure-Python sketch (design note PEERS)."""


def column(n):
    return np.random.default_rng(0).normal(0, 5, n)


def read(values, alpha):
    sketch = GKSketch(alpha, DOMAIN, values.size)
    sketch.update(values)
    return len(sketch), sketch


def kll(values, alpha):
    """Randomised, for single ranks 99 % sure; with a parameter as large as the library allows."""
    from datasketches import kll_doubles_sketch

    k = 8
    while k < 65_535 and kll_doubles_sketch.get_normalized_rank_error(k, False) > alpha:
        k = min(2 * k, 65_535)
    sketch = kll_doubles_sketch(k)
    sketch.update(values)
    return sketch.num_retained, sketch


@pytest.mark.parametrize("alpha", ALPHAS)
def test_reading_a_million(benchmark, alpha):
    values = column(10**6)
    benchmark(lambda: read(values, alpha))


@pytest.mark.parametrize("lane", ["fast", "exact"])
def test_nine_quantiles_of_a_sketch(benchmark, lane):
    sketch = read(column(10**6), 1e-3)[1]
    plan = Plan([f"{j}/10" for j in range(1, 10)], "gkexp", options=sketch.options)
    parameters = gk_exponential.calibrate(plan, None)
    entropy = {"fast": lambda: FastEntropy(0), "exact": ExactEntropy}[lane]
    benchmark(lambda: gk_exponential.run(sketch, parameters, entropy()))


def test_the_table_of_items_per_second(benchmark, capsys):
    """Prints items a second and points; the target is 10 million a second at alpha = 1e-3, n = 1e7."""
    benchmark.pedantic(lambda: None)
    million = column(10**6)
    unit = median_seconds(lambda: np.sort(million))
    with capsys.disabled():
        print(f"\n{'np.sort of 1e6 float64 (the unit)':34} {unit * 1e3:8.1f} ms")
        print(f"{'alpha':>8} {'n':>8} {'M items/s':>10} {'units / 1e6':>12} {'points':>8} {'of others':>9} {'KLL':>16}")
        for n in SIZES:
            for alpha in ALPHAS:
                print_row(column(n), alpha, unit)


def print_row(values, alpha, unit):
    millions = values.size / 1e6
    seconds, other = (median_seconds(lambda f=f: f(values, alpha), rounds=3) for f in (read, kll))
    points = read(values, alpha)[0]
    share = f"{points / BUFFERED[alpha]:.2f}" if alpha in BUFFERED else ""
    print(
        f"{alpha:8g} {values.size:8.0e} {millions / seconds:10.1f} {seconds / unit / millions:12.2f} {points:8d} "
        f"{share:>9} {millions / other:8.1f} M/s {kll(values, alpha)[0]:7d}"
    )
