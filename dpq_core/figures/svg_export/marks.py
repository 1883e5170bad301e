"""Traces of a still drawing: lines, areas, error bars, words and bars as SVG.

Markers are paths around their middle. Of texts, plotly's few tags are read; everything else is written as text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from html import escape, unescape
from itertools import pairwise
from math import cos, pi, sin, sqrt
from typing import Any
from zlib import crc32

from .axes import PixelAxis

MOST_SEPARATE_MARKERS = 120
"""Markers of one look beyond which those on one pixel are drawn once."""


def draw_markers(
    marker: Any, places: Sequence[tuple[float, float]], size: float, colour: str, opacity: float | None = None
) -> str:
    """Return markers of one look at their places as SVG. Raises ValueError for an unknown symbol."""
    symbol, _, end = str(marker.symbol or "circle").partition("-open")
    if end or symbol not in SHAPES:
        raise ValueError(f"a marker {marker.symbol} cannot be drawn.")
    hollow = "-open" in str(marker.symbol) or symbol in STROKES
    width = float(marker.line.width or 0)
    edge = marker.line.color or colour
    look = f'fill="{"none" if hollow else colour}"'
    if hollow or width:
        look += f' stroke="{colour if hollow and symbol not in STROKES else edge}" stroke-width="{width or 1:g}"'
    if opacity not in {None, 1}:
        look += f' opacity="{opacity:g}"'
    shape = SHAPES[symbol](size / 2)
    if len(places) > MOST_SEPARATE_MARKERS:
        return _alike(f'<path d="M0,0{shape}" {look}/>', {(round(x), round(y)) for x, y in places})
    path = "".join(f"M{x:g},{y:g}{shape}" for x, y in places)
    return f'<path d="{path}" {look}/>'


def _alike(sign: str, places: set[tuple[int, int]]) -> str:
    """Return one mark at the corners of a line that is not drawn: a few letters for each place."""
    name = f"m{crc32(sign.encode()):x}"
    ends = " ".join(f'marker-{where}="url(#{name})"' for where in ("start", "mid", "end"))
    line = " ".join(f"{x},{y}" for x, y in sorted(places))
    return (
        f'<marker id="{name}" overflow="visible" markerUnits="userSpaceOnUse">{sign}</marker>'
        f'<polyline points="{line}" fill="none" stroke="none" {ends}/>'
    )


def _circle(r: float) -> str:
    return f"m{-r:g},0a{r:g},{r:g} 0 1 0 {2 * r:g},0a{r:g},{r:g} 0 1 0 {-2 * r:g},0z"


def _polygon(corners: int, factor: float, turn: float = 0.0) -> Callable[[float], str]:
    """Return the path of a regular polygon, `factor` times as large as a circle; `turn`: in corners, from the top."""

    def path(r: float) -> str:
        angles = [2 * pi * (at + turn) / corners for at in range(corners)]
        ends = [(factor * r * sin(angle), -factor * r * cos(angle)) for angle in angles]
        return _closed(ends)

    return path


def _cross(r: float) -> str:
    arm, end = 0.4 * r, 1.1 * r
    half = [(-arm, -end), (arm, -end), (arm, -arm), (end, -arm), (end, arm), (arm, arm)]
    return _closed([*half, *((-x, -y) for x, y in half)])


def _closed(ends: list[tuple[float, float]]) -> str:
    moves = [(one[0] - last[0], one[1] - last[1]) for last, one in pairwise(ends)]
    return f"m{_numbers(ends[0])}l{' '.join(map(_numbers, moves))}z"


def _numbers(place: tuple[float, float]) -> str:
    return ",".join(f"{round(number, 2) + 0.0:g}" for number in place)


SHAPES: dict[str, Callable[[float], str]] = {
    "circle": _circle,
    "diamond": _polygon(4, 1.3),
    "square": _polygon(4, sqrt(2), 0.5),
    "triangle-up": _polygon(3, 1.2),
    "triangle-down": _polygon(3, 1.2, 0.5),
    "pentagon": _polygon(5, 1.1),
    "hexagon": _polygon(6, 1.1),
    "cross": _cross,
    "x": lambda r: f"m{-r:g},{-r:g}l{2 * r:g},{2 * r:g}m{-2 * r:g},0l{2 * r:g},{-2 * r:g}",
    "line-ns": lambda r: f"m0,{-1.4 * r:g}v{2.8 * r:g}",
    "line-ew": lambda r: f"m{-1.4 * r:g},0h{2.8 * r:g}",
}
"""Of markers: paths from their middle, by half their size."""
STROKES = ("x", "line-ns", "line-ew")


def lines_of(text: str) -> list[tuple[str, bool]]:
    """Return the lines of a text of a figure, each with whether it is bold, as text that is safe in SVG."""
    lines = re.split(r"<br\s*/?>", str(text))
    return [(safe(re.sub(r"</?b>", "", line)), "<b>" in line) for line in lines]


def one_line(text: str) -> str:
    """Return a text of a figure on one line, safe in SVG."""
    return " ".join(line for line, _ in lines_of(text))


def safe(text: str) -> str:
    """Return what a person would read, escaped once."""
    return escape(unescape(text), quote=True)


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
