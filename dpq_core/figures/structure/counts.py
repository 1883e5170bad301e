"""AggTree: draw the walk from the whole range down to one leaf, with counts noisy and made consistent."""

from __future__ import annotations

import plotly.graph_objects as go

from ...mechanisms.tree.trace import TreeNode, TreeStep
from ..frame import ACCENT, AXIS, PRIVATE, PRIVATE_MARKER, SMALLEST_WORDS, TRUE, TRUE_MARKER
from .frame import (
    HEIGHT,
    HISTOGRAM_SHARE,
    LEGEND,
    UNDIMMED,
    add_strokes,
    add_texts,
    add_truth,
    between,
    framed,
    share_of,
    short,
)
from .scene import Scene, around, histogram_in, tinted

HALF = 0.3
"""Half the height of a row, in rows."""
TWO_LINES = 6
"""Up to this number, rows are high enough for both counts; with more rows only the consistent count is written."""
NAMED_FAMILY = 20
"""Up to this number, children side by side have room for their counts; of more, only the entered one has its count."""


def draw_walk(scene: Scene[TreeStep]) -> go.Figure:
    """Draw the children of the entered node at every depth, equally wide; below them, all answers over the data."""
    step = scene.step
    figure = go.Figure()
    for depth, family in enumerate(step.families):
        _add_family(figure, scene, depth, family)
    add_strokes(figure, _cone(step), {"color": scene.colour, "width": 1.5, "dash": "dot"}, axis="x2")
    marks = [each.value for each in scene.steps]
    window = around([*marks, *scene.targets, scene.truth], scene.bounds, 8 * scene.spread)
    _add_answers(figure, scene, window)
    add_truth(figure, scene.truth, rows="y2 domain")
    figure.update_xaxes(fixedrange=True, showgrid=False, zeroline=False)
    framed(figure, scene, window)
    figure.update_layout(
        xaxis={"anchor": "y2"},
        xaxis2={"range": [0, 1], "showticklabels": False, "showgrid": False, "anchor": "y", "fixedrange": True,
                "zeroline": False},
        yaxis={"domain": [HISTOGRAM_SHARE + 0.12, 1], "range": [-len(step.families) + 0.45, 0.6],
               "tickvals": [-depth for depth in range(len(step.families))],
               "ticktext": ["depth 1", *(f"{depth}" for depth in range(2, len(step.families) + 1))]},
        yaxis2={"domain": [0, HISTOGRAM_SHARE + 0.04], "anchor": "x", "showticklabels": False, "showgrid": False,
                "zeroline": False, "fixedrange": True},
    )  # fmt: skip
    return figure


def _add_family(figure: go.Figure, scene: Scene[TreeStep], depth: int, family: tuple[TreeNode, ...]) -> None:
    most = max(max(node.consistent for node in family), 1.0)
    entered = scene.step.path[depth]
    width = 1 / len(family)
    figure.add_bar(
        orientation="h", base=[at * width for at in range(len(family))], x=[width] * len(family),
        y=[-depth] * len(family), width=2 * HALF, xaxis="x2", showlegend=False, textposition="none",
        marker={"color": [tinted(scene.colour, 0.06 + 0.34 * max(node.consistent, 0) / most) for node in family],
                "line": {"color": [ACCENT if node is entered else AXIS for node in family],
                         "width": [3 if node is entered else 0.8 for node in family]}},
        hovertext=[_hover(scene, node) for node in family], hovertemplate="%{hovertext}<extra></extra>",
    )  # fmt: skip
    named = [at for at, node in enumerate(family) if node is entered or len(family) <= NAMED_FAMILY]
    both = len(scene.step.families) <= TWO_LINES
    figure.add_scatter(
        x=[(at + 0.5) * width for at in named], y=[-depth] * len(named), mode="text", xaxis="x2", showlegend=False,
        text=[(f"{short(family[at].noisy)}<br>" if both else "") + f"<b>{short(family[at].consistent)}</b>"
              for at in named],
        hoverinfo="skip", textfont={"size": SMALLEST_WORDS},
    )  # fmt: skip


