"""Traces of a still drawing: lines, areas, error bars, words and bars as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .axes import PixelAxis
from .markers import draw_markers
from .words import lines_of

Point = tuple[float, float] | None
"""Pixels; None is a gap."""
DASHES = {"dot": (1, 2), "dash": (4, 3), "longdash": (8, 3), "dashdot": (4, 2, 1, 2)}
"""Strokes and gaps, in widths of the line."""
SMALL = 12
FINE = 1000
"""Corners of a line beyond which whole pixels do."""
ANCHORS = {"left": "end", "right": "start", "center": "middle"}
"""By the side of its point that a word is on."""


def draw_trace(trace: Any, x: PixelAxis, y: PixelAxis, before: Sequence[Point]) -> tuple[str, list[Point]]:
    """Return a trace as SVG, and its line in pixels for a trace that fills up to it; `before` is that of the last one.

    Raises ValueError for a kind of trace that is not known.
    """
    if trace.type == "bar":
        return _bars(trace, x, y), []
    if trace.type != "scatter":
        raise ValueError(f"a trace of type {trace.type} cannot be drawn.")
    points = [_point(x.at(one), y.at(other)) for one, other in zip(trace.x, trace.y, strict=True)]
    line, mode = corners(points, trace.line.shape), trace.mode or "lines"
    parts = [
        _area(trace, line, before) if trace.fill in {"toself", "tonexty"} else "",
        _line(line, trace.line) if "lines" in mode and trace.line.width != 0 else "",
        _error_bars(trace, points, y) if trace.error_y.array is not None else "",
        _markers(trace, points) if "markers" in mode else "",
        _words(trace, points) if "text" in mode else "",
    ]
    opacity = "" if trace.opacity in {None, 1} else f' opacity="{trace.opacity:g}"'
    return f"<g{opacity}>{''.join(parts)}</g>", line


def _point(x: float | None, y: float | None) -> Point:
    return None if x is None or y is None else (x, y)


def corners(points: Sequence[Point], shape: str | None) -> list[Point]:
    """Return the corners of a line through points: straight, or with steps (`hv`, `hvh`)."""
    found: list[Point] = []
    for last, point in zip([None, *points], points, strict=False):
        if last is not None and point is not None and shape in {"hv", "hvh"}:
            turn = point[0] if shape == "hv" else (last[0] + point[0]) / 2
            found += [(turn, last[1]), (turn, point[1])]
        found.append(point)
    return found


def _path(points: Sequence[Point]) -> str:
    """Return the points as a path that is lifted at gaps; of very many those that differ in whole pixels."""
    if len(points) > FINE:
        points = [point and (round(point[0]), round(point[1])) for point in points]
    parts, last = [], None
    for point in points:
        if point is not None and last is None:
            parts.append(f"M{point[0]:g},{point[1]:g}")
        elif point is not None and last is not None and point != last:
            parts.append(_step(last, point))
        last = point
    return "".join(parts)


def _step(last: tuple[float, float], point: tuple[float, float]) -> str:
    if point[1] == last[1]:
        return f"H{point[0]:g}"
    return f"V{point[1]:g}" if point[0] == last[0] else f"L{point[0]:g},{point[1]:g}"


def stroke(line: Any) -> str:
    """Return the attributes of a line as plotly describes it."""
    width = 2.0 if line.width is None else float(line.width)
    dashes = DASHES.get(getattr(line, "dash", None) or "solid")
    dashed = f' stroke-dasharray="{" ".join(f"{part * max(width, 1.5):g}" for part in dashes)}"' if dashes else ""
    return f'fill="none" stroke="{line.color}" stroke-width="{width:g}"{dashed}'


def _line(points: Sequence[Point], line: Any) -> str:
    return f'<path d="{_path(points)}" {stroke(line)}/>'


def _area(trace: Any, points: Sequence[Point], before: Sequence[Point]) -> str:
    around = [*points, *reversed(before)] if trace.fill == "tonexty" else points
    return f'<path d="{_path([point for point in around if point])}z" fill="{trace.fillcolor}" stroke="none"/>'


def _error_bars(trace: Any, points: Sequence[Point], y: PixelAxis) -> str:
    bars = trace.error_y
    ups = bars.array
    downs = ups if bars.arrayminus is None else bars.arrayminus
    cap = float(bars.width or 0)
    parts = []
    for point, value, up, down in zip(points, trace.y, ups, downs, strict=True):
        if point is None or not (up or down):
            continue
        top, bottom = y.at(value + up), y.at(value - down)
        if top is None or bottom is None:
            continue
        parts.append(f"M{point[0]:g},{top:g}V{bottom:g}")
        parts += [f"M{point[0] - cap:g},{end:g}h{2 * cap:g}" for end in (top, bottom) if cap]
    return f'<path d="{"".join(parts)}" fill="none" stroke="{bars.color}" stroke-width="{bars.thickness or 1:g}"/>'


def _markers(trace: Any, points: Sequence[Point]) -> str:
    """Return the markers, those of one look together."""
    marker, count = trace.marker, len(points)
    looks = zip(*(each(of, count) for of in (marker.size, marker.color, marker.opacity)), strict=True)
    alike: dict[tuple[Any, ...], list[tuple[float, float]]] = {}
    for point, (size, *look) in zip(points, looks, strict=True):
        if point is not None and size != 0:
            alike.setdefault((6.0 if size is None else float(size), *look), []).append(point)
    return "".join(draw_markers(marker, places, *look) for look, places in alike.items())


def _words(trace: Any, points: Sequence[Point]) -> str:
    size = trace.textfont.size or SMALL
    side = (trace.textposition or "middle center").split()[1]
    return "".join(
        draw_text(point[0], point[1], text, size, ANCHORS[side])
        for point, text in zip(points, each(trace.text, len(points)), strict=True)
        if point is not None and text
    )


def draw_text(x: float, y: float, text: str, size: float, anchor: str, more: str = "") -> str:
    """Return words around a point, as many lines as they have, in the colour of the page's text."""
    lines = lines_of(text)
    parts = []
    for at, (line, bold) in enumerate(lines):
        weight = ' font-weight="600"' if bold else ""
        down = y + size * (0.35 + 1.15 * (at - (len(lines) - 1) / 2))
        parts.append(
            f'<text x="{x:g}" y="{down:.1f}" font-size="{size:g}" text-anchor="{anchor}"{weight}{more}>{line}</text>'
        )
    return "".join(parts)


