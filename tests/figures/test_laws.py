"""What every figure keeps to: names are text, a release shows no truth, axes hold their points."""

import json
import re
from math import log10
from typing import Any

import numpy as np
import plotly.graph_objects as go
import plotly.io
import pytest
from plotly.offline import get_plotlyjs

from dpq_core import MECHANISMS
from dpq_core.figures.axes import Axis, around, axis_of, value_range
from dpq_core.figures.frame import MECHANISM_COLOURS, MECHANISM_SYMBOLS, PlainFigure, as_html, shown
from dpq_core.figures.papers import LOOKS, draw_panel
from dpq_core.figures.quantiles import draw_release
from dpq_core.figures.rows import Panel, Row, draw_rows
from dpq_core.frame import iso_date
from dpq_core.papers.figures import CURVES
from tests.figures.test_approved import BOUNDS, FIGURES, LEVELS, PRIVATE, cloud_of
from tests.narrowing import present

EVIL = "<script>alert(1)</script>"
DRAWN = {name: found for name, draw in FIGURES.items() if isinstance(found := draw(), go.Figure)}


def points(figure: Any, axis: str) -> list[float]:
    """Return the numbers that a figure draws along its first axis `x` or `y`."""
    own = [trace for trace in figure.data if getattr(trace, f"{axis}axis", None) in (None, axis)]
    found = [value for trace in own if trace[axis] is not None for value in trace[axis]]
    return [value for value in found if isinstance(value, int | float) and value == value]


def test_an_axis_of_dates_ends_near_the_first_and_the_last_day_of_the_data() -> None:
    assert around(["2024-03-01", "2025-10-01"], ["2024-01-01", "2025-12-31"]) == ["2023-12-03", "2026-01-29"]
    assert around(["2025-01-01", "2025-02-01"], ["1900-01-01", "2100-12-31"]) == ["2024-12-11", "2025-02-22"], "a tail"


@pytest.mark.parametrize("name", [name for name in DRAWN if name.split()[0] in ("board", "sweep", "search", "stream")])
def test_logarithmic_axes_hold_every_point_and_tick_at_plain_powers_of_ten(name: str) -> None:
    figure = DRAWN[name]
    for along in ("x", "y"):
        axis = figure.layout[f"{along}axis"]
        if axis.type != "log" or axis.range is None:
            continue
        assert len(axis.tickvals) >= 2, "a single tick tells no distance"
        assert all(log10(tick) == pytest.approx(round(log10(tick))) for tick in axis.tickvals)
        assert {tick.strip("0.,kMB") for tick in axis.ticktext} == {"1"}
        low, high = axis.range
        assert all(low <= log10(place) <= high for place in [*points(figure, along), *axis.tickvals])


@pytest.mark.parametrize("answers", [PRIVATE, [38.0, 38.0, 38.0], [0.0, 0.0, 120.0]])
def test_a_release_holds_answers_levels_and_bounds_and_an_axis_of_these_alone(answers: list[float]) -> None:
    figure = draw_release(LEVELS, answers, axis="age", bounds=BOUNDS, many="people")
    shown = {value for trace in figure.data for value in (*trace.x, *(trace.y if trace.yaxis != "y2" else ()))}
    assert shown <= {*answers, *LEVELS, *BOUNDS}
    low, high = figure.layout.xaxis.range
    assert -0.05 * 120 < low < min(answers)
    assert max(answers) < high < 1.05 * 120
    assert high - low < 4 * max(max(answers) - min(answers), 10)


def test_released_groups_show_nothing_of_the_truth() -> None:
    rows = [Row(name, (value,), (value, value), value, name) for name, value in (("a", 10.0), ("b", 40.0))]
    figure = draw_rows([Panel(rows, "pay")])
    assert {trace.name for trace in figure.data} == {"private", None}
    low, high = figure.layout.xaxis.range
    assert low <= 10 < 40 <= high < 45


def rows_of(name: str) -> Any:
    return draw_rows([Panel([Row(name, (1.0, 2.0, 3.0), (1.0, 3.0), 2.0, name)], name)])


def test_typed_names_are_text() -> None:
    figures = [
        rows_of(EVIL),
        draw_release(LEVELS, PRIVATE, axis=EVIL, bounds=BOUNDS, many="people"),
        draw_panel([], title=EVIL, x=EVIL, y=EVIL, x_range=None, y_range=None, log_x=False, log_y=False),
        cloud_of(LEVELS, axis=EVIL),
    ]
    for figure in figures:
        assert "&lt;script" in figure.to_json()
        assert "<script" not in json.dumps(figure.to_plotly_json(), default=str)


def test_a_release_over_decades_shows_its_answers_and_not_the_far_bounds() -> None:
    answers, bounds = (30.0, 2500.0, 180_000.0), (-1e15, 1e15)
    figure = draw_release([0.1, 0.5, 0.9], answers, axis="x", bounds=bounds, many="people", wide=True)
    trace, possible, held = figure.data
    assert tuple(trace.customdata) == answers
    assert possible.x[0] < held.x[0] < held.x[1] < possible.x[1]
    low, high = figure.layout.xaxis.range
    assert low < min(trace.x) < max(trace.x) < high < 10


def test_every_mechanism_has_a_colour_and_a_mark_of_its_own_and_every_curve_a_dash() -> None:
    for looks in (MECHANISM_COLOURS, MECHANISM_SYMBOLS):
        assert set(looks) == set(MECHANISMS)
        assert len(set(looks.values())) == len(MECHANISMS)
    assert {curve.look for curve in CURVES.values()} == set(LOOKS)
    assert len(set(LOOKS.values())) == len(LOOKS)


