"""The law of one draw: how likely each value was, around where its mass is, with target, draw and true quantile."""

from __future__ import annotations

from math import ceil

from ...mechanisms.base import DrawStep
from ...mechanisms.gk.trace import GKStep
from ..frame import PRIVATE, PRIVATE_MARKER, TRUE, TRUE_MARKER, PlainFigure, tinted
from ..traces import pen, trace
from .marks import UNDIMMED, between, columns, picture
from .scene import Law, Scene, Span, heart

MOST_BARS = 60
WHOLE = 0.98  # the share of the law that the axis always shows


def draw_distribution(scene: Scene[DrawStep | GKStep]) -> PlainFigure:
    """Draw the chance of every value, or of every short range of values, that the selected draw could have had."""
    step, spread = scene.step, scene.spread
    distribution, end = step.distribution, step.bounds[1]
    low, high = heart(distribution, end, WHOLE)
    window = scene.window([scene.at], low, high)
    width = spread * max(1, ceil((window[1] - window[0]) / spread / MOST_BARS))
    starts, chances = binned(distribution, end, spread, (low, width))
    texts = [
        f"{between(scene, (start, start + width - spread))}: {100 * chance:.2f} %"
        for start, chance in zip(starts, chances, strict=True)
    ]
    top, look = max(chances), {"color": tinted(scene.colour, 0.55), "line": {"color": scene.colour, "width": 0.6}}
    traces = [columns([start + (width - spread) / 2 for start in starts], chances, width, texts, **look)]
    for name, value, marker, line in (
        ("target", scene.targets[scene.at], TRUE_MARKER, pen(TRUE, dash="dot")),
        ("drawn", step.value, PRIVATE_MARKER, pen(PRIVATE)),
    ):
        traces.append(
            trace(
                [value, value], [0, 1.06 * top], "lines+markers", name, f"{name} {scene.read(value)}<extra></extra>",
                line=line, marker=marker | {"size": [0, 11], "opacity": 1}, **UNDIMMED,
            )
        )  # fmt: skip
    up = {"tickformat": ".0%" if top > 0.05 else ".1%", "rangemode": "tozero", "nticks": 5}
    return picture(scene, traces, window, truth=scene.truth, y="chance", yaxis=up, showlegend=False)


def binned(distribution: Law, end: float, spread: float, grid: Span) -> tuple[list[float], list[float]]:
    """Return first values and chances of bars of one width, from 60 bars before the origin to 120 after it.

    A piece from one start to the next is spread evenly over the values of the grid between them; a piece between two
    records of one value stays there. `end` is the last value of all. `grid`: an origin and the width.
    """
    starts, weights = distribution
    origin, width = grid
    edges = [*starts, max(end, starts[-1]) + spread]
    found: dict[int, float] = {}
    for at, weight in enumerate(weights):
        low, high = edges[at], max(edges[at], edges[at + 1] - spread)
        first, last = (round((value - origin) // width) for value in (low + spread / 4, high + spread / 4))
        values = round((high - low) / spread) + 1
        for place in range(max(first, -MOST_BARS), min(last, 2 * MOST_BARS) + 1):
            start, stop = max(low, origin + place * width), min(high, origin + (place + 1) * width - spread)
            found[place] = found.get(place, 0.0) + weight * (round((stop - start) / spread) + 1) / values
    places = sorted(found)
    return [origin + place * width for place in places], [found[place] for place in places]
