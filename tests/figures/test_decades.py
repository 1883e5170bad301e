"""Values many decades apart on one axis."""

from __future__ import annotations

import pytest

from dpq_core.figures.axes import Decades, decades_of, plain
from dpq_core.figures.quantiles import draw_release
from dpq_core.figures.report_chart import axis_of


def test_an_axis_over_decades_is_symmetric_and_increasing():
    axis = Decades(0)
    values = [-1000.0, -10.0, -1.0, -0.5, 0.0, 0.5, 1.0, 10.0, 1000.0]
    assert axis.along(values) == [-4, -2, -1, -0.5, 0, 0.5, 1, 2, 4]
    assert axis.along([None, "2024-01-31"]) == [None, "2024-01-31"]


@pytest.mark.parametrize(
    ("marks", "power"),
    [([20, 90], None), ([0, 0], None), ([], None), ([float("nan")], None), ([30, 2000], 1), ([0, -0.02, 900], -2)],
)
def test_a_linear_axis_stays_where_it_shows_the_values(marks, power):
    found = decades_of(marks)
    assert (found and found.unit_power) == power


def test_ticks_are_plain_numbers_of_both_signs():
    ticks = Decades(2).ticks(-2.4, 4.2)
    assert ticks == {
        "tickvals": [-2, -1, 0, 1, 2, 3, 4],
        "ticktext": ["−1,000", "−100", "0", "100", "1,000", "10k", "100k"],
    }
    assert len(Decades(-6).ticks(0, 40)["tickvals"]) <= 8
    assert Decades(-6).ticks(1, 1)["ticktext"] == ["1e-6"]
    assert [plain(power) for power in (11, 12, 16)] == ["100B", "1e12", "1e16"]


def test_a_release_over_decades_shows_its_answers_and_not_the_far_bounds():
    answers, bounds = (30.0, 2500.0, 180_000.0), (-1e15, 1e15)
    figure = draw_release([0.1, 0.5, 0.9], answers, axis="x", bounds=bounds, many="people", wide=True)
    trace, possible, held = figure.data
    assert tuple(trace.customdata) == answers
    assert possible.x[0] < held.x[0] < held.x[1] < possible.x[1]
    low, high = figure.layout.xaxis.range
    assert low < min(trace.x) < max(trace.x) < high < Decades(1).at(1e9)
    assert "%{customdata" in trace.hovertemplate
    near = draw_release([0.1, 0.9], (30.0, 60.0), axis="x", bounds=bounds, many="people", wide=True)
    assert near.data[0].x == (30.0, 60.0)
    assert 0 < near.layout.xaxis.range[0] < 30
    assert 60 < near.layout.xaxis.range[1] < 100


def test_a_ladder_over_decades_is_even_in_them():
    axis = axis_of([1.0, 100.0, 10_000.0], (0.0, 1e6), wide=True)
    assert [axis.share(value) for value in (1, 100, 10_000)] == [0, 0.5, 1]
