"""Figures of studies say what the rows say."""

from __future__ import annotations

from math import log10

import pytest

from dpq_core.figures import studies
from dpq_core.figures.palette import MECHANISM_COLOURS
from dpq_core.studies import engine
from dpq_core.studies.grid import Grid
from dpq_core.studies.search import Question, smallest_budget


@pytest.fixture(scope="module")
def rows() -> list:
    grid = Grid(mechanisms=["aq", "indexp", "slice"], quantiles=[9], n=[200], trials=20)
    return [row for _, row in engine.steps(grid)]


def test_leaderboard_has_the_smallest_mean_on_top(rows):
    figure = studies.draw_leaderboard(rows, many="people")
    served = sorted((row for row in rows if row.supported), key=lambda row: row.mean_error)
    assert [note.text for note in figure.layout.annotations] == [row.label for row in served]
    assert [note.y for note in figure.layout.annotations] == sorted(note.y for note in figure.layout.annotations)
    assert figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1]
    means = [
        trace for trace in figure.data if trace.mode == "markers" and trace.marker.symbol == "circle" and trace.x[0]
    ]
    assert [trace.x[0] for trace in means] == [row.mean_error for row in served]
    assert [trace.marker.color for trace in means] == [MECHANISM_COLOURS[row.mechanism] for row in served]
    assert figure.layout.xaxis.title.text == "rank error (people)"


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


def test_search_marks_what_was_found():
    cell = Grid(mechanisms=["aq"], quantiles=[3], n=[100]).cells()[0]
    found = smallest_budget(Question(cell=cell, wanted=20.0))
    searches = [("aq", cell.method.label, found.visits, found.budget)]
    figure = studies.draw_search(searches, wanted=20.0, axis="ε", many="people")
    tried, star = figure.data[0], figure.data[1]
    assert list(tried.x) == sorted(visit.budget for visit in found.visits)
    assert (list(star.x), list(star.y)) == ([found.budget], [20.0])
    assert figure.layout.shapes[0].y0 == 20.0
    assert all(0 <= below <= error for below, error in zip(tried.error_y.arrayminus, tried.y, strict=True))


def test_an_error_of_zero_stays_on_the_axis():
    assert studies._drawn(0.0) == studies.SMALLEST
    assert studies._drawn(3.0) == 3.0
