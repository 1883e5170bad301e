"""The law of one draw: how likely each value was, around where its mass is, with target, draw and true quantile.

And of a GK sketch: between which ranks each value may lie, as far as the sketch knows, and how likely it was drawn.
"""

from __future__ import annotations

from math import ceil

from ...mechanisms.base import DrawStep
from ...mechanisms.gk.mechanism import GKClass, GKStep
from ..frame import BAND, PRIVATE, PRIVATE_MARKER, TRUE, TRUE_MARKER, PlainFigure, tinted
from ..traces import level, pen, trace
from .marks import UNDIMMED, between, columns, edges, picture, readings
from .scene import Law, Scene, Span, around, heart, in_row

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
    up = {"tickformat": "~%", "rangemode": "tozero", "nticks": 5}
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


MOST_POINTS = 1000  # of a bound on ranks; as steps it has twice as many corners
MOST_BOXES = 60  # of more classes no box could be distinguished; their chances are drawn instead
MOST_OF_LAW = 0.99  # the share of the law that the close-up always shows


def draw_sketch(scene: Scene[GKStep]) -> PlainFigure:
    """Draw the least and the highest rank of every value, and each quantile across from its rank to its value."""
    shown = in_row(scene)
    window = scene.window(shown)
    classes = _known(scene, shown, window)
    starts = [each.bounds[0] for each in classes]
    traces = [
        trace(
            starts, [each.ranks[side] for each in classes], "lines", name, name + " %{y:,}<extra></extra>", fill=fill,
            fillcolor=BAND, line=pen(scene.colour, 1.4, "solid" if side else "dot", "hv"),
        )
        for name, side, fill in (("least rank", 0, None), ("highest rank", 1, "tonexty"))
    ]  # fmt: skip
    rows = around([float(scene.steps[number].target) for number in shown], (0.0, float(max(scene.n, 1))), 20)
    traces += readings(scene, shown, window[0])
    return picture(
        scene, traces, window, truth=scene.truth, y=f"rank ({scene.many})", yaxis={"range": rows, "showgrid": True}
    )


def draw_classes(scene: Scene[GKStep]) -> PlainFigure:
    """Draw each class of values as a box between its ranks, darker the likelier; or, of many, chances alone."""
    step = scene.step
    low, high = heart(step.distribution, step.bounds[1], MOST_OF_LAW)
    window = around([low, high, step.value], scene.bounds, 8 * scene.spread)
    classes = [each for each in step.classes if each.bounds[1] >= window[0] and each.bounds[0] <= window[1]]
    if len(classes) > MOST_BOXES:
        return draw_distribution(scene)
    likeliest = max((each.probability for each in classes), default=1.0) or 1.0
    narrow = (window[1] - window[0]) / 150
    holds = [step.chosen >= 0 and step.classes[step.chosen] is each for each in classes]
    boxes = columns(
        [sum(each.bounds) / 2 for each in classes], [max(each.ranks[1] - each.ranks[0], 1) for each in classes],
        [max(each.bounds[1] - each.bounds[0] + scene.spread, narrow) for each in classes],
        [_hover(scene, each) for each in classes],
        color=[tinted(scene.colour, 0.08 + 0.7 * each.probability / likeliest) for each in classes],
        line=edges(holds, TRUE),
    )  # fmt: skip
    drawn = trace(
        [step.value], [step.target], "markers", "", f"drawn: {scene.read(step.value)}<extra></extra>",
        marker=PRIVATE_MARKER | {"size": 12}, **UNDIMMED,
    )  # fmt: skip
    return picture(
        scene, [boxes | {"base": [each.ranks[0] for each in classes]}, drawn], window, y=f"rank ({scene.many})",
        yaxis={"showgrid": True}, shapes=[level(step.target, pen(TRUE, dash="dot"))],
    )  # fmt: skip


def _known(scene: Scene[GKStep], shown: list[int], window: Span) -> list[GKClass]:
    """Return the classes that any of these steps looked at, once each, from left to right, thinned."""
    found = {each.bounds: each for number in shown for each in scene.steps[number].classes}
    inside = [found[at] for at in sorted(found) if at[1] >= window[0] and at[0] <= window[1]]
    return inside[:: max(1, -(-len(inside) // MOST_POINTS))]


def _hover(scene: Scene[GKStep], known: GKClass) -> str:
    kind = "kept by the sketch" if known.stored else "between two that are kept"
    low, high = known.ranks
    return (
        f"{between(scene, known.bounds)}, {kind}<br>ranks {low:,} to {high:,}<br>chance {100 * known.probability:.2f} %"
    )
