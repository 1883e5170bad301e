"""One row for every quantile: where its law lies, its target and what was drawn (IndExp, JointExp, others)."""

from __future__ import annotations

from ...mechanisms.base import DrawStep, TraceStep
from ..frame import PRIVATE, PlainFigure, tinted
from ..traces import pen, strokes, trace
from .marks import answers, bars, between, named, over_data, share_of
from .scene import Scene, Span, heart, in_row


def draw_weights(scene: Scene[TraceStep], *, joined: bool = False) -> PlainFigure:
    """Draw for every quantile a bar over the middle 95 % of its law, with target and drawn value.

    `joined`: the answers of one joint draw are joined from the highest to the lowest, as each draw saw those above it.
    """
    shown = in_row(scene)
    spans = [_span(scene, number) for number in shown]
    window = scene.window(shown, *(end for span in spans for end in span))
    row = {number: float(place) for place, number in enumerate(shown)}
    done = scene.done(shown)
    drawn, places = [scene.steps[number].value for number in done], [row[number] for number in done]
    errors = [(scene.targets[number], row[number], scene.steps[number].value, row[number]) for number in done]
    traces = [
        bars(
            scene, shown, spans, list(row.values()), height=0.62,
            colours=[tinted(scene.colour, 0.4 if scene.is_run(number) else 0.14) for number in shown],
            texts=[_hover(scene, number, span) for number, span in zip(shown, spans, strict=True)],
        ),
        *([trace(drawn, places, "lines", line=pen(PRIVATE, 1.8, "dot"))] if joined else []),
        strokes(errors, pen(PRIVATE, 2.5)), *answers(scene, done, places),
    ]  # fmt: skip
    names = [share_of(scene.steps[number].level) for number in shown]
    return over_data(scene, traces, window, named(list(row.values()), names))


def _span(scene: Scene[TraceStep], number: int) -> Span:
    """Return the middle of the law, as wide as the values of the grid in it; between the marks where there is none."""
    step = scene.steps[number]
    if isinstance(step, DrawStep):
        low, high = heart(step.distribution, step.bounds[1])
    else:
        low, high = sorted((step.value, scene.targets[number]))
    return low - scene.spread / 2, high + scene.spread / 2


def _hover(scene: Scene[TraceStep], number: int, span: Span) -> str:
    step, half = scene.steps[number], scene.spread / 2
    name = f"answer {number + 1}: {share_of(step.level)} quantile"
    middle = f"<br>95 of 100 draws lie from {between(scene, (span[0] + half, span[1] - half))}"
    return name + (middle if isinstance(step, DrawStep) else "")
