"""Quantiles of groups and of columns: a row each with its middle quantile, a box, whiskers and an interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from textwrap import wrap
from typing import Any

from .axes import linear_range, log_range, log_ticks
from .frame import BAND, INTERVAL, PRIVATE, PRIVATE_MARKER, TRUE_MARKER, USUAL_SIZE, PlainFigure, Trace, figure_of
from .traces import pen, rectangles, strokes, trace, words

FAINT, FAINT_BOX = "#9aa4b3", "rgba(154, 164, 179, 0.22)"
"""Private answers that are noise, and a box of them: never the colour of a finding."""
ROW_HEIGHT, AXIS_HEIGHT = 42, 74  # pixels of a row, and of what is below all rows of a column: ticks and title
LETTERS, MOST_LINES, LINE_HEIGHT = 26, 4, 16  # of a line of a name, its lines, and pixels of each: longer names are cut
HALF_BOX, HALF_BAND, ABOVE = 0.2, 0.26, 0.42  # of a row: half of a box and of a band, and from a diamond to its label
MOST_STROKES = 11  # quantiles of a row that are strokes on its whisker; of more they would be a bar


@dataclass(frozen=True)
class Row:
    """The answers of a column in one piece, or of one of its groups: numbers, or dates as texts."""

    name: str
    """Of the group; empty for a column in one piece."""
    values: tuple[Any, ...]
    """The private answers that can be used, by their levels."""
    box: tuple[Any, Any]
    """The private answers nearest to the quartiles."""
    middle: Any
    label: str
    """The middle one in words, above its diamond."""
    band: tuple[Any, Any] | None = None
    """Between which values the true middle one is, or most other answers for it."""
    true: Any = None
    """The true middle one, where it may be shown and there is one."""
    faint: bool = False
    """Whether its private answers are noise: they are grey."""


@dataclass(frozen=True)
class Panel:
    """The rows of one column, the first one on top."""

    rows: Sequence[Row]
    axis: str
    wide: bool = False
    """Whether its axis is logarithmic where all values are above 0."""


def draw_rows(panels: Sequence[Panel], *, band: str = "95 % of simulated answers") -> PlainFigure:
    """Draw a panel for each column below the one before, each on an axis of its own. `band`: what bands are called."""
    heights = [_row_height(panel) * max(len(panel.rows), 1.3) for panel in panels]
    whole = max(sum(heights) + AXIS_HEIGHT * (len(heights) - 1), ROW_HEIGHT)
    axes: dict[str, Any] = {}
    traces: list[Trace] = []
    top = whole
    for at, (panel, height) in enumerate(zip(panels, heights, strict=True)):
        number = str(at + 1) if at else ""
        names = [wrap(row.name, LETTERS, max_lines=MOST_LINES, placeholder="…") for row in panel.rows]
        axes[f"xaxis{number}"] = _along(panel) | {"title": panel.axis, "anchor": f"y{number}"}
        axes[f"yaxis{number}"] = {
            "tickvals": list(range(len(names))), "ticktext": ["<br>".join(map(escape, lines)) for lines in names],
            "showgrid": False, "automargin": True, "tickfont": {"size": USUAL_SIZE}, "anchor": f"x{number}",
            "range": [len(names) - 0.5, -0.8], "domain": [(top - height) / whole, top / whole],
        }  # fmt: skip
        for each in _traces(panel.rows, band):
            known = any(each.get("name") == other.get("name") for other in traces)
            traces.append(
                each | {"xaxis": f"x{number}", "yaxis": f"y{number}"} | ({"showlegend": False} if known else {})
            )
        top -= height + AXIS_HEIGHT
    return figure_of(
        traces, height=round(whole) + 90, margin={"l": 16, "r": 56}, legend={"y": 1}, **axes
    )  # a share of a tall figure would be far above it


def _row_height(panel: Panel) -> int:
    lines = max((len(wrap(row.name, LETTERS, max_lines=MOST_LINES)) for row in panel.rows), default=1)
    return max(ROW_HEIGHT, LINE_HEIGHT * (lines + 1))


def _traces(rows: Sequence[Row], band: str) -> list[Trace]:
    """Return bands, private answers, true ones and labels of the rows of a panel."""
    placed = list(enumerate(rows))
    bands = [(*row.band, at - HALF_BAND, at + HALF_BAND) for at, row in placed if row.band]
    traces = [rectangles(bands, BAND, band)] if bands else []
    for faint in (False, True):
        traces += _private([(at, row) for at, row in placed if row.faint is faint], faint=faint)
    known = [(row.true, at) for at, row in placed if row.true is not None]
    if known:
        values, places = zip(*known, strict=True)
        traces.append(trace(values, places, "markers", "true", marker=TRUE_MARKER))
    return [*traces, words([(row.middle, at - ABOVE, escape(row.label)) for at, row in placed], cliponaxis=False)]


def _private(rows: Sequence[tuple[int, Row]], *, faint: bool) -> list[Trace]:
    """Return whiskers, boxes and diamonds: in the colour of private answers, or grey if all is noise."""
    if not rows and faint:
        return []
    colour, fill, said = (FAINT, FAINT_BOX, "noise") if faint else (PRIVATE, INTERVAL, "private")
    long = [(at, row) for at, row in rows if len(row.values) > 1]
    whiskers = [(min(row.values), at, min(row.box), at) for at, row in long]
    whiskers += [(max(row.box), at, max(row.values), at) for at, row in long]
    marks = [(value, at) for at, row in rows if len(row.values) <= MOST_STROKES for value in row.values]
    boxes = [(*row.box, at - HALF_BOX, at + HALF_BOX) for at, row in rows if row.box[0] != row.box[1]]
    drawn = [strokes(whiskers, pen(colour, 1.5))] if whiskers else []
    if whiskers and marks:
        stroke = {"symbol": "line-ns", "size": 8, "line": {"width": 1.5, "color": colour}}
        drawn.append(trace([x for x, _ in marks], [y for _, y in marks], "markers", marker=stroke))
    drawn += [rectangles(boxes, fill, line=pen(colour, 1.5))] if boxes else []
    diamonds = trace(
        [row.middle for _, row in rows], [at for at, _ in rows], "markers", said, "%{hovertext}<extra></extra>",
        marker=PRIVATE_MARKER | {"color": colour},
        hovertext=[escape(": ".join(filter(None, (row.name, row.label)))) for _, row in rows],
    )  # fmt: skip
    return [*drawn, diamonds]


def _along(panel: Panel) -> dict[str, Any]:
    """Return the axis of the values: the true ones and the private ones that are no noise; the rest may be cut off."""
    drawn = [row for row in panel.rows if not row.faint] or list(panel.rows)
    values = [value for row in drawn for value in (*row.values, row.middle)]
    values += [row.true for row in panel.rows if row.true is not None]
    if not values:
        return {}
    if panel.wide and not isinstance(values[0], str) and min(values) > 0:
        return log_ticks(log_range(values))
    return {"range": linear_range(values), "showgrid": True}
