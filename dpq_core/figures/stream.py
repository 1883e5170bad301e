"""Figures of the Stream page: memory and rank errors against the number of records that were read."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from ..studies.streams.reading import Errors, Snapshot
from .axes import log_range, log_ticks
from .frame import ACCENT, MECHANISM_COLOURS, TRUE, framed
from .structure.scene import tinted

HEIGHT = 360
MARGIN = {"l": 64, "r": 16, "t": 64, "b": 50}
"""Fixed, with room for two rows of a legend, so that both figures share their vertical place."""
SMALLEST = 0.5
"""Records. Errors below are drawn here: a logarithmic axis has no 0."""
BAND = 0.18
"""How strongly a band is tinted."""


def draw_memory(steps: Sequence[Snapshot]) -> go.Figure:
    """Draw the bytes of the sketch and of all records against the length of the stream, on logarithmic axes."""
    figure = go.Figure()
    lengths = [step.n for step in steps]
    _line(figure, lengths, [step.full_bytes for step in steps], "all records", TRUE, "dash", "%{y:.2s}B")
    colour = MECHANISM_COLOURS["gkexp"]
    _line(figure, lengths, [step.sketch_bytes for step in steps], "the sketch", colour, "solid", "%{y:.2s}B")
    return _framed(figure, "memory (bytes)")


def draw_errors(steps: Sequence[Snapshot], many: str) -> go.Figure:
    """Draw the rank errors of two private answers with 90 of 100 trials, of the sketch alone, and its bound alpha n.

    Both axes are logarithmic. What is not known (NaN) leaves a gap.
    """
    figure = go.Figure()
    lengths = [step.n for step in steps]
    for name, colour, errors in (
        ("private: sketch", MECHANISM_COLOURS["gkexp"], [step.gk for step in steps]),
        ("private: all", MECHANISM_COLOURS["indexp"], [step.full for step in steps]),
    ):
        _band(figure, lengths, errors, colour)
        means = [max(each.mean, SMALLEST) for each in errors]
        _line(figure, lengths, means, name, colour, "solid", "%{y:,.2r} " + many)
    sketch = [max(step.sketch_error, SMALLEST) for step in steps]
    _line(figure, lengths, sketch, "sketch alone", ACCENT, "dot", "%{y:,.2r} " + many)
    _line(figure, lengths, [step.bound for step in steps], "its bound, α n", ACCENT, "dash", "%{y:,.2r} " + many)
    return _framed(figure, f"worst rank error ({many})")


def _line(
    figure: go.Figure, xs: Sequence[float], ys: Sequence[float], name: str, colour: str, dash: str, hover: str
) -> None:
    figure.add_scatter(
        x=xs, y=ys, name=name, mode="lines" if len(xs) > 1 else "markers",
        line={"color": colour, "width": 2.5, "dash": dash}, marker={"color": colour, "size": 9},
        hovertemplate=f"{name}<br>%{{x:,}} read: {hover}<extra></extra>",
    )  # fmt: skip


def _band(figure: go.Figure, lengths: Sequence[float], errors: Sequence[Errors], colour: str) -> None:
    """Add the band from the lower ends to the upper ones, where both are known."""
    known = [(n, each) for n, each in zip(lengths, errors, strict=True) if each.mean == each.mean]
    ends = [(n, each.high) for n, each in known] + [(n, each.low) for n, each in reversed(known)]
    figure.add_scatter(
        x=[n for n, _ in ends], y=[max(end, SMALLEST) for _, end in ends], mode="lines", fill="toself",
        fillcolor=tinted(colour, BAND), line={"width": 0}, showlegend=False, hoverinfo="skip",
    )  # fmt: skip


def _framed(figure: go.Figure, y: str) -> go.Figure:
    framed(figure, x="records read", y=y, height=HEIGHT, margin=MARGIN)
    xs, ys = ([value for trace in figure.data for value in trace[axis]] for axis in ("x", "y"))
    return figure.update_xaxes(**log_ticks(log_range(xs))).update_yaxes(**log_ticks(log_range(ys)))
