"""Speed as ratios: every row beside np.sort of the same machine in the same run (`make bench` prints the table).

The unit is one np.sort of 10^6 float64. A row's verdict is printed, never asserted: machines are noisy.
"""

import tracemalloc

import numpy as np
import pytest

from dpq_core import ApproxDP, Domain, Plan, PureDP, Sample, release, simulate
from dpq_core.mechanisms.exponential_composition import largest_each
from tests.benchmarks.timing import median_seconds

DOMAIN = Domain(-100, 100)
SIZES = [10**4, 10**6, 10**7]


def levels(m):
    return [f"{j}/{m + 1}" for j in range(1, m + 1)]


@pytest.fixture(scope="module")
def columns():
    return {n: np.random.default_rng(0).normal(0, 5, n) for n in SIZES}


@pytest.fixture(scope="module")
def samples(columns):
    return {n: Sample.from_values(column, DOMAIN, seed=0) for n, column in columns.items()}


@pytest.fixture(scope="module")
def private_samples(columns):
    return {n: Sample.from_values(column, DOMAIN) for n, column in columns.items()}


@pytest.mark.parametrize("n", SIZES)
def test_np_sort_the_unit(benchmark, columns, n):
    benchmark(np.sort, columns[n])


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("mechanism", ["aq", "indexp"])
def test_fast_lane_99_quantiles_of_a_sorted_sample(benchmark, samples, mechanism, n):
    plan = Plan(levels(99), mechanism)
    benchmark(simulate, samples[n], plan, 1, 0)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("mechanism", ["aq", "indexp"])
def test_exact_lane_99_quantiles_of_a_sorted_sample(benchmark, private_samples, mechanism, n):
    benchmark(release, private_samples[n], Plan(levels(99), mechanism))


@pytest.mark.parametrize("seed", [0, None])
def test_first_result_from_ten_million_raw_floats(benchmark, columns, seed):
    def first():
        sample = Sample.from_values(columns[10**7], DOMAIN, seed=seed)
        return simulate(sample, Plan(levels(99)), 1, 0)

    benchmark.pedantic(first, rounds=5)


def test_one_hundred_trials_of_120_quantiles(benchmark):
    sample = Sample.from_values(np.random.default_rng(0).normal(0, 5, 1000), DOMAIN, seed=0)
    benchmark(simulate, sample, Plan(levels(120)), 100, 0)


@pytest.mark.parametrize("m", [120, 5000])
def test_composition_of_many_mechanisms(benchmark, m):
    benchmark.pedantic(largest_each.__wrapped__, (m, 1.0, 1e-6), rounds=5, warmup_rounds=1)


@pytest.mark.parametrize("budget", [PureDP(1.0), ApproxDP(1.0, 1e-6)])
def test_memory_of_a_release_in_arrays_of_n(benchmark, columns, budget):
    """The peak above what was there, in int64 arrays of n; target 3. Shown as the benchmark's extra information."""
    column, arrays = columns[10**7], []

    def measured():
        tracemalloc.start()
        sample = Sample.from_values(column, DOMAIN)
        release(sample, Plan(levels(99), privacy=budget))
        arrays.append(tracemalloc.get_traced_memory()[1] / (8 * column.size))
        tracemalloc.stop()

    release(Sample.from_values([1.0], DOMAIN), Plan(levels(99), privacy=budget))  # imports and caches
    benchmark.pedantic(measured, rounds=1)
    benchmark.extra_info["int64 arrays of n"] = round(max(arrays), 2)


TARGETS = [
    # row, how to measure it, target in units of np.sort of 10^6 float64
    ("AQ, 99 quantiles, fast lane, n = 1e7", lambda s, p, c: simulate(s[10**7], Plan(levels(99)), 1, 0), 1.0),
    (
        "IndExp, 99 quantiles, fast lane, n = 1e7",
        lambda s, p, c: simulate(s[10**7], Plan(levels(99), "indexp"), 1, 0),
        1.0,
    ),
    ("AQ, 99 quantiles, exact lane, n = 1e7", lambda s, p, c: release(p[10**7], Plan(levels(99))), 15.0),
    ("IndExp, 99 quantiles, exact lane, n = 1e7", lambda s, p, c: release(p[10**7], Plan(levels(99), "indexp")), 15.0),
]


def test_the_table_of_ratios(benchmark, samples, private_samples, columns, capsys):
    """Prints each row as a ratio to np.sort of 10^6 floats (10 ms count as one), beside its target."""
    unit = median_seconds(lambda: np.sort(columns[10**6]))
    rows = [("np.sort of 1e6 float64 (the unit)", unit, None)]
    for name, work, target in TARGETS:
        rows.append((name, median_seconds(lambda work=work: work(samples, private_samples, columns)), target * unit))
    small = median_seconds(lambda: simulate(samples[10**4], Plan(levels(99)), 1, 0))
    rows.append(("AQ, fast lane: n = 1e7 against n = 1e4 (at most 2)", rows[1][1], 2 * small))
    sort = median_seconds(lambda: np.sort(columns[10**7]), 3)
    for seed in (0, None):
        first = median_seconds(lambda seed=seed: Sample.from_values(columns[10**7], DOMAIN, seed=seed), 3) + rows[1][1]
        rows.append((f"AQ from raw floats, n = 1e7, seed {seed} (4 sorts of it)", first, 4 * sort))
    sample = Sample.from_values(np.random.default_rng(0).normal(0, 5, 1000), DOMAIN, seed=0)
    rows.append(
        (
            "100 trials of AQ, m = 120, n = 1000",
            median_seconds(lambda: simulate(sample, Plan(levels(120)), 100, 0)),
            35 * unit,
        )
    )
    rows.append(("composition, m = 120", median_seconds(lambda: largest_each.__wrapped__(120, 1.0, 1e-6)), 5 * unit))
    benchmark.pedantic(lambda: None)
    with capsys.disabled():
        print()
        for name, seconds, allowed in rows:
            verdict = "" if allowed is None else f"{seconds / allowed:8.2f} of the target"
            print(f"{name:60} {seconds * 1e3:9.2f} ms {seconds / unit:8.2f} units {verdict}")
