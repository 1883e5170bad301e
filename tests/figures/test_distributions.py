"""Figures of the microscope: both distributions on one scale, the band of the claim, the worst output."""

from __future__ import annotations

from math import inf

import pytest

from dpq_core.figures import distributions

NAMES = ("without 3", "with 3")
XS = [0.0, 1.0, 2.0]


def test_both_laws_differ_in_colour_and_dash_and_keep_their_numbers() -> None:
    before, after = distributions.draw_distributions(
        XS, [[0.5, 0.3, 0.2]], [[0.2, 0.3, 0.5]], NAMES, axis="answer"
    ).data
    assert (before.name, after.name) == NAMES
    assert before.line.color != after.line.color
    assert (before.line.dash, after.line.dash) == (None, "dash")
    assert list(before.customdata) == [0.5, 0.5, 0.3, 0.2, 0.2]
    assert list(before.x) == [-0.5, *XS, 2.5]


def test_an_impossible_answer_lies_below_the_axis() -> None:
    figure = distributions.draw_distributions(XS, [[1.0, 0.0, 0.0]], [[0.5, 0.5, 0.0]], NAMES, axis="answer")
    floor = 10 ** figure.layout.yaxis.range[0]
    assert figure.layout.yaxis.type == "log"
    assert figure.data[0].y[2] < floor < min(figure.data[1].y[1:3])
    assert figure.data[0].customdata[2] == 0


@pytest.mark.parametrize(
    ("law", "ticks"), [([0.04, 0.05, 0.06], ["0.05", "0.1"]), ([0.004, 0.3, 0.2], ["0.01", "0.1"])]
)
def test_probabilities_tick_at_plain_numbers_and_two_at_least(law: list[float], ticks: list[str]) -> None:
    axis = distributions.draw_distributions(XS, [law], [law], NAMES, axis="answer").layout.yaxis
    assert list(axis.ticktext) == ticks
    far = [[1e-7, 0.3, 0.7 - 1e-7]]
    axis = distributions.draw_distributions(XS, far, far, NAMES, axis="answer").layout.yaxis
    assert 2 <= len(axis.tickvals) <= distributions.MOST_CHANCES


def test_several_quantiles_are_named_at_their_peaks() -> None:
    rows = [[0.7, 0.2, 0.1], [0.1, 0.2, 0.7]]
    figure = distributions.draw_distributions(XS, rows, rows, NAMES, axis="answer", rows=["25 %", "75 %"])
    assert [(note.text, note.x) for note in figure.layout.annotations] == [("25 %", 0), ("75 %", 2)]
    assert [trace.showlegend for trace in figure.data] == [True, False, True, False]


def test_the_claim_is_a_band_and_the_worst_output_is_marked() -> None:
    figure = distributions.draw_log_ratios(XS, [0.1, -1.4, 0.3], 1, 1.0, ["0", "1", "2"], axis="answer")
    points, worst = figure.data
    assert points.mode == "markers"
    assert (list(worst.x), list(worst.y), worst.name) == ([1.0], [-1.4], "worst output: 1")
    (band, *lines) = figure.layout.shapes
    assert (band.y0, band.y1) == (-1, 1)
    assert sorted(line.y0 for line in lines) == [-1, 1]
    low, high = figure.layout.yaxis.range
    assert low < -1.4
    assert high == -low


def test_an_infinite_ratio_stands_at_the_edge_and_says_so() -> None:
    points, _ = distributions.draw_log_ratios(XS, [inf, -inf, 0.3], 0, 1.0, ["0", "1", "2"], axis="answer").data
    assert list(points.y) == [distributions.BEYOND, -distributions.BEYOND, 0.3]
    assert points.customdata[0] == "possible for one data set only"


def test_without_a_claim_there_is_no_band() -> None:
    figure = distributions.draw_log_ratios(XS, [0.1, 0.2, 0.3], None, inf, ["0", "1", "2"], axis="count")
    assert not figure.layout.shapes
    assert len(figure.data) == 1


def test_many_outputs_are_one_line() -> None:
    many = [float(x) for x in range(distributions.MOST_MARKED_POINTS + 1)]
    figure = distributions.draw_log_ratios(many, many, 0, 1.0, [str(x) for x in many], axis="answers")
    assert figure.data[0].mode == "lines"


def test_divergences_stand_against_the_claim() -> None:
    line, largest = distributions.draw_divergences([1.01, 2, 10], [0.3, 0.2, 0.1], 0.15).data[-2:]
    assert list(line.y) == [0.3, 0.2, 0.1]
    assert list(largest.x) == [1.01]


@pytest.mark.parametrize("of", ["people", "quantiles"])
def test_losses_by_size_name_what_grows(of: str) -> None:
    figure = distributions.draw_losses_by_size([3, 7], [0.3, 2.0], [0.1, 0.1], 1.0, of=of)
    assert figure.layout.xaxis.title.text == f"number of {of}"
    printed, fixed = figure.data
    assert (list(printed.y), list(fixed.y)) == ([0.3, 2.0], [0.1, 0.1])
    assert printed.line.color != fixed.line.color
    assert printed.line.dash != fixed.line.dash
