"""GK sketch: between which ranks each value may lie, as far as the sketch knows, and how likely it was drawn."""

from __future__ import annotations

import plotly.graph_objects as go

from ...mechanisms.gk.trace import GKClass, GKStep
from ..frame import ACCENT, BAND, GRID, PRIVATE, PRIVATE_MARKER, TRUE
from .distribution import draw_distribution
from .frame import UNDIMMED, add_marks, add_strokes, add_truth, between, framed
from .scene import Scene, around, heart, in_row, tinted

MOST_POINTS = 1000
"""Of a bound on ranks; as steps it has twice as many corners."""
MOST_BOXES = 60
"""With more classes in the close-up, boxes could not be distinguished; their chances are drawn instead."""
WHOLE = 0.99
"""The share of the law that the close-up always shows."""


def draw_sketch(scene: Scene[GKStep]) -> go.Figure:
    """The least and the highest rank of every value, and each quantile across from its rank and down to its value."""
    shown, step = in_row(scene), scene.step
    marks = [mark for number in shown for mark in (scene.steps[number].value, scene.targets[number])]
    window = around([*marks, scene.truth], scene.bounds, 8 * scene.spread)
    classes = _known(scene, shown, window)
    figure = go.Figure()
    for name, side, fill in (("least rank", 0, None), ("highest rank", 1, "tonexty")):
        figure.add_scatter(
            x=[each.bounds[0] for each in classes], y=[each.ranks[side] for each in classes], mode="lines", name=name,
            line={"shape": "hv", "color": scene.colour, "width": 1.4, "dash": "solid" if side else "dot"}, fill=fill,
            fillcolor=BAND, hovertemplate=name + " %{y:,}<extra></extra>",
        )  # fmt: skip
    walk = [(window[0], step.target, step.value, step.target), (step.value, step.target, step.value, 0.0)]
    add_strokes(figure, walk, {"color": PRIVATE, "width": 2, "dash": "dot"})
    done = [number for number in shown if scene.is_run(number)]
    places = [scene.steps[number].target for number in done]
    add_marks(figure, scene, done, [scene.steps[number].value for number in done], places, true=False)
    add_marks(figure, scene, done, [scene.targets[number] for number in done], places, true=True)
    add_truth(figure, scene.truth)
    framed(figure, scene, window)
    low, high = around([float(scene.steps[number].target) for number in shown], (0.0, float(max(scene.n, 1))), 20)
    return figure.update_yaxes(title=f"rank ({scene.many})", range=[low, high], showgrid=True, gridcolor=GRID)


def draw_classes(scene: Scene[GKStep]) -> go.Figure:
    """Close up: each class of values as a box between its ranks, darker the likelier; or, of many, chances alone."""
    step = scene.step
    window = around([*heart(step.distribution, step.bounds[1], WHOLE), step.value], scene.bounds, 8 * scene.spread)
    classes = [each for each in step.classes if each.bounds[1] >= window[0] and each.bounds[0] <= window[1]]
    if len(classes) > MOST_BOXES:
        return draw_distribution(scene)
    likeliest = max((each.probability for each in classes), default=1.0) or 1.0
    narrow = (window[1] - window[0]) / 150
    figure = go.Figure()
    figure.add_bar(
        x=[sum(each.bounds) / 2 for each in classes], base=[each.ranks[0] for each in classes],
        y=[max(each.ranks[1] - each.ranks[0], 1) for each in classes], showlegend=False,
        width=[max(each.bounds[1] - each.bounds[0] + scene.spread, narrow) for each in classes],
        marker={"color": [tinted(scene.colour, 0.08 + 0.7 * each.probability / likeliest) for each in classes],
                "line": {"color": [ACCENT if _holds(step, each) else TRUE for each in classes],
                         "width": [2.5 if _holds(step, each) else 0.5 for each in classes]}},
        hovertext=[_hover(scene, each) for each in classes], hovertemplate="%{hovertext}<extra></extra>",
    )  # fmt: skip
    add_strokes(figure, [(window[0], step.target, window[1], step.target)], {"color": TRUE, "width": 2, "dash": "dot"})
    figure.add_scatter(
        x=[step.value], y=[step.target], mode="markers", marker=PRIVATE_MARKER | {"size": 12}, showlegend=False,
        unselected=UNDIMMED, hovertemplate=f"drawn: {scene.read(step.value)}<extra></extra>",
    )  # fmt: skip
    framed(figure, scene, window)
    return figure.update_yaxes(showgrid=True, gridcolor=GRID).update_layout(margin={"l": 56})


def _known(scene: Scene[GKStep], shown: list[int], window: tuple[float, float]) -> list[GKClass]:
    """The classes that any of these steps looked at, once each, from left to right, thinned."""
    found = {each.bounds: each for number in shown for each in scene.steps[number].classes}
    inside = [found[at] for at in sorted(found) if at[1] >= window[0] and at[0] <= window[1]]
    return inside[:: max(1, -(-len(inside) // MOST_POINTS))]


def _holds(step: GKStep, known: GKClass) -> bool:
    return step.chosen >= 0 and step.classes[step.chosen] is known


def _hover(scene: Scene[GKStep], known: GKClass) -> str:
    kind = "kept by the sketch" if known.stored else "between two that are kept"
    low, high = known.ranks
    return (
        f"{between(scene, known.bounds)}, {kind}<br>ranks {low:,} to {high:,}<br>chance {100 * known.probability:.2f} %"
    )