def _hover(scene: Scene[TreeStep], node: TreeNode) -> str:
    return (
        f"{between(scene, node.bounds)}<br>true {node.count:,} {scene.many}<br>noisy {node.noisy:,}<br>"
        f"made consistent {node.consistent:,.1f}"
    )


def _cone(step: TreeStep) -> list[tuple[float, float, float, float]]:
    """Return lines from both ends of an entered node to both ends of the row below, which shows its children."""
    strokes = []
    for depth, family in enumerate(step.families[:-1]):
        place = next(at for at, node in enumerate(family) if node is step.path[depth])
        top, bottom = -depth - HALF, -depth - 1 + HALF
        strokes += [(place / len(family), top, 0.0, bottom), ((place + 1) / len(family), top, 1.0, bottom)]
    return strokes


def _add_answers(figure: go.Figure, scene: Scene[TreeStep], window: tuple[float, float]) -> None:
    """Add all answers of the run over the data; a click on one selects its walk."""
    starts, counts, width = histogram_in(scene, window)
    top = max([*counts, 1])
    figure.add_bar(
        x=[start + width / 2 - scene.spread / 2 for start in starts], y=counts, width=0.9 * width, yaxis="y2",
        marker={"color": tinted(TRUE, 0.55), "line": {"width": 0}}, showlegend=False, hoverinfo="skip",
    )  # fmt: skip
    done = [number for number in range(len(scene.steps)) if scene.is_run(number)]
    for name, marker, xs, small in (
        ("drawn", PRIVATE_MARKER, [scene.steps[number].value for number in done], 5 if scene.is_long else 8),
        ("target", TRUE_MARKER, [scene.targets[number] for number in done], 7 if scene.is_long else 11),
    ):
        figure.add_scatter(
            x=xs, y=[1.15 * top] * len(done), yaxis="y2", mode="markers", name=name,
            marker=marker | {"size": [13 if number == scene.at else small for number in done], "opacity": 1},
            customdata=[[number] for number in done], selected=UNDIMMED, unselected=UNDIMMED,
            hovertext=[f"{share_of(scene.steps[number].level)}, {name}: {scene.read(x)}"
                       for number, x in zip(done, xs, strict=True)],
            hovertemplate="%{hovertext}<extra></extra>",
        )  # fmt: skip


def draw_noise(scene: Scene[TreeStep]) -> go.Figure:
    """Draw how far every count on the walk is from the truth: noisy, and after all counts were made consistent."""
    path = scene.step.path
    rows = [-depth for depth in range(len(path))]
    figure = go.Figure()
    noisy = [node.noisy - node.count for node in path]
    agreed = [node.consistent - node.count for node in path]
    add_strokes(figure, [(a, y, b, y) for a, b, y in zip(noisy, agreed, rows, strict=True)], {"color": PRIVATE})
    figure.add_vline(x=0, line={"color": TRUE, "width": 1.5})
    for name, errors, symbol in (("noisy", noisy, "diamond-open"), ("made consistent", agreed, "diamond")):
        figure.add_scatter(
            x=errors, y=rows, mode="markers", name=name,
            marker={"symbol": symbol, "size": 11, "color": PRIVATE, "line": {"width": 2, "color": PRIVATE}},
            hovertemplate="%{x:+,.1f}<extra>" + name + "</extra>",
        )  # fmt: skip
    names = [between(scene, node.bounds) for node in path]
    farthest = 1.25 * max([4.0, *map(abs, noisy), *map(abs, agreed)])
    words = [(-farthest, row + 0.3, f" {name}") for row, name in zip(rows, names, strict=True)]
    add_texts(figure, words, position="middle right")
    framed(figure, scene, (-farthest, farthest), title=f"error of the count ({scene.many})")
    figure.update_yaxes(tickvals=rows, ticktext=[f"{1 - row}" for row in rows], range=[-len(path) + 0.4, 0.6])
    return figure.update_layout(margin={"l": 28}, legend=LEGEND, height=HEIGHT)
