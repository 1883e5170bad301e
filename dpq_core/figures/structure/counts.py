"""AggTree: draw the walk from the whole range down to one leaf, with counts noisy and made consistent."""

from __future__ import annotations

from ...mechanisms.counts.trace import TreeNode, TreeStep
from ..frame import AXIS, PRIVATE, TRUE, PlainFigure, Trace, tinted
from ..traces import Stroke, pen, standing, strokes, trace, words
from .marks import HIDDEN, HISTOGRAM_SHARE, HOVER, answers, between, data_bars, edges, picture, short
from .scene import Scene

HALF = 0.3  # half the height of a row, in rows
TWO_LINES = 6  # up to this number rows are high enough for both counts; more have the consistent one
NAMED_FAMILY = 20  # up to this number children have room for their counts; of more, the entered one has its count


def draw_walk(scene: Scene[TreeStep]) -> PlainFigure:
    """Draw the children of the entered node at every depth, equally wide; below them, all answers over the data."""
    step, everything = scene.step, range(len(scene.steps))
    window, rows = scene.window(everything), len(step.families)
    data, done = data_bars(scene, window), scene.done()
    top = 1.15 * max([*data["y"], 1])
    traces = [each for depth, family in enumerate(step.families) for each in _family(scene, depth, family)]
    traces += [strokes(_cone(step), pen(scene.colour, 1.5, "dot"), xaxis="x2"), data]
    traces += answers(scene, done, [top] * len(done), yaxis="y2")
    depths = {"tickvals": [-depth for depth in range(rows)], "range": [-rows + 0.45, 0.6]}
    depths |= {"ticktext": ["depth 1", *(f"{depth}" for depth in range(2, rows + 1))]}
    return picture(
        scene, traces, window, truth=scene.truth, over="y2 domain", xaxis={"anchor": "y2"},
        xaxis2=HIDDEN | {"range": [0, 1], "linecolor": None, "anchor": "y"},
        yaxis=depths | {"domain": [HISTOGRAM_SHARE + 0.12, 1]},
        yaxis2=HIDDEN | {"domain": [0, HISTOGRAM_SHARE + 0.04], "anchor": "x"},
    )  # fmt: skip


def _family(scene: Scene[TreeStep], depth: int, family: tuple[TreeNode, ...]) -> list[Trace]:
    """Return the children of one node as boxes, shaded by their counts, and the counts that have room in them."""
    most, entered, width = max(*(node.consistent for node in family), 1.0), scene.step.path[depth], 1 / len(family)
    shades = [tinted(scene.colour, 0.06 + 0.34 * max(node.consistent, 0) / most) for node in family]
    both = len(scene.step.families) <= TWO_LINES
    counts = [
        ((at + 0.5) * width, -depth, (f"{short(node.noisy)}<br>" if both else "") + f"<b>{short(node.consistent)}</b>")
        for at, node in enumerate(family)
        if node is entered or len(family) <= NAMED_FAMILY
    ]
    boxes = {
        "type": "bar", "orientation": "h", "base": [at * width for at in range(len(family))],
        "x": [width] * len(family), "y": [-depth] * len(family), "width": 2 * HALF, "xaxis": "x2", "showlegend": False,
        "textposition": "none", "hovertemplate": HOVER, "hovertext": [_hover(scene, node) for node in family],
        "marker": {"color": shades, "line": edges([node is entered for node in family], AXIS)},
    }  # fmt: skip
    return [boxes, words(counts, xaxis="x2")]


def _hover(scene: Scene[TreeStep], node: TreeNode) -> str:
    return (
        f"{between(scene, node.bounds)}<br>true {node.count:,} {scene.many}<br>noisy {node.noisy:,}<br>"
        f"made consistent {node.consistent:,.1f}"
    )


def _cone(step: TreeStep) -> list[Stroke]:
    """Return lines from both ends of an entered node to both ends of the row below, which shows its children."""
    found: list[Stroke] = []
    for depth, (family, place) in enumerate(zip(step.families[:-1], step.places, strict=False)):
        top, bottom = -depth - HALF, -depth - 1 + HALF
        found += [(place / len(family), top, 0.0, bottom), ((place + 1) / len(family), top, 1.0, bottom)]
    return found


def draw_noise(scene: Scene[TreeStep]) -> PlainFigure:
    """Draw how far every count on the walk is from the truth: noisy, and after all counts were made consistent."""
    path = scene.step.path
    rows = [-depth for depth in range(len(path))]
    noisy, agreed = ([getattr(node, kind) - node.count for node in path] for kind in ("noisy", "consistent"))
    traces = [strokes([(a, y, b, y) for a, b, y in zip(noisy, agreed, rows, strict=True)], pen(PRIVATE))]
    for name, errors, symbol in (("noisy", noisy, "diamond-open"), ("made consistent", agreed, "diamond")):
        marker = {"symbol": symbol, "size": 11, "color": PRIVATE, "line": {"width": 2, "color": PRIVATE}}
        traces.append(trace(errors, rows, "markers", name, f"%{{x:+,.1f}}<extra>{name}</extra>", marker=marker))
    farthest = 1.25 * max([4.0, *map(abs, noisy), *map(abs, agreed)])
    names = [(-farthest, row + 0.3, f" {between(scene, node.bounds)}") for row, node in zip(rows, path, strict=True)]
    depths = {"tickvals": rows, "ticktext": [f"{1 - row}" for row in rows], "range": [-len(path) + 0.4, 0.6]}
    return picture(
        scene, [*traces, words(names, "middle right")], (-farthest, farthest),
        title=f"error of the count ({scene.many})", shapes=[standing(0, pen(TRUE, 1.5))], yaxis=depths,
        y="depth", margin={"l": 42},
    )  # fmt: skip
