"""Figures of studies say what the rows say."""

from __future__ import annotations

from dataclasses import replace
from math import log10

import pytest

from dpq_core import MECHANISMS, PureDP
from dpq_core.figures import studies
from dpq_core.figures.frame import MECHANISM_COLOURS, MECHANISM_SYMBOLS
from dpq_core.studies import engine
from dpq_core.studies.grid import Grid
from dpq_core.studies.search import BudgetSearch, SearchResult, steps
from tests.narrowing import only


@pytest.fixture(scope="module")
def rows() -> list[engine.Row]:
    grid = Grid(mechanisms=["aq", "indexp", "slice"], quantiles=[9], n=[200], trials=20)
    return [row for _, row in engine.steps(grid)]


def test_leaderboard_has_the_smallest_mean_on_top(rows):
    figure = studies.draw_leaderboard(rows, many="people")
    served = sorted((row for row in rows if row.supported), key=lambda row: row.mean_error)
    assert [note.text for note in figure.layout.annotations] == [row.label for row in served], "none failed"
    assert [note.y for note in figure.layout.annotations] == sorted(note.y for note in figure.layout.annotations)
    assert figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1]
    means = [
        trace for trace in figure.data if trace.mode == "markers" and trace.marker.symbol == "circle" and trace.x[0]
    ]
    assert [trace.x[0] for trace in means] == [row.mean_error for row in served]
    assert [trace.marker.color for trace in means] == [MECHANISM_COLOURS[row.mechanism] for row in served]
    assert figure.layout.xaxis.title.text == "rank error (people)"


def test_leaderboard_shows_the_median_run_and_names_what_failed(rows):
    served = [row for row in rows if row.supported]
    failing = replace(served[0], mean_error=5e3, max_error=5e3, mean_error_median=7.0, failed=2, trials=100)
    figure = studies.draw_leaderboard([failing, served[1]], many="people")
    notes = [note.text for note in figure.layout.annotations]
    assert notes[-1] == f"{failing.label} <b>· failed in 2 of 100 runs</b>"
    assert "failed" not in notes[0]
    strokes = [trace.x[0] for trace in figure.data if trace.marker.symbol == "line-ns" and trace.x[0]]
    assert 7.0 in strokes
    assert log10(5000.0) < figure.layout.xaxis.range[1]


def test_an_error_of_zero_stands_on_the_left_edge(rows):
    none = replace(next(row for row in rows if row.supported), mean_error=0.0, mean_error_low=0.0)
    figure = studies.draw_leaderboard([none], many="people")
    least = min(x for trace in figure.data for x in trace.x if x is not None)
    assert figure.layout.xaxis.range[0] == pytest.approx(log10(least), abs=0.03)
    powers_of_ten(figure.layout.xaxis)


def powers_of_ten(axis):
    assert axis.type == "log"
    assert len(axis.tickvals) >= 2, "a single tick tells no distance"
    assert all(log10(tick) == pytest.approx(round(log10(tick))) for tick in axis.tickvals)
    assert all(axis.range[0] <= log10(tick) <= axis.range[1] for tick in axis.tickvals)
    return list(axis.ticktext)


def test_every_logarithmic_axis_ticks_at_powers_of_ten_in_plain_numbers(rows):
    assert {"1", "10"} <= set(powers_of_ten(studies.draw_leaderboard(rows, many="people").layout.xaxis))
    grid = Grid(mechanisms=["aq"], quantiles=[3], n=[100], budgets=[PureDP(0.3), PureDP(0.6)], trials=20)
    points = [(row.epsilon, row) for _, row in engine.steps(grid)]
    layout = studies.draw_sweep(points, measure="mean", axis="ε", many="people").layout
    assert powers_of_ten(layout.xaxis) == ["0.1", "1"], "0.3 to 0.6 holds no power of ten: the axis goes on to two"
    powers_of_ten(layout.yaxis)


def test_nothing_on_a_leaderboard_lies_beyond_its_axis(rows):
    figure = studies.draw_leaderboard(rows, many="people")
    low, high = figure.layout.xaxis.range
    drawn = [x for trace in figure.data for x in trace.x if x is not None]
    assert low <= min(map(log10, drawn))
    assert max(map(log10, drawn)) <= high


def test_a_leaderboard_without_any_mechanism_is_empty(rows):
    refused = [row for row in rows if not row.supported]
    assert refused, "slices do not fit into 200 records"
    assert not studies.draw_leaderboard(refused, many="people").layout.annotations