def test_a_file_of_figures_asks_no_other_machine_and_holds_names_as_text() -> None:
    named = [shown(rows_of(EVIL)), DRAWN["losses"]]
    page = as_html(named, title=EVIL, paragraphs=[EVIL]).replace(get_plotlyjs(), "")
    assert page.count('class="plotly-graph-div"') == 2
    assert page.count("simulated, not private") == 1
    assert not re.findall("src=|href=|<script>alert|</script>alert", page)
    assert as_html(named, title=EVIL, paragraphs=[EVIL]).replace(get_plotlyjs(), "") == page


# ── figures that plotly does not check on their way to the browser ───────────────────────────────────────────────────


def sent(figure: Any) -> Any:
    """Return what the browser gets, as Streamlit writes it down."""
    return json.loads(plotly.io.to_json(figure, validate=False))


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("name", DRAWN)
def test_what_is_sent_is_what_plotly_would_send(name: str) -> None:
    figure, other = FIGURES[name](), FIGURES[name]()
    assert sent(figure) == sent(other.checked)
    figure.update_layout(height=123)
    assert sent(figure)["layout"]["height"] == 123


def test_a_part_that_plotly_does_not_know_is_found() -> None:
    with pytest.raises(ValueError, match="colour"):
        PlainFigure([{"type": "scatter", "colour": 1}], {}).checked  # noqa: B018 - looks into it


# ── scales that stand still, and values many decades apart ───────────────────────────────────────────────────────────

AGES = [17.0, 30.0, 45.0, 75.0, 90.0], [0.01, 0.25, 0.75, 0.99, 1.0]
TAIL = [0.0, 20_000.0, 45_000.0, 90_000.0, 990_000.0], [0.01, 0.25, 0.75, 0.99, 1.0]


@pytest.mark.parametrize(("answers", "ends", "texts"), [
    ([22.0, 38.0, 59.0], (20, 60), ["20", "30", "40", "50", "60"]), ([37.0, 38.0], (37, 38), ["37", "38"]),
    ([37.0], (0, 120), ["0", "50", "100"]), ([], (0, 120), ["0", "50", "100"]),
    ([3.0, 119.0], (0, 120), ["0", "50", "100"]), ([10.0, 35.0], (10, 35), ["10", "15", "20", "25", "30", "35"]),
    ([31_000.0, 48_500.0], (30_000, 48_500), ["30000", "35000", "40000", "45000"]),
])  # fmt: skip
def test_an_axis_of_rows_begins_and_ends_at_round_numbers_or_at_a_bound(answers, ends, texts):
    axis = axis_of(answers, (0.0, max(120.0, *answers, 0.0)), lambda value: f"{value:.0f}", least=1.0)
    assert (axis.low, axis.high) == ends
    assert [text for _, text in axis.ticks] == texts
    assert [axis.share(float(text)) for text in texts] == pytest.approx([place for place, _ in axis.ticks])
    assert [Axis(20.0, 40.0).share(value) for value in (0.0, 20.0, 33.0, 99.0)] == [0, 0, 0.65, 1]


@pytest.mark.parametrize(("answers", "texts"), [
    ([15_000.0, 15_100.0], ["2011-02-07", "2011-03-17", "2011-04-23"]),
    ([15_000.0, 16_000.0], ["2011-06-01", "2012-06-01", "2013-07-01"]),
    ([10_000.0, 20_000.0], ["2001-01-01", "2011-01-01", "2021-01-01"]),
])  # fmt: skip
def test_an_axis_of_dates_has_round_ones(answers: list[float], texts: list[str]) -> None:
    ticks = axis_of(answers, (0.0, 1.0), iso_date).ticks
    assert [text for _, text in ticks] == texts
    assert [place for place, _ in ticks] == pytest.approx([1 / 8, 1 / 2, 7 / 8], abs=1 / 20)


def test_far_bounds_are_not_shown_until_an_answer_lies_there() -> None:
    near = present(value_range([20_000.0, 45_000.0], [21_000.0, 44_000.0], TAIL, (0, 1_000_000)))
    assert near[1] < 150_000
    assert value_range([20_000.0, 45_000.0], [19_000.0, 50_000.0], TAIL, (0, 1_000_000)) == near
    far = present(value_range([20_000.0, 45_000.0], [21_000.0, 700_000.0], TAIL, (0, 1_000_000)))
    assert 700_000 < far[1] <= 1_030_000


@pytest.mark.parametrize("true", [[50.0, 50.5], [-20.0, 60.0], [50.0, 80.0]])
def test_true_quantiles_beyond_found_bounds_are_on_the_axis_with_the_answers(true: list[float]) -> None:
    spread = np.linspace(true[0], true[1], 99).tolist(), np.linspace(0.01, 0.99, 99).tolist()
    low, high = present(value_range(true, [1.0, 9.0], spread, (0.0, 10.0)))
    assert low < min(1.0, true[0])
    assert max(9.0, true[1]) < high


def test_an_answer_beyond_bounds_and_truth_has_a_place_on_the_axis() -> None:
    low, high = present(value_range([4.0], [-2.0, 25.0], ([3.0, 5.0], [0.5, 1.0]), (0.0, 10.0)))
    assert low < -2 < 25 < high
