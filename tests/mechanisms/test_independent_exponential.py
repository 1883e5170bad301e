"""IndExp: what each draw may spend, under every budget and adjacency."""

import pytest

from dpq_core import Adjacency, ApproxDP, Domain, Plan, PureDP, explain
from dpq_core.mechanisms.base import DrawStep
from tests.harness import calibrate, even_levels, usual_column
from tests.narrowing import all_of


def parameters_for(m, privacy, adjacency=Adjacency.ADD_REMOVE, **options):
    return calibrate(Plan(even_levels(m), "indexp", privacy, adjacency, options))


def test_a_public_number_of_people_makes_targets_whole():
    target_levels = parameters_for(3, PureDP(1.0), Adjacency.REPLACE_ONE).target_levels
    assert [each.ranks(10) for each in target_levels] == [[2], [5], [7]]


def test_thousands_of_quantiles():
    parameters = parameters_for(5000, ApproxDP(1.0, 1e-6))
    first = parameters.target_levels[0]
    assert (parameters.guarantee.delta, first.floored) == (1e-6, False)
    assert float(2 * first.rate * max(first.level, 1 - first.level)) == pytest.approx(0.0067, abs=1e-4)


def test_a_trace_shows_every_draw_over_everything():
    column = usual_column(range(100), Domain(0, 99, 1), seed=0)
    trace = explain(column, Plan(["1/4", "3/4"], "indexp"), seed=1)
    assert [step.records for step in all_of(DrawStep, trace.steps)] == [(0, 100)] * 2
    assert [step.target for step in trace.steps] == [25.0, 75.0]
    assert trace.values == tuple(sorted(step.value for step in trace.steps))