@pytest.mark.parametrize("measure", ["mean", "max"])
def test_sweep_has_a_line_a_band_and_a_bound_for_each_mechanism(measure):
    grid = Grid(mechanisms=["aq", "indexp"], quantiles=[3], n=[100, 1000], trials=20)
    points = [(row.n, row) for _, row in engine.steps(grid)]
    figure = studies.draw_sweep(points, measure=measure, axis="records", many="people", here=500)
    lines = {trace.legendgroup: trace for trace in figure.data if trace.mode == "lines+markers"}
    assert set(lines) == {row.label for _, row in points}
    assert [trace.name for trace in lines.values()] == ["AQ", "IndExp"]
    for label, line in lines.items():
        mine = sorted((x, row) for x, row in points if row.label == label)
        assert list(line.x) == [x for x, _ in mine]
        assert list(line.y) == [getattr(row, f"{measure}_error") for _, row in mine]
    assert sum(trace.fill == "toself" for trace in figure.data) == 2
    assert figure.layout.yaxis.type == figure.layout.xaxis.type == "log"
    assert figure.layout.shapes[0].x0 == 500


def test_a_sweep_shows_what_no_mechanism_can_be_below_where_it_is_known():
    grid = Grid(mechanisms=["indexp"], quantiles=[1], n=[100], budgets=[PureDP(0.5), PureDP(1.0)], trials=20)
    points = [(row.epsilon, row) for _, row in engine.steps(grid)]
    known = [(0.5, 0.96), (1.0, 0.01)]
    figure = studies.draw_sweep(points, measure="mean", axis="ε", many="people", least=known)
    (line,) = [trace for trace in figure.data if trace.name == "least possible if all values differ"]
    assert (list(line.x), list(line.y)) == ([0.5, 1.0], [0.96, studies.SMALLEST])
    assert list(line.customdata) == [0.96, 0.01]


@pytest.fixture(scope="module")
def searches() -> list[studies.Search]:
    """What was found for three mechanisms whose smallest budgets lie close to each other."""
    found: list[studies.Search] = []
    for key in ("aq", "jointexp", "indexp"):
        configuration = Grid(mechanisms=[key], quantiles=[3], n=[100]).configurations()[0]
        answer = only(SearchResult, list(steps(BudgetSearch(configuration=configuration, wanted=20.0)))[-1][1])
        found.append((key, configuration.method.label, answer.visits, answer.budget))
    return found


def test_search_marks_what_was_found(searches):
    figure = studies.draw_search(searches, wanted=20.0, axis="ε", many="people")
    tried = [trace for trace in figure.data if trace.mode == "lines+markers"]
    marks = [trace for trace in figure.data if trace.yaxis == "y2"]
    assert [list(line.x) for line in tried] == [sorted(visit.budget for visit in search[2]) for search in searches]
    assert [mark.x[0] for mark in marks] == sorted(search[3] for search in searches)
    assert figure.layout.shapes[0].y0 == 20.0
    for line in tried:
        assert all(0 <= below <= error for below, error in zip(line.error_y.arrayminus, line.y, strict=True))
    powers_of_ten(figure.layout.xaxis)
    powers_of_ten(figure.layout.yaxis)
    low, high = figure.layout.yaxis.range
    assert low <= log10(20.0) <= high
    assert figure.layout.yaxis.domain[1] < figure.layout.yaxis2.domain[0]


def test_what_was_found_is_told_apart_by_colour_shape_name_and_place(searches):
    """Equal budgets had stars on one spot of one line; here two of the three are made equal."""
    (key, label, visits, _), *rest = searches
    figure = studies.draw_search([(key, label, visits, rest[0][3]), *rest], wanted=20.0, axis="ε", many="people")
    marks = [trace for trace in figure.data if trace.yaxis == "y2"]
    assert {mark.text[0] for mark in marks} == {"<b>AQ</b>", "<b>JointExp</b>", "<b>IndExp</b>"}
    assert len({mark.marker.symbol for mark in marks}) == len({mark.marker.color for mark in marks}) == 3
    assert [mark.y[0] for mark in marks] == [0, 1, 2], "a row for each"
    bottom, top = figure.layout.yaxis2.range
    assert all(top < mark.y[0] < bottom for mark in marks)
    lines = {trace.name: trace.marker for trace in figure.data if trace.mode == "lines+markers"}
    for mark in marks:
        same = lines[mark.text[0][3:-4]]
        assert (mark.marker.color, mark.marker.symbol) == (same.color, same.symbol)


def test_a_search_that_found_nothing_has_no_rows(searches):
    none = [(key, label, visits, None) for key, label, visits, _ in searches]
    figure = studies.draw_search(none, wanted=20.0, axis="ε", many="people")
    assert not [trace for trace in figure.data if trace.yaxis == "y2"]


def test_every_mechanism_has_a_colour_and_a_mark_of_its_own():
    assert set(MECHANISM_SYMBOLS) == set(MECHANISM_COLOURS) == set(MECHANISMS)
    assert len(set(MECHANISM_SYMBOLS.values())) == len(MECHANISMS)


def test_an_error_of_zero_stays_on_the_axis():
    assert studies._drawn(0.0) == studies.SMALLEST
    assert studies._drawn(3.0) == 3.0
