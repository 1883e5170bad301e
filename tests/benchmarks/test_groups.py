"""Nine deciles of 10,000 groups from 10^7 rows, and of 200,000 groups: making them, drawing them, and the memory."""

import numpy as np
import pytest

from dpq_core import Domain, Groups, Plan, release, simulate
from dpq_core.studies.grid import even_levels
from tests.benchmarks.memory import RESET, peak_in_its_own_process

target = pytest.mark.target
ROWS, GROUPS, MANY = 10**7, 10**4, 2 * 10**5
PLAN = Plan(even_levels(9))


@pytest.fixture(scope="module")
def labels():
    return np.random.default_rng(1).integers(0, GROUPS, ROWS)


@pytest.fixture(scope="module")
def groups(columns, labels, domain):
    return Groups.from_values(columns[ROWS], labels, domain, names=range(GROUPS))


@pytest.fixture
def one_sort(columns):
    return lambda: np.sort(columns[ROWS])


@target(12, "10,000 groups made from 10^7 rows", at_most=4, of="sort of it")
def test_made(timed, columns, labels, domain, one_sort):
    made = timed(lambda: Groups.from_values(columns[ROWS], labels, domain, names=range(GROUPS)), one_sort, 5)
    assert made.sizes.sum() == ROWS


@target(12, "the same on a grid with steps of 0.01", at_most=4, of="sort of it")
def test_made_on_a_coarse_grid(timed, columns, labels, one_sort):
    grid = Domain(-100, 100, "0.01")
    made = timed(lambda: Groups.from_values(columns[ROWS], labels, grid, names=range(GROUPS)), one_sort, 5)
    assert made.sizes.sum() == ROWS


@target(12, "9 deciles of each, fast", at_most=1, of="sort of it")
def test_drawn(timed, groups, one_sort):
    assert timed(lambda: simulate(groups, PLAN, trials=1), one_sort, 5).rank_errors.mean() < 30


@target(12, "9 deciles of each, exact, seconds", at_most=10, of="second")
def test_released(counted, groups):
    from time import process_time

    def seconds():
        start = process_time()
        assert len(release(groups, PLAN).values) == GROUPS
        return process_time() - start

    counted(seconds)


@pytest.mark.skipif(not RESET.exists(), reason="the peak of a process is read from Linux's /proc")
@target(12, "memory of 200,000 groups beside column and labels", at_most=6, of="column")
def test_memory(counted):
    assert counted(lambda: peak_in_its_own_process("groups", str(MANY)) / (8 * ROWS)) > 0


@pytest.mark.skipif(not RESET.exists(), reason="the peak of a process is read from Linux's /proc")
@pytest.mark.parametrize(
    "step",
    [
        pytest.param("0.01", marks=target(12, "memory of groups in batches, coarse grid", at_most=1.5, of="column")),
        pytest.param("", marks=target(12, "memory of groups in batches, fine grid", at_most=3.5, of="column")),
    ],
)
def test_memory_of_batches(counted, step):
    assert counted(lambda: peak_in_its_own_process("group batches", step) / (8 * ROWS)) > 0
