"""A whole still drawing: axes with their grid and titles, shapes, traces, notes and the legend.

Several drawings make one page that needs no script and no server.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import plotly.graph_objects as go

from ..frame import GRID
from .axes import PixelAxis, axis_of
from .marks import Point, draw_markers, draw_text, draw_trace, each, one_line, stroke

WIDTH = 760
"""Pixels; a page shows it as wide as it is itself."""
HEIGHT = 450
DEFAULT_MARGINS = {"l": 60, "r": 20, "t": 40, "b": 56}
SMALL = 12
LETTER = 6.3
"""Pixels that a letter of the legend takes, about."""
SAMPLE, ROW = 26, 20
"""Width of a sign in the legend, and the height of its rows."""


@dataclass(frozen=True)
class Frame:
    """The edges of the plotted area in pixels, and all axes by the names that traces call them: `x`, `y2`."""

    left: float
    right: float
    top: float
    bottom: float
    axes: dict[str, PixelAxis]


def draw_still(figure: go.Figure, *, alt: str, number: int = 1) -> str:
    """Return a figure as one complete SVG element; `number` distinguishes several on one page.

    Raises ValueError for a trace that cannot be drawn.
    """
    layout = figure.layout
    entries = _entries(figure)
    rows = _legend_rows(entries, WIDTH - _margin(layout, "l") - _margin(layout, "r"))
    above = bool(rows) and layout.legend.yanchor != "top"
    more = max(0.0, ROW * len(rows) + 8 - _margin(layout, "t")) if above else 0.0
    height = float(layout.height or HEIGHT) + more
    frame = _frame(figure, height, more)
    clip = f"plot{number}"
    parts = [
        f'<clipPath id="{clip}"><rect x="{frame.left - 8:g}" y="{frame.top - 8:g}" '
        f'width="{frame.right - frame.left + 16:g}" height="{frame.bottom - frame.top + 16:g}"/></clipPath>',
        *_axes(frame),
        f'<g clip-path="url(#{clip})">',
        *_shapes(layout, frame, below=True),
        *_traces(figure, frame),
        *_shapes(layout, frame, below=False),
        "</g>",
        *_notes(layout, frame),
        *_legend(rows, frame.left, frame.top - ROW * len(rows) if above else frame.bottom + 48),
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" role="img" '
        f'aria-label="{one_line(alt)}" font-family="system-ui, sans-serif" fill="currentColor">{"".join(parts)}</svg>'
    )


def _margin(layout: Any, side: str) -> float:
    found = layout.margin[side]
    return float(DEFAULT_MARGINS[side] if found is None else found)


def _frame(figure: go.Figure, height: float, more: float) -> Frame:
    layout = figure.layout
    left, right = _margin(layout, "l"), WIDTH - _margin(layout, "r")
    top, bottom = _margin(layout, "t") + more, height - _margin(layout, "b")
    axes = {}
    for name in _axis_names(figure):
        described = layout[f"{name[0]}axis{name[1:]}"]
        low, high = described.domain or (0, 1)
        start, end = (left, right) if name[0] == "x" else (bottom, top)
        ends = (start + part * (end - start) for part in (low, high))
        axes[name] = axis_of(described, _values(figure, name), *ends)
    return Frame(left, right, top, bottom, axes)


def _axis_names(figure: go.Figure) -> list[str]:
    found = {"x", "y"} | {trace.xaxis or "x" for trace in figure.data} | {trace.yaxis or "y" for trace in figure.data}
    return sorted(found)


def _values(figure: go.Figure, name: str) -> Iterator[Any]:
    """Yield everything that an axis has to show."""
    way = name[0]
    for trace in figure.data:
        if (trace[f"{way}axis"] or way) != name or trace[way] is None:
            continue
        if trace.type == "bar" and (trace.orientation == "h") == (way == "x"):
            bases = each(0 if trace.base is None else trace.base, len(trace[way]))
            yield from bases
            yield from (base + length for base, length in zip(bases, trace[way], strict=True))
            continue
        yield from trace[way]
        if trace.type == "scatter" and way == "y" and trace.error_y.array is not None:
            yield from (value + up for value, up in zip(trace.y, trace.error_y.array, strict=True))


def _axes(frame: Frame) -> Iterator[str]:
    for name, axis in frame.axes.items():
        anchored = frame.axes.get(axis.layout.anchor or {"x": "y", "y": "x"}[name[0]])
        edge = anchored.start if anchored else (frame.bottom if name[0] == "x" else frame.left)
        yield from (_across if name[0] == "x" else _upright)(axis, frame, edge)


def _across(axis: PixelAxis, frame: Frame, edge: float) -> Iterator[str]:
    """Yield a horizontal axis at its edge, with its grid."""
    layout = axis.layout
    for x, words in axis.ticks():
        if layout.showgrid is not False:
            yield _rule(x, frame.top, x, frame.bottom, layout.gridcolor or GRID)
        if layout.showticklabels is not False:
            yield draw_text(x, edge + 14, words, _size(layout.tickfont), "middle")
    if layout.linecolor:
        yield _rule(axis.start, edge, axis.end, edge, layout.linecolor)
    if layout.title.text:
        middle = (axis.start + axis.end) / 2
        yield draw_text(middle, edge + 38, layout.title.text, _size(layout.title.font), "middle")


def _upright(axis: PixelAxis, frame: Frame, edge: float) -> Iterator[str]:
    """Yield a vertical axis at its edge, with its grid."""
    layout = axis.layout
    for y, words in axis.ticks():
        if layout.showgrid is not False:
            yield _rule(frame.left, y, frame.right, y, layout.gridcolor or GRID)
        if layout.showticklabels is not False:
            yield draw_text(edge - 6, y, words, _size(layout.tickfont), "end")
    if layout.linecolor:
        yield _rule(edge, axis.start, edge, axis.end, layout.linecolor)
    if layout.title.text:
        middle = (axis.start + axis.end) / 2
        turned = f' transform="rotate(-90 12 {middle:g})"'
        yield draw_text(12, middle, layout.title.text, _size(layout.title.font), "middle", turned)


def _size(font: Any) -> float:
    return float(font.size or SMALL)


def _rule(x: float, y: float, to_x: float, to_y: float, colour: str) -> str:
    return f'<path d="M{x:g},{y:g}L{to_x:g},{to_y:g}" stroke="{colour}" fill="none"/>'


def _shapes(layout: Any, frame: Frame, *, below: bool) -> Iterator[str]:
    for shape in layout.shapes:
        if (shape.layer == "below") != below:
            continue
        xs = [_on(shape.xref or "x", end, frame) for end in (shape.x0, shape.x1)]
        ys = [_on(shape.yref or "y", end, frame) for end in (shape.y0, shape.y1)]
        if shape.type == "line":
            yield f'<path d="M{xs[0]:g},{ys[0]:g}L{xs[1]:g},{ys[1]:g}" {stroke(shape.line)}/>'
            continue
        edge = f' stroke="{shape.line.color}" stroke-width="{shape.line.width:g}"' if shape.line.width else ""
        yield (
            f'<rect x="{min(xs):g}" y="{min(ys):g}" width="{abs(xs[1] - xs[0]):g}" height="{abs(ys[1] - ys[0]):g}" '
            f'fill="{shape.fillcolor or "none"}"{edge}/>'
        )


def _on(reference: str, value: Any, frame: Frame) -> float:
    """Return the pixel of a value on an axis, or of a fraction of its length."""
    name, _, share = reference.partition(" ")
    axis = frame.axes[name if name != "paper" else "x"]
    if share or name == "paper":
        return axis.start + float(value) * (axis.end - axis.start)
    return axis.at(value) or 0.0


def _traces(figure: go.Figure, frame: Frame) -> Iterator[str]:
    line: list[Point] = []
    for trace in figure.data:
        if trace.x is not None and trace.y is not None:
            drawn, line = draw_trace(trace, frame.axes[trace.xaxis or "x"], frame.axes[trace.yaxis or "y"], line)
            yield drawn


def _notes(layout: Any, frame: Frame) -> Iterator[str]:
    """Yield the title, and the notes at places of the figure."""
    if layout.title.text:
        x = WIDTH * float(layout.title.x if layout.title.x is not None else 0.5)
        yield draw_text(x, 16, layout.title.text, _size(layout.title.font), "start")
    for note in layout.annotations:
        x, y = _on(note.xref or "x", note.x, frame), _on(note.yref or "y", note.y, frame)
        anchor = {"left": "start", "right": "end"}.get(note.xanchor or "", "middle")
        yield draw_text(x, y, note.text, _size(note.font), anchor)


def _entries(figure: go.Figure) -> list[Any]:
    """Return the traces of the legend: all with a name, because paper has no hover text."""
    if figure.layout.showlegend is False:
        return []
    return [trace for trace in figure.data if trace.name and trace.showlegend is not False]


def _legend_rows(entries: list[Any], room: float) -> list[list[Any]]:
    rows: list[list[Any]] = []
    left = 0.0
    for trace in entries:
        wide = _wide(trace)
        if not rows or left + wide > room:
            rows.append([])
            left = 0.0
        rows[-1].append(trace)
        left += wide
    return rows


def _wide(trace: Any) -> float:
    return SAMPLE + 18 + LETTER * len(one_line(trace.name))


def _legend(rows: list[list[Any]], left: float, top: float) -> Iterator[str]:
    for row, traces in enumerate(rows):
        x, y = left, top + ROW * (row + 0.5) - 4
        for trace in traces:
            yield _sign(trace, x, y)
            yield draw_text(x + SAMPLE + 5, y, trace.name, SMALL, "start")
            x += _wide(trace)


def _sign(trace: Any, x: float, y: float) -> str:
    """Return the sample of a trace in the legend."""
    if trace.type == "bar":
        colour = each(trace.marker.color, 1)[0]
        return f'<rect x="{x + 6:g}" y="{y - 6:g}" width="14" height="12" fill="{colour}"/>'
    mode, parts = trace.mode or "lines", []
    if "lines" in mode:
        opacity = "" if trace.opacity is None else f' opacity="{trace.opacity:g}"'
        parts.append(f'<path d="M{x:g},{y:g}h{SAMPLE}" {stroke(trace.line)}{opacity}/>')
    if "markers" in mode:
        sizes = [float(size) for size in each(trace.marker.size, 1) if size]
        colour = each(trace.marker.color, 1)[0]
        parts.append(draw_markers(trace.marker, [(x + SAMPLE / 2, y)], min(max(sizes, default=6.0), 12.0), colour))
    return "".join(parts)


def as_html(figures: Sequence[go.Figure], *, title: str, paragraphs: Sequence[str]) -> str:
    """Return figures as one self-contained page without a script: still drawings, a title, and plain paragraphs."""
    parts = [f"<h1>{escape(title)}</h1>", *(f"<p>{escape(text)}</p>" for text in paragraphs)]
    for at, figure in enumerate(figures, start=1):
        parts.append(f"<div>{draw_still(figure, alt=f'{title}: figure {at}', number=at)}</div>")
    style = (
        ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;"
        "padding:0 1rem}div{overflow-x:auto;margin:1rem 0;break-inside:avoid}svg{display:block;width:100%;"
        "min-width:34rem;height:auto}@media print{svg{min-width:0}}"
    )
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{style}</style>"
    )
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{"".join(parts)}</body></html>'
