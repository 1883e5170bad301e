"""Quantiles of groups: a row each with its median, a box and the noise interval; or a small curve each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import isfinite
from textwrap import wrap
from typing import Any

from .axes import linear_range, log_range, log_ticks
from .frame import BAND, INTERVAL, PRIVATE, PRIVATE_MARKER, TRUE_MARKER, USUAL_SIZE, PlainFigure, Trace, figure_of
from .traces import note, pen, rectangles, trace, words

FAINT, FAINT_BOX = "#9aa4b3", "rgba(154, 164, 179, 0.22)"
"""Private answers that are noise, and a box of them: never the colour of a finding."""
ROW_HEIGHT, CURVE_HEIGHT = 42, 150
LETTERS, MOST_LINES, LINE_HEIGHT = 26, 4, 16  # of a line of a name, its lines, and pixels of each: longer names are cut
ACROSS = 3  # curves side by side
GAP = 0.03  # between two of them, as a share of the figure
HALF_BOX, HALF_BAND, ABOVE = 0.2, 0.26, 0.42  # of a row: half of a box and of a band, and from a diamond to its label


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
) -> PlainFigure:
    """Draw a row for each group, the first one on top. `wide`: on a logarithmic axis where all values are above 0.

    `band`: what the bands are called.
    """
    bands = [(*row.band, at - HALF_BAND, at + HALF_BAND) for at, row in enumerate(rows) if row.band]
    traces = [rectangles(bands, BAND, band)] if bands else []
    for faint in (False, True):
        traces += _private([(at, row) for at, row in enumerate(rows) if row.faint is faint], faint=faint)
    known = [(row.true, at) for at, row in enumerate(rows) if row.true is not None]
    if known:
        values, places = zip(*known, strict=True)
        traces.append(trace(values, places, "markers", "true", marker=TRUE_MARKER))
    labels = [(row.middle, at - ABOVE, escape(row.label)) for at, row in enumerate(rows)]
    names, lines = _in_lines(rows)
    height = 90 + max(ROW_HEIGHT, LINE_HEIGHT * (lines + 1)) * max(len(rows), 2)
    return figure_of(
        [*traces, words(labels, cliponaxis=False)], x=axis, height=height, xaxis=_along(rows, wide),
        margin={"l": 16, "r": 56}, legend={"y": 1},  # a share of a tall figure would be far above it
        yaxis={"tickvals": list(range(len(rows))), "ticktext": names, "showgrid": False, "automargin": True,
               "range": [len(rows) - 0.5, -0.8], "tickfont": {"size": USUAL_SIZE}},
    )  # fmt: skip


def _private(rows: Sequence[tuple[int, GroupRow]], *, faint: bool) -> list[Trace]:
    """Return boxes and diamonds of rows at their places: in the colour of private answers, or grey if all is noise."""
    if not rows and faint:
        return []
    colour, fill, said = (FAINT, FAINT_BOX, "too small") if faint else (PRIVATE, INTERVAL, "private")
    boxes = [(row.low, row.high, at - HALF_BOX, at + HALF_BOX) for at, row in rows if row.low != row.high]
    drawn = [rectangles(boxes, fill, line=pen(colour, 1.5))] if boxes else []
    texts = [escape(f"{row.name}: {row.label}") for _, row in rows]
    marks = trace(
        [row.middle for _, row in rows], [at for at, _ in rows], "markers", said, "%{hovertext}<extra></extra>",
        marker=PRIVATE_MARKER | {"color": colour}, hovertext=texts,
    )  # fmt: skip
    return [*drawn, marks]


def _along(rows: Sequence[GroupRow], wide: bool) -> dict[str, Any]:
    """Return the axis of the values: the true ones and the private ones that are no noise; the rest may be cut off."""
    drawn = [row for row in rows if not row.faint] or list(rows)
    values = [value for row in drawn for value in (row.low, row.middle, row.high) if value is not None]
    values += [row.true for row in rows if row.true is not None]
    if not values:
        return {}
    if wide and not isinstance(values[0], str) and min(values) > 0:
        return log_ticks(log_range(values))
    return {"range": linear_range(values), "showgrid": True}


@dataclass(frozen=True)
class GroupCurve:
    """One group: the values of its levels, increasing; true ones where they may be shown."""

    name: str
    levels: Sequence[float]
    private: Sequence[Any]
    true: Sequence[Any] = ()
    faint: bool = False
    """Whether its private answers are noise: they are grey."""


def draw_curves(curves: Sequence[GroupCurve], *, axis: str, wide: bool = False) -> PlainFigure:
    """Draw a small curve of quantiles for each group, all on the same axes. `wide`: as in `draw_groups`."""
    names, lines = _in_lines(curves)
    down, across, more = max(-(-len(curves) // ACROSS), 1), min(ACROSS, max(len(curves), 1)), LINE_HEIGHT * (lines - 1)
    width, between = (1 - GAP * (across - 1)) / across, min((0.25 + 0.05 * lines) / down, 0.1 + 0.05 * lines)
    height, inside = (1 - between * (down - 1)) / down, (CURVE_HEIGHT + more) * down
    values = [value for each in curves for value in (*each.private, *each.true) if _finite(value)]
    is_log = wide and bool(values) and all(not isinstance(value, str) and value > 0 for value in values)
    along = {"nticks": 4, **(log_ticks(log_range(values)) if is_log else {})}
    traces: list[Trace] = []
    up = {"tickformat": ".0%", "range": [0, 1], "nticks": 4}
    axes: dict[str, Any] = {"yaxis": up}
    titles = []
    for at, each in enumerate(curves):
        row, column = divmod(at, across)
        left, top = column * (width + GAP), 1 - row * (height + between)
        lowest = at + across >= len(curves)  # of its column: the last row may end early
        x, y = (f"{name}axis{at + 1 if at else ''}" for name in "xy")
        anchors = {"xaxis": x.replace("axis", ""), "yaxis": y.replace("axis", "")}
        axes[x] = along | {"domain": [left, left + width], "anchor": anchors["yaxis"], "showticklabels": lowest}
        axes[y] = up | {"domain": [top - height, top], "anchor": anchors["xaxis"], "showticklabels": column == 0}
        axes[x] |= {"matches": "x"} if at else {}
        titles.append(note(left + width / 2, top, names[at], xref="paper", yref="paper", xanchor="center",
                           yanchor="bottom", font={"size": USUAL_SIZE + 1}))  # fmt: skip
        for kind in _points(each):
            new = all(kind["name"] != other["name"] for other in traces)
            traces.append(kind | anchors | {"showlegend": new})
    if curves:
        axes[f"xaxis{across * (down - 1) + 1 if down > 1 else ''}"] |= {"title": axis}
    return figure_of(
        traces, height=108 + inside, margin={"l": 44, "t": 58 + more}, legend={"y": 1 + (30 + more) / inside},
        annotations=titles, **axes,
    )  # fmt: skip


def _points(each: GroupCurve) -> list[Trace]:
    """Return the true and the private quantiles of a group."""
    said, colour = ("too small", FAINT) if each.faint else ("private", PRIVATE)
    true = trace(each.true, each.levels, "markers", "true", legendgroup="true", marker=TRUE_MARKER | {"size": 8})
    private = trace(
        each.private, each.levels, "lines+markers", said, "(%{x}, %{y})<extra></extra>", legendgroup=said,
        line=pen(colour, 1.5), marker=PRIVATE_MARKER | {"size": 6, "color": colour},
    )  # fmt: skip
    return [true, private] if any(_finite(value) for value in each.true) else [private]


def _finite(value: Any) -> bool:
    return value is not None and (isinstance(value, str) or isfinite(value))


def _in_lines(named: Sequence[GroupRow | GroupCurve]) -> tuple[list[str], int]:
    """Return the names of groups in lines, and how many lines the longest one has."""
    names = [wrap(each.name, LETTERS, max_lines=MOST_LINES, placeholder="…") for each in named]
    return ["<br>".join(map(escape, lines)) for lines in names], max(map(len, names), default=1)
