"""What the figures say: axes, marks, and that a release draws nothing but answers, asked levels and bounds."""

from __future__ import annotations

import json

import pytest

from dpq_core.figures import frame
from dpq_core.figures.quantiles import draw_column, draw_distribution, draw_rank_errors, draw_release
from dpq_core.figures.svg_export import as_html
from dpq_core.mechanisms import MECHANISMS

LEVELS = [0.25, 0.5, 0.75]
TRUE, PRIVATE = [20.0, 38.0, 51.0], [22.0, 38.0, 47.0]
CDF = ([17.0, 38.0, 90.0], [0.1, 0.5, 1.0])


def distribution():
    return draw_distribution(LEVELS, TRUE, PRIVATE, CDF, axis="age (years)", many="people")


def test_the_distribution_shows_steps_and_both_kinds_of_quantiles() -> None:
    figure = distribution()
    steps, bars, true, private = figure.data
    assert (figure.layout.xaxis.title.text, figure.layout.yaxis.title.text) == ("age (years)", "share of people")
    assert (steps.line.shape, steps.mode) == ("hv", "lines")
    assert list(true.x) == TRUE
    assert list(private.x) == PRIVATE
    assert list(bars.x) == [20, 22, None, 38, 38, None, 51, 47, None]


def test_true_and_private_differ_in_colour_and_marker() -> None:
    _, _, true, private = distribution().data
    assert true.marker.color != private.marker.color
    assert true.marker.symbol != private.marker.symbol


def test_rank_errors_share_the_vertical_axis_and_are_centred() -> None:
    figure = draw_rank_errors(LEVELS, [2, 0, -9], [-10, -3, -12], [10, 3, 4], many="people")
    assert figure.layout.yaxis.range == distribution().layout.yaxis.range
    assert figure.layout.margin == distribution().layout.margin
    low, high = figure.layout.xaxis.range
    assert low == -high
    assert high > 12
    assert figure.layout.xaxis.title.text == "rank error (people)"


def test_a_release_holds_answers_levels_and_bounds_only() -> None:
    figure = draw_release(LEVELS, PRIVATE, axis="age", bounds=(0.0, 120.0), many="people")
    answers, possible, held = figure.data
    assert (list(answers.x), list(answers.y)) == (PRIVATE, LEVELS)
    assert (possible.x, held.x) == ((0, 120), (22, 47))
    assert figure.layout.xaxis2.range == (0, 120)


@pytest.mark.parametrize("answers", [PRIVATE, [38.0, 38.0, 38.0], [0.0, 0.0, 120.0]])
def test_a_release_is_as_wide_as_its_answers_and_within_the_bounds(answers: list[float]) -> None:
    low, high = draw_release(LEVELS, answers, axis="age", bounds=(0.0, 120.0), many="people").layout.xaxis.range
    assert -0.05 * 120 < low < min(answers)
    assert max(answers) < high < 1.05 * 120
    assert high - low < 4 * max(max(answers) - min(answers), 10)


def test_many_quantiles_are_two_curves_and_an_area_between_them() -> None:
    levels = [k / 100 for k in range(1, 100)]
    true, private = [100 * level for level in levels], [100 * level + 1 for level in levels]
    ends = (list(true), list(private))
    area, steps, other = draw_distribution(levels, true, private, CDF, axis="age", many="people", intervals=ends).data
    assert (steps.line.shape, other.line.shape, other.fill) == ("hv", "hv", "tonexty")
    assert (list(steps.x), list(other.x)) == (true, private)
    assert (area.fill, len(area.x)) == ("toself", 198)
    band, line = draw_rank_errors(levels, [1.0] * 99, [-2.0] * 99, [3.0] * 99, many="people").data
    assert (band.fill, line.mode) == ("toself", "lines")
    release = draw_release(levels, private, axis="age", bounds=(0.0, 120.0), many="people").data[0]
    assert (release.mode, release.line.shape) == ("lines", "hv")


def test_a_column_beside_the_truth_differs_in_colour_and_dash() -> None:
    true, private = draw_column(CDF, CDF, axis="age", bounds=(0.0, 120.0)).data
    assert (list(true.x), list(true.y)) == CDF
    assert (private.line.dash, true.line.dash) == ("dash", None)
    assert private.line.color != true.line.color
    assert list(private.x) == [0, *CDF[0], 120]
    assert list(private.y) == [0, *CDF[1], 1]


def test_a_released_column_holds_answers_and_bounds_only() -> None:
    figure = draw_column(CDF, None, axis="age", bounds=(0.0, 120.0))
    (trace,) = figure.data
    assert set(trace.x) == {0, 120, *CDF[0]}
    assert figure.layout.xaxis.range == (0, 120)


def test_a_far_tail_does_not_squeeze_a_column() -> None:
    tail = ([0.0, 10.0, 20.0, 9e6], [0.02, 0.5, 0.995, 1.0])
    low, high = draw_column(tail, tail, axis="x", bounds=(0.0, 1e7)).layout.xaxis.range
    assert low < 0
    assert 10 < high < 100
    draw_column(([], []), ([], []), axis="x", bounds=(0.0, 1.0))


def test_dates_stay_text() -> None:
    figure = draw_release([0.5], ["2024-01-31"], axis="day", bounds=("2020-01-01", "2030-12-31"), many="records")
    assert list(figure.data[0].x) == ["2024-01-31"]


@pytest.mark.parametrize("count", [0, 1, 99])
def test_any_number_of_levels(count: int) -> None:
    levels = [k / (count + 1) for k in range(1, count + 1)]
    zeros = [0.0] * count
    for figure in (
        draw_rank_errors(levels, zeros, zeros, zeros, many="people"),
        draw_distribution(levels, zeros, zeros, CDF, axis="x", many="people"),
    ):
        assert list(figure.data[-1].y) == levels


def test_no_figure_paints_a_ground_of_its_own() -> None:
    for figure in (distribution(), draw_release(LEVELS, PRIVATE, axis="age", bounds=(0, 1), many="people")):
        assert figure.layout.paper_bgcolor.endswith(" 0)")
        assert figure.layout.plot_bgcolor.endswith(" 0)")
        assert "white" not in json.dumps(figure.to_dict()["layout"].get("xaxis", {}), default=str)


def test_one_page_of_figures_is_whole_and_escapes_names() -> None:
    page = as_html([distribution(), distribution()], title="<script>age", paragraphs=["a < b"])
    assert "<script>age" not in page
    assert "a &lt; b" in page
    assert page.count("<svg") == 2
    assert "<script" not in page
    assert 'src="http' not in page


def test_every_mechanism_has_a_colour_of_its_own() -> None:
    assert set(MECHANISMS) <= set(frame.MECHANISM_COLOURS)
    assert len(set(frame.MECHANISM_COLOURS.values())) == len(frame.MECHANISM_COLOURS)
