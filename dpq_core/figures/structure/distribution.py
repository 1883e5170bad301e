"""The law of one draw: how likely each value was, around where its mass is, with target, draw and true quantile."""

from __future__ import annotations

from math import ceil

import plotly.graph_objects as go

from ...mechanisms.base import DrawStep
from ...mechanisms.gk.trace import GKStep
from ..frame import PRIVATE, PRIVATE_MARKER, TRUE, TRUE_MARKER
from .frame import UNDIMMED, add_truth, between, framed
from .scene import Law, Scene, around, heart, tinted

MOST_BARS = 60
WHOLE = 0.98
"""The share of the law that the axis always shows."""


def draw_distribution(scene: Scene[DrawStep | GKStep]) -> go.Figure:
    """Chance of every value, or of every short range of values, that the selected draw could have had."""
    step, spread = scene.step, scene.spread
    distribution, end = step.distribution, step.bounds[1]
    low, high = heart(distribution, end, WHOLE)
    window = around([low, high, step.value, scene.targets[scene.at], scene.truth], scene.bounds, 8 * spread)
    width = spread * max(1, ceil((window[1] - window[0]) / spread / MOST_BARS))
    starts, chances = binned(distribution, end, spread, (low, width))
    figure = go.Figure()
    figure.add_bar(
        x=[start + (width - spread) / 2 for start in starts], y=chances, width=width, name="chance of the draw",
        marker={"color": tinted(scene.colour, 0.55), "line": {"color": scene.colour, "width": 0.6}},
        hovertext=[
            f"{_range(scene, at, width)}: {100 * chance:.2f} %" for at, chance in zip(starts, chances, strict=True)
        ],
        hovertemplate="%{hovertext}<extra></extra>",
    )  # fmt: skip
    top = max(chances)
    for name, value, marker, dash in (
        ("target", scene.targets[scene.at], TRUE_MARKER, "dot"),
        ("drawn", step.value, PRIVATE_MARKER, "solid"),
    ):
        figure.add_scatter(
            x=[value, value], y=[0, 1.06 * top], mode="lines+markers", name=name,
            line={"color": TRUE if dash == "dot" else PRIVATE, "dash": dash, "width": 2},
            marker=marker | {"size": [0, 11], "opacity": 1}, unselected=UNDIMMED,
            hovertemplate=f"{name} {scene.read(value)}<extra></extra>",
        )  # fmt: skip
    add_truth(figure, scene.truth)
    framed(figure, scene, window)
    figure.update_yaxes(tickformat=".0%" if top > 0.05 else ".1%", rangemode="tozero", nticks=5)
    return figure.update_layout(margin={"l": 46}, showlegend=False)


def binned(distribution: Law, end: float, spread: float, grid: tuple[float, float]) -> tuple[list[float], list[float]]:
    """A law in bars of one width: their first values and chances, from 60 bars before the origin to 120 after it.

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


def _range(scene: Scene[DrawStep | GKStep], start: float, width: float) -> str:
    return between(scene, (start, start + width - scene.spread))
