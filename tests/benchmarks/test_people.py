"""From rows of persons, in memory, to a sample: 10^7 rows of 10^6 people; and the memory that this takes."""

from typing import Any

import numpy as np
import pytest

from dpq_core import People, Sample
from tests.benchmarks.memory import RESET, peak_in_its_own_process

target = pytest.mark.target
ROWS, PERSONS = 10**7, 10**6
WAYS: dict[str, dict[str, Any]] = {
    "mean": {"take": "mean"},
    "median": {"take": "median"},
    "random": {"take": "random"},
    "share": {"take": "share"},
    "5 rows": {"most_rows": 5},
}
needs_linux = pytest.mark.skipif(not RESET.exists(), reason="the peak of a process is read from Linux's /proc")


@pytest.fixture(scope="module")
def ids():
    return np.random.default_rng(1).integers(0, PERSONS, ROWS) * 7919 + 10**12


@pytest.mark.parametrize(
    "way",
    [
        pytest.param(way, marks=target(2, f"People and a sample, 10^7 rows of 10^6, {way}", at_most=8, of="sort of it"))
        for way in WAYS
    ],
)
def test_a_sample_of_people(timed, columns, ids, domain, way):
    def made():
        return Sample.from_values(columns[ROWS], domain, people=People.of(ids), **WAYS[way])

    sample = timed(made, lambda: np.sort(columns[ROWS]), 3)
    assert PERSONS * 0.99 < sample.n <= PERSONS * WAYS[way].get("most_rows", 1)


@needs_linux
@pytest.mark.parametrize(
    "way",
    [
        pytest.param(way, marks=target(2, f"memory of it beside column and ids, {way}", at_most=6, of="column"))
        for way in WAYS
    ],
)
def test_memory(counted, way):
    peak = counted(lambda: peak_in_its_own_process("people", way) / (8 * ROWS))
    assert peak > 0