def _bars(trace: Any, x: PixelAxis, y: PixelAxis) -> str:
    """Return bars as rectangles; `base` is where they begin, `width` their thickness in units of the other axis."""
    lying = trace.orientation == "h"
    (along, across), count = ((x, y) if lying else (y, x)), len(trace.x)
    lengths, middles = (trace.x, trace.y) if lying else (trace.y, trace.x)
    bases, widths = each(0 if trace.base is None else trace.base, count), each(trace.width, count)
    line = trace.marker.line
    looks = zip(each(trace.marker.color, count), each(line.color, count), each(line.width, count), strict=True)
    parts = []
    for at, (fill, edge, width) in enumerate(looks):
        ends = [along.at(bases[at]), along.at(bases[at] + lengths[at])]
        sides = [across.at(middles[at] - widths[at] / 2), across.at(middles[at] + widths[at] / 2)]
        corner = [*ends, *sides] if lying else [*sides, *ends]
        if None in corner:
            continue
        left, right, one, other = (float(pixel or 0) for pixel in corner)
        border = f' stroke="{edge}" stroke-width="{width:g}"' if width and edge else ""
        parts.append(
            f'<rect x="{min(left, right):g}" y="{min(one, other):g}" width="{abs(right - left):g}" '
            f'height="{abs(other - one):g}" fill="{fill}"{border}/>'
        )
    return "".join(parts)


def each(value: Any, count: int) -> list[Any]:
    """Return one value for each point, whether plotly has one for all or a list of them."""
    if value is None or isinstance(value, str | int | float):
        return [value] * count
    return list(value)
