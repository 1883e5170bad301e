"""Figures of the lessons about structure: halves over the value axis, slices over ranks, blocks of counts, a sketch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from ..frame import ACCENT, MECHANISM_COLOURS, PRIVATE_MARKER, TRUE_MARKER
from .basics import framed

ROW = 0.42
"""Half the height of a part, in rows."""
FAINT = 0.18
STRONG = 0.6
Part = tuple[int, float, float, float, bool]
"""Depth, lowest and highest value of the part, the value drawn in it, and whether it holds a certain person."""
Slice = tuple[int, int, int, bool]
"""Target rank, first and last rank of the slice, and whether it holds a certain person."""


def draw_halves(parts: Sequence[Part], person: float | None, *, x: str) -> go.Figure:
    """Draw the nodes of one run over the value axis, a row for each depth; with `person` those that hold the person."""
    figure = go.Figure()
    figure.update_layout(
        shapes=[
            _box(low, high, depth, "aq", STRONG if holds and person is not None else FAINT)
            for depth, low, high, _, holds in parts
        ]
    )
    figure.add_scatter(
        x=[value for *_, value, _ in parts], y=[depth for depth, *_ in parts], mode="markers", name="drawn value",
        marker=PRIVATE_MARKER, hovertemplate="%{x} years<extra>row %{y}</extra>",
    )  # fmt: skip
    deepest = max(depth for depth, *_ in parts)
    if person is not None:
        figure.add_scatter(
            x=[person, person], y=[-0.5, deepest + 0.5], mode="lines", name=f"Kim, {person:g}", hoverinfo="name",
            line={"color": ACCENT, "width": 3},
        )  # fmt: skip
    framed(figure, x=x, y="row", height=160 + 70 * (deepest + 1))
    ticks = list(range(deepest + 1))
    figure.update_yaxes(range=[deepest + 0.6, -0.6], tickvals=ticks, ticktext=[str(tick + 1) for tick in ticks])
    return figure.update_yaxes(showgrid=False).update_layout(showlegend=True)


def draw_slices(slices: Sequence[Slice], n: int, person: int | None) -> go.Figure:
    """Draw slices on the axis of ranks; with `person` that person's rank, and the slice that holds it."""
    figure = go.Figure()
    figure.add_scatter(
        x=[target for target, *_ in slices], y=[0] * len(slices), mode="markers", marker=TRUE_MARKER,
        name="target rank", hovertemplate="%{x:,}<extra>target rank</extra>",
    )  # fmt: skip
    if person is not None:
        figure.add_scatter(
            x=[person, person], y=[-0.5, 0.5], mode="lines", name=f"Kim, at rank {person:,}", hoverinfo="name",
            line={"color": ACCENT, "width": 3},
        )  # fmt: skip
    boxes = [
        _box(first, last, 0, "slice", STRONG if holds and person is not None else FAINT)
        for _, first, last, holds in slices
    ]
    framed(figure, x="people, from the lowest value to the highest", y="", height=240)
    figure.update_yaxes(visible=False, range=[-0.5, 0.5]).update_xaxes(range=[0, n])
    return figure.update_layout(shapes=boxes, showlegend=True)


def _box(left: float, right: float, row: float, mechanism: str, opacity: float) -> dict[str, Any]:
    """Return a box on a row, in the mechanism's colour. Shapes are set all at once: adding them singly is slow."""
    return {
        "type": "rect", "xref": "x", "yref": "y",
        "x0": left, "x1": right, "y0": row - ROW, "y1": row + ROW,
        "fillcolor": MECHANISM_COLOURS[mechanism], "opacity": opacity, "layer": "below",
        "line": {"width": 1, "color": MECHANISM_COLOURS[mechanism]},
    }  # fmt: skip
