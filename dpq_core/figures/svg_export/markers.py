"""Markers of a still drawing: the symbols in use, as paths around their middle."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import cos, pi, sin, sqrt
from typing import Any
from zlib import crc32

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
