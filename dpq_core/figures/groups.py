"""Quantiles of groups: a row each with its median, a box and the noise interval; or a small curve each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import isfinite
from textwrap import wrap
from typing import Any

import plotly.graph_objects as go

from .axes import log_range, log_ticks
from .frame import (
    BAND,
    FAINT,
    FAINT_BOX,
    GRID,
    INTERVAL,
    PRIVATE,
    PRIVATE_MARKER,
    SMALLEST_WORDS,
    TRUE,
    TRUE_MARKER,
    framed,
)

ROW_HEIGHT, CURVE_HEIGHT = 42, 150
MARGIN = {"l": 16, "r": 56, "t": 40, "b": 50}
CURVES_MARGIN = {"l": 44, "r": 12, "t": 58, "b": 50}
LETTERS, MOST_LINES, LINE_HEIGHT = 26, 4, 16
"""In a line of a group's name, its lines, and the pixels of each: longer names are cut."""
ACROSS = 3
"""Curves side by side."""
ROOM = 0.03
"""Of a linear axis, beyond the outermost values."""
HALF_BOX, HALF_BAND, ABOVE = 0.2, 0.26, 0.42
"""Of a row: half the height of a box and of a band, and the distance of a label above its diamond."""


@dataclass(frozen=True)
class GroupRow:
    """One group: the private ends of its box around the middle one, numbers or dates as texts."""

    name: str
    low: Any
    middle: Any
    high: Any
    label: str
    """The middle one in words, above its diamond."""
    band: tuple[Any, Any] | None = None
    """Between which values most other answers for the middle one lie."""
    true: Any = None
    """The true middle one, where it may be shown and there is one."""
    faint: bool = False
    """Whether its private answers are noise: they are grey."""


def draw_groups(
    rows: Sequence[GroupRow], *, axis: str, wide: bool = False, band: str = "95 % of simulated answers"
) -> go.Figure:
    """Draw a row for each group, the first one on top. `wide`: on a logarithmic axis where all values are above 0.

    `band`: what the bands are called.
    """
    figure = go.Figure()
    _add_rectangles(figure, [(at, *row.band) for at, row in enumerate(rows) if row.band], HALF_BAND, band, BAND)
    places = list(range(len(rows)))
    for faint in (False, True):
        _add_private(figure, [(at, row) for at, row in enumerate(rows) if row.faint is faint], faint=faint)
    known = [(row.true, at) for at, row in enumerate(rows) if row.true is not None]
    if known:
        figure.add_scatter(
            x=[each[0] for each in known], y=[each[1] for each in known], mode="markers", name="true",
            marker=TRUE_MARKER, hoverinfo="skip",
        )  # fmt: skip
    figure.add_scatter(
        x=[row.middle for row in rows], y=[at - ABOVE for at in places], mode="text",
        text=[escape(row.label) for row in rows], textposition="middle center", textfont={"size": SMALLEST_WORDS},
        hoverinfo="skip", showlegend=False, cliponaxis=False,
    )  # fmt: skip
    names, lines = _in_lines(rows)
    row_height = max(ROW_HEIGHT, LINE_HEIGHT * (lines + 1))
    framed(figure, x=axis, y="", height=MARGIN["t"] + MARGIN["b"] + row_height * max(len(rows), 2), margin=MARGIN)
    figure.update_yaxes(
        tickvals=places, ticktext=names, showgrid=False, range=[len(rows) - 0.5, -0.8], automargin=True,
        tickfont={"size": SMALLEST_WORDS},
    )  # fmt: skip
    figure.update_layout(legend_y=1)  # a share of a tall figure would be far above it
    return _with_axis(figure, rows, wide)


def _add_private(figure: go.Figure, rows: Sequence[tuple[int, GroupRow]], *, faint: bool) -> None:
    """Add boxes and diamonds of rows at their places: in the colour of private answers, or grey where all is noise."""
    if not rows and faint:
        return
    colour, fill, said = (FAINT, FAINT_BOX, "too small") if faint else (PRIVATE, INTERVAL, "private")
    boxes = [(at, row.low, row.high) for at, row in rows if row.low != row.high]
    _add_rectangles(figure, boxes, HALF_BOX, f"{said} box" if not faint else "too small, box", fill, edge=colour)
    figure.add_scatter(
        x=[row.middle for _, row in rows], y=[at for at, _ in rows], mode="markers", name=said,
        marker=PRIVATE_MARKER | {"color": colour},
        hovertext=[escape(f"{row.name}: {row.label}") for _, row in rows], hoverinfo="text",
    )  # fmt: skip


