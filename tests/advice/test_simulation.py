"""Simulations of one mechanism on public shapes: on which shapes, rare failures, and the rule beside real columns."""

import numpy as np
import pytest

from dpq_core import MECHANISMS, Column, Domain, simulate
from dpq_core.advice.choice import by_rule
from dpq_core.advice.errors import error_of
from dpq_core.advice.simulation import columns_that_tell
from dpq_core.privacy.budgets import ZCDP, Adjacency, ApproxDP, PureDP
from dpq_core.studies.design import StudyDesign
from dpq_core.studies.engine import steps
from dpq_core.studies.shapes import domain_of
from tests.advice.asked import run_of


@pytest.mark.parametrize(("domain", "n", "m", "count"), [
    (Domain(0, 120, 1), 1000, 9, 5), (Domain(0, 120, 1), 1000, 1, 7), (Domain(0, 120, 1), 1000, 99, 5),
    (Domain(0, 120, "1/1000"), 1000, 99, 7), (Domain(1, 5, 1), 1000, 9, 7), (Domain(0, 120, 1), 10, 9, 7),
    (Domain(0, 120, 1), 0, 9, 7),
])  # fmt: skip
def test_shapes_that_leave_fewer_values_than_quantiles_tell_nothing(domain, n, m, count):
    """Unless all of them do."""
    told = columns_that_tell(run_of(m, domain=domain), n)
    assert len(told) == count
    assert ("bounds 20 times too wide" in told) == (count == 7)


@pytest.mark.slow
def test_slices_that_answer_at_random_now_and_then_are_expected_to():
    """The chance, 1 in 1,024 runs, is in the parameters: some runs of each shape seldom meet it."""
    n, run = 48_842, run_of(privacy=PureDP(0.5), mechanism="slice")
    column = Column.from_values(np.linspace(0, 100, n), run.domain, seed=1)
    errors = simulate(column, run.plan, trials=8192, seed=2).rank_errors["column"].mean(axis=1)
    assert 3 <= np.count_nonzero(errors > 0.01 * n) <= 16
    assert error_of(run, n) == pytest.approx(errors.mean(), rel=0.5)
    sure = error_of(run_of(privacy=ApproxDP(0.5, 1e-6), mechanism="slice"), n)
    assert sure < 0.7 * error_of(run, n)


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", ["indexp", "jointexp", "aggtree", "binhist"])
def test_more_budget_errs_less_and_a_replaced_record_more(mechanism):
    errors = [error_of(run_of(privacy=PureDP(e), mechanism=mechanism), 1000) for e in (0.3, 1.0, 3.0)]
    assert errors[0] > errors[1] > errors[2]
    assert error_of(run_of(adjacency=Adjacency.REPLACE_ONE, mechanism=mechanism), 1000) > errors[1]


COLUMNS = {"adult-age": (None, 1000), "adult-hours": (5000, 5000), "uniform": (300, 300), "income": (None, 20_000)}
"""Data that the rule does not know, and how many records: ages, hours of which half are 40, a narrow column ..."""


@pytest.mark.slow(keep="adult-age-9-add_remove-budget0", days=3)
@pytest.mark.parametrize("budget", [PureDP(0.5), ApproxDP(1.0, 1e-6), ZCDP(0.05)])
@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("m", [1, 9, 30])
@pytest.mark.parametrize("data", COLUMNS)
def test_the_rule_of_choose_for_me_is_not_far_from_the_best(data, m, adjacency, budget):
    n, count = COLUMNS[data]
    able = [key for key in MECHANISMS if key not in ("normal", "gkexp")]
    grid = StudyDesign(mechanisms=able, budgets=[budget], quantiles=[m], data=[data], n=[n], adjacencies=[adjacency],
                trials=256, seed=7)  # fmt: skip
    errors = {row.mechanism: row.mean_error for _, row in steps(grid) if row.supported}
    chosen, _ = next(by_rule(run_of(m, budget, adjacency, domain_of(data)), count))
    assert errors[chosen] <= 3 * min(errors.values()) + 2.0
