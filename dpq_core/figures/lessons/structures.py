"""Figures of the lessons about structure: halves over the value axis, slices over ranks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..frame import ACCENT, MECHANISM_COLOURS, PRIVATE_MARKER, TRUE_MARKER, PlainFigure, figure_of
from ..traces import pen, trace, upright

ROW = 0.42
"""Half the height of a part, in rows."""
FAINT = 0.18
STRONG = 0.6
Part = tuple[int, float, float, float, bool]
"""Depth, lowest and highest value of the part, the value drawn in it, and whether it holds a certain person."""
Slice = tuple[int, int, int, bool]
"""Target rank, first and last rank of the slice, and whether it holds a certain person."""


def draw_halves(parts: Sequence[Part], person: float | None, *, x: str) -> PlainFigure:
    """Draw the nodes of one run over the value axis, a row for each depth; with `person` those that hold the person."""
    hover, deepest = "%{x} years<extra>row %{y}</extra>", max(depth for depth, *_ in parts)
    depths, values = [depth for depth, *_ in parts], [value for *_, value, _ in parts]
    traces = [trace(values, depths, "markers", "drawn value", hover, marker=PRIVATE_MARKER)]
    traces += [] if person is None else [upright(person, -0.5, deepest + 0.5, f"Kim, {person:g}", pen(ACCENT, 3))]
    return figure_of(
        traces, x=x, y="row", height=160 + 70 * (deepest + 1), showlegend=True,
        shapes=[_box(low, high, row, "aq", person is not None and holds) for row, low, high, _, holds in parts],
        yaxis={"range": [deepest + 0.6, -0.6], "showgrid": False, "tickvals": list(range(deepest + 1)),
               "ticktext": [str(row + 1) for row in range(deepest + 1)]},
    )  # fmt: skip


def draw_slices(slices: Sequence[Slice], n: int, person: int | None) -> PlainFigure:
    """Draw slices on the axis of ranks; with `person` that person's rank, and the slice that holds it."""
    ranks, hover = [target for target, *_ in slices], "%{x:,}<extra>target rank</extra>"
    traces = [trace(ranks, [0] * len(ranks), "markers", "target rank", hover, marker=TRUE_MARKER)]
    traces += [] if person is None else [upright(person, -0.5, 0.5, f"Kim, at rank {person:,}", pen(ACCENT, 3))]
    return figure_of(
        traces, x="people, from the lowest value to the highest", height=240, showlegend=True,
        shapes=[_box(first, last, 0, "slice", person is not None and holds) for _, first, last, holds in slices],
        xaxis={"range": [0, n]}, yaxis={"visible": False, "range": [-0.5, 0.5]},
    )  # fmt: skip


def _box(left: float, right: float, row: float, mechanism: str, strong: bool) -> dict[str, Any]:
    """Return a box on a row, in the mechanism's colour."""
    return {
        "type": "rect", "x0": left, "x1": right, "y0": row - ROW, "y1": row + ROW, "layer": "below",
        "fillcolor": MECHANISM_COLOURS[mechanism], "opacity": STRONG if strong else FAINT,
        "line": {"width": 1, "color": MECHANISM_COLOURS[mechanism]},
    }  # fmt: skip
