"""How a row of the table is made: a test with the mark `target`, and `timed` or `counted` inside it.

    @target(1, "AQ, 99 quantiles", at_most=1)          # in sorts; or of="something else"
    def test_it(timed, samples):
        answers = timed(lambda: simulate(samples[10**7], PLAN, 1))
        assert ...

Verdicts are printed, never asserted: a test fails only where an answer is wrong.
"""

import time
from statistics import median

import numpy as np
import pytest

from dpq_core import Domain, Sample
from tests.benchmarks.table import LEGEND, TITLE, Row, ratio_of, summary

ROWS = pytest.StashKey[list[Row]]()
SORTS = pytest.StashKey[list[float]]()
SIZES = (10**4, 10**6, 10**7)


def pytest_configure(config):
    config.addinivalue_line("markers", "target(place, work, at_most, of): the row of the table that the test fills")
    config.stash[ROWS], config.stash[SORTS] = [], []


def pytest_collection_modifyitems(items):
    for item in items:
        if item.get_closest_marker("target"):
            item.add_marker(pytest.mark.benchmark(timer=time.process_time))


def pytest_terminal_summary(terminalreporter, config):
    rows = sorted(config.stash[ROWS], key=lambda row: row.place)
    if rows:
        terminalreporter.section("the targets")
        terminalreporter.line(TITLE)
        for row in rows:
            terminalreporter.line(str(row), yellow=row.verdict == "missed")
        for line in ("", *LEGEND, summary(rows, config.stash[SORTS])):
            terminalreporter.line(line)


@pytest.fixture
def add_row(request):
    """Put what was measured into the table."""

    def add(measured, seconds=None):
        def row(place, work, at_most=None, of="sort"):
            return Row(place, work, at_most, of, measured, seconds)

        mark = request.node.get_closest_marker("target")
        request.config.stash[ROWS].append(row(*mark.args, **mark.kwargs))

    return add


@pytest.fixture
def timed(request, benchmark, add_row, columns):
    """Time some work, every run right after one of `beside`; what the last run returned comes back."""

    def run(work, beside=None, rounds=9):
        others = []

        def before():
            start = time.process_time()
            if beside is None:
                np.sort(columns[10**6])
            else:
                beside()
            others.append(time.process_time() - start)

        result = benchmark.pedantic(work, setup=before, rounds=rounds, warmup_rounds=1)
        seconds, others = benchmark.stats.stats.data, others[1 : rounds + 1]  # the first one belongs to the warm-up
        if beside is None:
            request.config.stash[SORTS].extend(others)
        benchmark.extra_info["ratio"] = ratio_of(seconds, others)
        add_row(ratio_of(seconds, others), median(seconds))
        return result

    return run


@pytest.fixture
def counted(benchmark, add_row):
    """Put a number that is no time into the table: what the work returns. It comes back."""

    def run(work):
        number = benchmark.pedantic(work, rounds=1)
        add_row(number)
        return number

    return run


@pytest.fixture(scope="session")
def domain():
    return Domain(-100, 100)


@pytest.fixture(scope="session")
def columns():
    return {n: np.random.default_rng(0).normal(0, 5, n) for n in SIZES}


@pytest.fixture(scope="session")
def samples(columns, domain):
    """By n; unseeded, so that `release` reads them too."""
    return {n: Sample.from_values(column, domain) for n, column in columns.items()}


@pytest.fixture(scope="session")
def small_sample(domain):
    return Sample.from_values(np.random.default_rng(0).normal(0, 5, 1000), domain)
