"""Figures that plotly does not check on their way to the browser: what is sent is what plotly would send."""

from __future__ import annotations

import json
from typing import Any

import plotly.graph_objects as go
import plotly.io
import pytest

from dpq_core.figures.cloud import draw_cloud
from dpq_core.figures.frame import PlainFigure, plain
from dpq_core.figures.lessons import draw_answers, draw_predictions
from dpq_core.figures.quantiles import draw_column, draw_distribution, draw_rank_errors
from tests.figures.test_cloud import cloud_of

STEPS = ([17.0, 38.0, 90.0], [0.1, 0.5, 1.0])
ENDS = ([15.0, 30.0], [25.0, 40.0])


def drawn() -> list[PlainFigure]:
    return [
        draw_distribution([0.25, 0.5], [20.0, 38.0], [22.0, 37.0], STEPS, axis="age", many="people", intervals=ENDS),
        draw_distribution([0.5], [2.0], [9e6], STEPS, axis="pay", many="people", wide=True),
        draw_rank_errors([0.25, 0.5], [3.0, -1.0], [-5.0, -4.0], [6.0, 4.0], many="people"),
        draw_column(STEPS, STEPS, axis="age", bounds=(0.0, 120.0)),
        draw_cloud(cloud_of(3), axis="age", many="people"),
        draw_cloud(cloud_of(1, dated=True), axis="day", many="people"),
        draw_cloud(cloud_of(30), axis="age", many="people", wide=True),
        draw_predictions(["it moves", "it stays"], [3, 0], 1),
        draw_answers([38.0, 36.5, 38.0], 38.0, "median (years)"),
    ]


def sent(figure: Any) -> Any:
    """Return what the browser gets, as Streamlit writes it down."""
    return json.loads(plotly.io.to_json(figure, validate=False))


@pytest.mark.parametrize("at", range(len(drawn())))
def test_what_is_sent_is_what_plotly_would_send(at: int) -> None:
    figure, other = drawn()[at], drawn()[at]
    assert isinstance(figure, PlainFigure)
    assert sent(figure) == sent(other.checked)


def test_what_was_looked_into_may_be_changed() -> None:
    figure = drawn()[0]
    figure.update_layout(height=123)
    assert sent(figure)["layout"]["height"] == 123


def test_a_part_that_plotly_does_not_know_is_found() -> None:
    with pytest.raises(ValueError, match="colour"):
        PlainFigure([{"type": "scatter", "colour": 1}], {}).checked  # noqa: B018 - looks into it


def test_a_figure_for_many_is_the_same() -> None:
    figure = go.Figure().add_bar(x=[1, 2], y=[3, 4]).add_hline(y=1, annotation_text="here")
    assert sent(plain(figure)) == sent(figure)
