"""Still drawings: what stands where in pixels, that nothing else is needed, and that what is unknown is an error."""

from __future__ import annotations

import re
from fractions import Fraction
from xml.etree import ElementTree

import plotly.graph_objects as go
import pytest

from dpq_core.figures.quantiles import draw_distribution, draw_rank_errors
from dpq_core.figures.svg_export.sheet import as_html, draw_still

MARGIN = {"l": 60, "r": 100, "t": 50, "b": 50}
"""Leaves an area of 600 pixels by 200."""
SVG = "{http://www.w3.org/2000/svg}"


def area(**layout: object) -> go.Figure:
    return go.Figure().update_layout(height=300, margin=MARGIN, **layout)


def tree(figure: go.Figure) -> ElementTree.Element:
    return ElementTree.fromstring(draw_still(figure, alt="a figure"))


def paths(figure: go.Figure) -> list[str]:
    """The paths of the traces."""
    (plotted,) = tree(figure).findall(f"{SVG}g")
    return [path.get("d", "") for path in plotted.iter(f"{SVG}path")]


def texts(figure: go.Figure) -> list[str]:
    return [text.text or "" for text in tree(figure).iter(f"{SVG}text")]


def test_points_stand_where_their_numbers_say() -> None:
    figure = area(xaxis={"range": [0, 60]}, yaxis={"range": [0, 2]})
    figure.add_scatter(x=[0, 15, None, 60], y=[0, 1, 1, 2], mode="lines", line={"color": "red"})
    assert paths(figure) == ["M60,250L210,150M660,50"]


def test_a_logarithmic_axis_a_reversed_one_and_one_of_dates() -> None:
    figure = area(xaxis={"type": "log", "range": [0, 2]}, yaxis={"range": [10, 0]})
    figure.add_scatter(x=[1, 10, 0, 100], y=[0, 5, 5, 10], mode="lines", line={"color": "red"})
    assert paths(figure) == ["M60,50L360,150M660,250"], "a zero has no place on it"
    dated = area(xaxis={"range": ["2024-01-01", "2024-03-01"]}, yaxis={"range": [0, 1]})
    dated.add_scatter(x=["2024-01-01", "2024-01-31", "–"], y=[0, 0, 0], mode="lines", line={"color": "red"})
    assert paths(dated) == ["M60,250H360"]


def test_steps_areas_and_error_bars() -> None:
    figure = area(xaxis={"range": [0, 6]}, yaxis={"range": [0, 2]})
    figure.add_scatter(x=[0, 2, 4], y=[0, 1, 2], mode="lines", line={"color": "red", "shape": "hv"})
    figure.add_scatter(x=[0, 6, 6], y=[0, 0, 2], mode="lines", fill="toself", fillcolor="blue", line={"width": 0})
    figure.add_scatter(
        x=[3], y=[1], mode="markers", marker={"symbol": "square", "color": "red"},
        error_y={"array": [0.5], "arrayminus": [1], "color": "red", "width": 0, "thickness": 1},
    )  # fmt: skip
    assert paths(figure) == [
        "M60,250H260V150H460V50", "M60,250H660V50z", "M360,100V250", "M360,150m3,-3l0,6 -6,0 0,-6z"
    ]  # fmt: skip


@pytest.mark.parametrize("lying", [False, True])
def test_bars(lying: bool) -> None:
    figure = area(xaxis={"range": [0, 6]}, yaxis={"range": [0, 2]})
    if lying:
        figure.add_bar(orientation="h", base=[1], x=[2], y=[1], width=1, marker={"color": "red"})
    else:
        figure.add_bar(x=[2], y=[1], width=2, marker={"color": ["red"]})
    (bar,) = (rect for rect in tree(figure).iter(f"{SVG}rect") if rect.get("fill") == "red")
    box = [float(bar.get(name, "")) for name in ("x", "y", "width", "height")]
    assert box == ([160, 100, 200, 100] if lying else [160, 150, 200, 100])


def test_words_of_a_person_stay_text() -> None:
    evil = "</text><script>alert(1)</script>"
    figure = area(xaxis={"title": evil}, title=evil)
    figure.add_scatter(
        x=[1], y=[1], mode="markers+text", text=[f"{evil}<br><b>bold</b>"], name=evil, hovertemplate=evil,
        marker={"color": "red"}, showlegend=True,
    )  # fmt: skip
    figure.add_annotation(x=0, xref="paper", y=1, text=evil)
    drawn = draw_still(figure, alt=evil)
    assert "<script" not in drawn
    assert "alert(1)" in drawn
    assert "bold" in texts(figure)
    ElementTree.fromstring(drawn)


def test_what_is_not_known_is_an_error() -> None:
    with pytest.raises(ValueError, match="a trace of type heatmap cannot be drawn"):
        draw_still(area().add_heatmap(x=[1], y=[1], z=[[1]]), alt="")
    with pytest.raises(ValueError, match="a marker star cannot be drawn"):
        draw_still(area().add_scatter(x=[1], y=[1], mode="markers", marker={"symbol": "star"}), alt="")


def test_a_page_of_very_many_quantiles_is_small_and_needs_no_script() -> None:
    """The most that the page lets one ask for, with every figure that it draws of them."""
    count = 2000
    levels = [float(Fraction(k, count + 1)) for k in range(1, count + 1)]
    true = [1000 * level for level in levels]
    errors = [(37 * k) % 101 - 50.0 for k in range(count)]
    private = [value + error for value, error in zip(true, errors, strict=True)]
    cdf = ([k / 2 for k in range(count)], [k / count for k in range(count)])
    figures = [
        draw_distribution(levels, true, private, cdf, axis="x", many="people"),
        draw_rank_errors(levels, errors, [-60 - e for e in errors], [60 + e for e in errors], many="people", reach=100),
    ]
    page = as_html(figures, title="Private quantiles", paragraphs=["not private"])
    assert len(page.encode()) < 300_000
    assert "<script" not in page
    assert re.findall(r"(?:src|href)=", page) == []
    for drawing in re.findall(r"<svg.*?</svg>", page, flags=re.DOTALL):
        ElementTree.fromstring(drawing)
    assert len(set(re.findall(r'clipPath id="(\w+)"', page))) == 2