def _with_axis(figure: go.Figure, rows: Sequence[GroupRow], wide: bool) -> go.Figure:
    """Set the range of the values: the true ones and the private ones that are no noise; the rest may be cut off."""
    drawn = [row for row in rows if not row.faint] or list(rows)
    values = [value for row in drawn for value in (row.low, row.middle, row.high) if value is not None]
    values += [row.true for row in rows if row.true is not None]
    if not values or any(isinstance(value, str) for value in values):
        return figure
    low, high = min(values), max(values)
    if wide and low > 0:
        return figure.update_xaxes(**log_ticks(log_range(values)))
    space = ROOM * (high - low) or 1.0
    return figure.update_xaxes(range=[low - space, high + 2 * space], showgrid=True, gridcolor=GRID)


def _add_rectangles(
    figure: go.Figure, rows: Sequence[tuple[int, Any, Any]], half: float, name: str, fill: str, edge: str = ""
) -> None:
    """Add all rectangles of one kind as one trace, however many groups there are."""
    if not rows:
        return
    x: list[Any] = []
    y: list[Any] = []
    for at, low, high in rows:
        x += [low, high, high, low, low, None]
        y += [at - half, at - half, at + half, at + half, at - half, None]
    line = {"color": edge, "width": 1.5} if edge else {"width": 0}
    figure.add_scatter(x=x, y=y, mode="lines", fill="toself", fillcolor=fill, line=line, name=name, hoverinfo="skip")


@dataclass(frozen=True)
class GroupCurve:
    """One group: the values of its levels, increasing; true ones where they may be shown."""

    name: str
    levels: Sequence[float]
    private: Sequence[Any]
    true: Sequence[Any] = ()
    faint: bool = False
    """Whether its private answers are noise: they are grey."""


def draw_curves(curves: Sequence[GroupCurve], *, axis: str, wide: bool = False) -> go.Figure:
    """Draw a small curve of quantiles for each group, all on the same axes. `wide`: as in `draw_groups`."""
    from plotly.subplots import make_subplots

    down = -(-len(curves) // ACROSS)
    across = min(ACROSS, max(len(curves), 1))
    names, lines = _in_lines(curves)
    figure = make_subplots(
        rows=max(down, 1), cols=across, shared_xaxes="all", shared_yaxes="all", horizontal_spacing=0.03,
        vertical_spacing=min((0.25 + 0.05 * lines) / max(down, 1), 0.1 + 0.05 * lines), subplot_titles=names,
    )  # fmt: skip
    for at, each in enumerate(curves):
        place = {"row": at // across + 1, "col": at % across + 1, "showlegend": at == 0}
        if any(_finite(value) for value in each.true):
            figure.add_scatter(
                x=each.true, y=each.levels, mode="markers", name="true", legendgroup="true", hoverinfo="skip",
                marker=TRUE_MARKER | {"size": 8, "color": TRUE}, **place,
            )  # fmt: skip
        said, colour = ("too small", FAINT) if each.faint else ("private", PRIVATE)
        place["showlegend"] = all(other.faint is not each.faint for other in curves[:at])
        figure.add_scatter(
            x=each.private, y=each.levels, mode="lines+markers", name=said, legendgroup=said,
            line={"color": colour, "width": 1.5}, marker=PRIVATE_MARKER | {"size": 6, "color": colour}, **place,
        )  # fmt: skip
    more = LINE_HEIGHT * (lines - 1)
    height = CURVES_MARGIN["t"] + CURVES_MARGIN["b"] + (CURVE_HEIGHT + more) * max(down, 1)
    framed(figure, x="", y="", height=height, margin=CURVES_MARGIN | {"t": CURVES_MARGIN["t"] + more})
    figure.update_annotations(font_size=SMALLEST_WORDS + 1)
    figure.update_yaxes(tickformat=".0%", range=[0, 1], nticks=4)
    figure.update_xaxes(nticks=4)
    values = [value for each in curves for value in (*each.private, *each.true) if _finite(value)]
    if wide and values and all(not isinstance(value, str) and value > 0 for value in values):
        figure.update_xaxes(**log_ticks(log_range(values)))
    figure.update_layout(legend_y=1 + (30 + more) / (height - CURVES_MARGIN["t"] - CURVES_MARGIN["b"]))
    for at in range(max(len(curves) - across, 0), len(curves)):  # the lowest of each column: the last row may end early
        figure.update_xaxes(showticklabels=True, row=at // across + 1, col=at % across + 1)
    if curves:
        figure.update_xaxes(title={"text": escape(axis), "font": {"size": 13}}, row=down, col=1)
    return figure


def _finite(value: Any) -> bool:
    return value is not None and (isinstance(value, str) or isfinite(value))


def _in_lines(named: Sequence[GroupRow | GroupCurve]) -> tuple[list[str], int]:
    """Return the names of groups in lines, and how many lines the longest one has."""
    names = [wrap(each.name, LETTERS, max_lines=MOST_LINES, placeholder="…") for each in named]
    return ["<br>".join(map(escape, lines)) for lines in names], max(map(len, names), default=1)
