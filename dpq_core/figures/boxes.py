"""Box plots of several columns below each other: box and whiskers from quantiles, with no extremes and no outliers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import chain
from typing import Any, Literal, TypeAlias

import plotly.graph_objects as go

from .axes import log_range, log_ticks
from .frame import PRIVATE, SMALLEST_WORDS, TRUE, framed

ROW_HEIGHT, WITH_TRUTH = 62, 84
"""Pixels of a column, and of one with true quantiles below the private ones."""
MARGIN = {"l": 16, "r": 16, "t": 36, "b": 50}
MOST_LETTERS = 40
"""Of a column's name."""
ROOM = 0.03
"""Of a linear axis, beyond the outermost values."""
FILLS = {PRIVATE: "rgba(221, 127, 31, 0.22)", TRUE: "rgba(125, 137, 155, 0.18)"}

Scale: TypeAlias = Literal["own", "linear", "log"]
Summary: TypeAlias = tuple[float, float, float, float, float]
"""The values at 5, 25, 50, 75 and 95 percent, increasing."""


@dataclass(frozen=True)
class Box:
    """One column: its name, its private quantiles and, where it may be shown, the true ones."""

    name: str
    private: Summary
    true: Summary | None = None
    words: str = ""
    """Its numbers in words: beside its name where it has a scale of its own, and where a pointer rests on it."""


def draw_boxes(boxes: Sequence[Box], *, scale: Scale, axis: str) -> go.Figure:
    """Draw a box from 25 to 75 percent, a line at the median and whiskers to 5 and 95 percent for each column.

    On a logarithmic axis all values must be above 0; on scales of their own the boxes fill the width.
    """
    names = [_shortened(box.name) + (f": {box.words}" if scale == "own" else "") for box in boxes]
    if scale == "own":
        boxes = [_rescaled(box) for box in boxes]
    figure = go.Figure()
    truth = any(box.true for box in boxes)
    shift = 0.17 if truth else 0.0
    if truth:
        _add(figure, [(at + shift, box.true, box.words) for at, box in enumerate(boxes) if box.true], "true", TRUE)
    _add(figure, [(at - shift, box.private, box.words) for at, box in enumerate(boxes)], "private", PRIVATE)
    height = MARGIN["t"] + MARGIN["b"] + (WITH_TRUTH if truth else ROW_HEIGHT) * len(boxes)
    framed(figure, x=axis, y="", height=height, margin=MARGIN)
    figure.update_layout(legend_y=1)  # a share of a tall figure would be far above it
    figure.update_yaxes(showticklabels=False, showgrid=False, range=[len(boxes) - 0.45, -0.75])
    figure.update_layout(annotations=[_label(at, name) for at, name in enumerate(names)])  # one by one takes seconds
    values = list(chain.from_iterable([*box.private, *(box.true or ())] for box in boxes))
    if scale == "own":
        figure.update_xaxes(showticklabels=False)
    if scale == "log":
        return figure.update_xaxes(**log_ticks(log_range(values)))
    space = ROOM * (max(values, default=1.0) - min(values, default=0.0)) or 1.0
    return figure.update_xaxes(range=[min(values, default=0.0) - space, max(values, default=1.0) + space])


def _label(at: int, name: str) -> dict[str, Any]:
    return {
        "text": escape(name, quote=False),
        "x": 0,
        "xref": "paper",
        "xanchor": "left",
        "y": at - 0.5,
        "showarrow": False,
        "font": {"size": SMALLEST_WORDS + 1},
    }


def _shortened(name: str) -> str:
    return name if len(name) <= MOST_LETTERS else f"{name[:MOST_LETTERS]}…"


def _rescaled(box: Box) -> Box:
    """Return the box on a scale from 0 to 1, which all its values fill."""
    values = [*box.private, *(box.true or ())]
    low, width = min(values), max(values) - min(values) or 1.0

    def placed(summary: Summary) -> Summary:
        a, b, c, d, e = ((value - low) / width for value in summary)
        return a, b, c, d, e

    return replace(box, private=placed(box.private), true=placed(box.true) if box.true else None)


def _add(figure: go.Figure, rows: Sequence[tuple[float, Summary, str]], name: str, colour: str) -> None:
    """Add boxes of one kind as three traces, however many columns there are."""
    half = 0.15
    outlines: tuple[list[Any], list[Any]] = ([], [])
    strokes: tuple[list[Any], list[Any]] = ([], [])
    for y, (low, first, _, third, high), _ in rows:
        _line(outlines, [(first, y - half), (third, y - half), (third, y + half), (first, y + half), (first, y - half)])
        _line(strokes, [(low, y), (first, y)])
        _line(strokes, [(third, y), (high, y)])
        for end in (low, high):
            _line(strokes, [(end, y - half / 2), (end, y + half / 2)])
    dash = "dot" if colour == TRUE else "solid"
    line = {"color": colour, "width": 2, "dash": dash}
    shared = {"mode": "lines", "line": line, "hoverinfo": "skip", "legendgroup": name}
    figure.add_scatter(x=outlines[0], y=outlines[1], name=name, fill="toself", fillcolor=FILLS[colour], **shared)
    figure.add_scatter(x=strokes[0], y=strokes[1], showlegend=False, **shared)
    figure.add_scatter(
        x=[summary[2] for _, summary, _ in rows],
        y=[y for y, _, _ in rows],
        mode="markers",
        marker={"symbol": "line-ns", "size": 11, "color": colour, "line": {"width": 3, "color": colour}},
        hovertext=[escape(words) for *_, words in rows],
        hoverinfo="text",
        legendgroup=name,
        showlegend=False,
    )


def _line(places: tuple[list[Any], list[Any]], points: Sequence[tuple[float, float]]) -> None:
    """Add a line, with a gap before the next one."""
    for x, y in [*points, (None, None)]:
        places[0].append(x)
        places[1].append(y)
