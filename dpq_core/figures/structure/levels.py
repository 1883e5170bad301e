"""One row for every quantile: where its law lies, its target and what was drawn (IndExp, JointExp, others)."""

from __future__ import annotations

import plotly.graph_objects as go

from ...mechanisms.base import DrawStep, TraceStep
from ..frame import ACCENT, PRIVATE, TRUE
from .frame import add_bars, add_histogram, add_marks, add_strokes, add_truth, framed, name_rows, share_of
from .scene import Scene, around, heart, in_row, tinted


def draw_weights(scene: Scene[TraceStep]) -> go.Figure:
    """For every quantile a bar over the middle 95 % of its law, with target and drawn value."""
    return _rows(scene, joined=False)


def draw_path(scene: Scene[TraceStep]) -> go.Figure:
    """The same for one joint draw, its answers joined from the highest to the lowest: each draw saw those above it."""
    return _rows(scene, joined=True)


def _rows(scene: Scene[TraceStep], *, joined: bool) -> go.Figure:
    shown = in_row(scene)
    spans = {number: _span(scene, number) for number in shown}
    done = [number for number in shown if scene.is_run(number)]
    marks = [*(scene.targets[number] for number in shown), *(scene.steps[number].value for number in shown)]
    window = around(
        [*marks, scene.truth, *(end for span in spans.values() for end in span)], scene.bounds, 8 * scene.spread
    )
    row = {number: float(place) for place, number in enumerate(shown)}
    figure = go.Figure()
    add_bars(
        figure, shown, list(spans.values()), list(row.values()), height=0.62,
        colours=[tinted(scene.colour, 0.4 if scene.is_run(number) else 0.14) for number in shown],
        lines=([ACCENT if number == scene.at else tinted(TRUE, 0.45) for number in shown],
               [3 if number == scene.at else 0.8 for number in shown]),
        texts=[_hover(scene, number, spans[number]) for number in shown],
    )  # fmt: skip
    if joined:
        drawn = sorted(done, key=row.__getitem__)
        figure.add_scatter(
            x=[scene.steps[number].value for number in drawn], y=[row[number] for number in drawn], mode="lines",
            line={"color": PRIVATE, "width": 1.8, "dash": "dot"}, showlegend=False, hoverinfo="skip",
        )  # fmt: skip
    errors = [(scene.targets[number], row[number], scene.steps[number].value, row[number]) for number in done]
    add_strokes(figure, errors, {"color": PRIVATE, "width": 2.5})
    places = [row[number] for number in done]
    add_marks(figure, scene, done, [scene.steps[number].value for number in done], places, true=False)
    add_marks(figure, scene, done, [scene.targets[number] for number in done], places, true=True)
    add_truth(figure, scene.truth)
    add_histogram(figure, scene, window)
    framed(figure, scene, window)
    name_rows(figure, list(row.values()), [share_of(scene.steps[number].level) for number in shown])
    return figure


def _span(scene: Scene[TraceStep], number: int) -> tuple[float, float]:
    """The middle of the law, as wide as the values of the grid that it holds; between the marks where there is none."""
    step = scene.steps[number]
    if isinstance(step, DrawStep):
        low, high = heart(step.distribution, step.bounds[1])
    else:
        low, high = sorted((step.value, scene.targets[number]))
    return low - scene.spread / 2, high + scene.spread / 2


def _hover(scene: Scene[TraceStep], number: int, span: tuple[float, float]) -> str:
    step = scene.steps[number]
    name = f"answer {number + 1}: {share_of(step.level)} quantile"
    if not isinstance(step, DrawStep):
        return name
    low, high = (scene.read(end) for end in (span[0] + scene.spread / 2, span[1] - scene.spread / 2))
    return f"{name}<br>95 of 100 draws lie from {low} to {high}"
