"""From raw numbers, in memory or in a file, to a sample and its first answers; and the memory that this takes."""

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pytest

from dpq_core import Plan, Sample, simulate
from dpq_core.sources.files import read_column
from dpq_core.studies.grid import even_levels
from tests.benchmarks.memory import BUDGETS, RESET, peak_in_its_own_process

target = pytest.mark.target
ROWS = 10**7
PLAN = Plan(even_levels(99))
needs_linux = pytest.mark.skipif(not RESET.exists(), reason="the peak of a process is read from Linux's /proc")


@pytest.fixture(scope="module")
def raw(columns):
    return columns[ROWS]


@pytest.mark.parametrize(
    "seed",
    [
        pytest.param(
            seed, marks=target(2, f"AQ, first answer from 10^7 raw floats, {bits}", at_most=4, of="sort of it")
        )
        for seed, bits in ((0, "seeded tie-breaking"), (None, "tie-breaking from the system"))
    ],
)
def test_first_answer(timed, raw, domain, seed):
    def first():
        return simulate(Sample.from_values(raw, domain, seed=seed), PLAN, 1)

    assert timed(first, lambda: np.sort(raw), 5).rank_errors.mean() < 1000


@target(2, "AQ, the part of it that follows the sample", at_most=0.1, of="sort of it")
def test_after_the_sample(timed, raw, samples):
    assert timed(lambda: simulate(samples[ROWS], PLAN, 1), lambda: np.sort(raw), 5).rank_errors.mean() < 1000


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """A CSV of three columns, 22 bytes a row; the column to read is "value", of decimals."""
    path = tmp_path_factory.mktemp("benchmarks") / "rows.csv"
    random = np.random.default_rng(0)
    names = np.array(["north", "south", "east", "west"])
    columns = {"id": np.arange(ROWS), "value": random.normal(0, 5, ROWS).round(3), "region": random.choice(names, ROWS)}
    pa_csv.write_csv(pa.table(columns), path)
    yield path
    path.unlink()


def read_as_text(path):
    types = {"value": pa.string()}
    options = pa_csv.ConvertOptions(include_columns=["value"], column_types=types)
    return pa_csv.read_csv(path, convert_options=options)


@target(9, "one column of a CSV of 10^7 rows to a sample", at_most=1, of="2 text, 3 sorts")
def test_column_of_a_file(timed, raw, domain, file):
    def allowed():
        for _ in range(2):
            read_as_text(file)
        for _ in range(3):
            np.sort(raw)

    sample = timed(lambda: Sample.from_values(read_column(file, "value").values, domain), allowed, 3)
    assert sample.n == ROWS


@needs_linux
@target(9, "the same: memory", at_most=5, of="8n bytes")
def test_memory_of_reading(counted, file):
    assert counted(lambda: peak_in_its_own_process("reading", str(file)) / (8 * ROWS)) > 1  # the sample itself


@needs_linux
@pytest.mark.parametrize(
    "budget",
    [
        pytest.param(name, marks=target(10, f"memory of a release, {name} budget", at_most=3, of="8n bytes"))
        for name in BUDGETS
    ],
)
def test_memory_of_a_release(counted, budget):
    assert counted(lambda: peak_in_its_own_process("release", budget) / (8 * ROWS)) > 1
