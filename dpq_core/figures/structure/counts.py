"""Counts that are read: down a tree (AggTree), and as running sums of bins (binhist, normal).

The walk leads from the whole range down to one leaf, with counts noisy and made consistent. Bins are counted once;
every quantile is where their running sum reaches its rank.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from ...mechanisms.counts.answers import HistogramStep, TreeNode, TreeStep
from ...mechanisms.normal.mechanism import NormalStep
from ..frame import ACCENT, AXIS, BAND, PRIVATE, TRUE, PlainFigure, Trace, tinted
from ..traces import Stroke, pen, standing, strokes, trace, words
from .marks import (
    HIDDEN,
    HISTOGRAM_SHARE,
    HOVER,
    UNDIMMED,
    answers,
    between,
    columns,
    data_bars,
    edges,
    picture,
    readings,
    short,
)
from .scene import Scene, Span

HALF = 0.3  # half the height of a row, in rows
TWO_LINES = 6  # up to this number rows are high enough for both counts; more have the consistent one
NAMED_FAMILY = 20  # up to this number children may have room for their counts; of more, the entered one has its count
DIGIT = 0.0215  # of a row that a bold digit takes on a wide page


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
    letters = [max(len(short(node.consistent)), len(short(node.noisy)) if both else 0) for node in family]
    counts = [
        ((at + 0.5) * width, -depth, (f"{short(node.noisy)}<br>" if both else "") + f"<b>{short(node.consistent)}</b>")
        for at, node in enumerate(family)
        if node is entered or (len(family) <= NAMED_FAMILY and letters[at] * DIGIT <= width)
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


MOST_POINTS = 1000  # the most points of a running sum; drawn as steps it has twice as many corners
BINS_BESIDE = 8  # the number of bins to either side of the answer's bin that the close-up shows


def draw_sums(scene: Scene[HistogramStep]) -> PlainFigure:
    """Draw the running sums of bins, exact, noisy and consistent, with a line from each target rank to its value."""
    step, all_steps = scene.step, range(len(scene.steps))
    window = scene.window(all_steps)
    (bins,) = step.families
    firsts = [each.bounds[0] for each in bins]
    traces = []
    for name, counts, line in (
        ("true", [each.count for each in bins], pen(TRUE, shape="hv")),
        ("noisy", [each.noisy for each in bins], pen(tinted(scene.colour, 0.7), 1.2, "dot", "hv")),
        ("made consistent", [each.consistent for each in bins], pen(scene.colour, 2.2, shape="hv")),
    ):
        sums, hover = _running(firsts, counts, window), f"below %{{x}}: %{{y:,.0f}}<extra>{name}</extra>"
        traces.append(trace(*sums, "lines", name, hover, line=line))
    rows = {"range": [0, 1.06 * max(step.total, float(scene.n), 1.0)], "showgrid": True}
    traces += readings(scene, all_steps, window[0])
    layout: dict[str, Any] = {
        "y": f"{scene.many} at or below",
        "shapes": _ranges(step) if isinstance(step, NormalStep) else [],
    }
    return picture(scene, traces, window, truth=scene.truth, yaxis=rows, **layout)


def draw_bins(scene: Scene[HistogramStep]) -> PlainFigure:
    """Draw the bins around the answer: the number of records in each, exact, noisy and made consistent."""
    (bins,), (place,) = scene.step.families, scene.step.places
    shown = bins[max(place - BINS_BESIDE, 0) : place + BINS_BESIDE + 1]
    firsts, beyond = [each.bounds[0] for each in shown], bins[place + BINS_BESIDE + 1 :]
    ends = [*firsts[1:], beyond[0].bounds[0] if beyond else scene.bounds[1]]
    middles = [(first + max(end - scene.spread, first)) / 2 for first, end in zip(firsts, ends, strict=True)]
    widths = [max(end - first, scene.spread) for first, end in zip(firsts, ends, strict=True)]
    chosen = [each is bins[place] for each in shown]
    counts, look = [each.count for each in shown], {"color": tinted(TRUE, 0.45), "line": edges(chosen, TRUE)}
    true = columns(middles, counts, widths, [f"true {count:,}" for count in counts], **look)
    traces = [true | {"name": "true", "showlegend": True}]
    kinds = ("made consistent", "consistent", "diamond", 6), ("noisy", "noisy", "diamond-open", 11)
    for name, kind, symbol, size in kinds:
        marker = {"symbol": symbol, "size": size, "color": PRIVATE, "line": {"width": 1.4, "color": PRIVATE}}
        hover = name + " %{y:,.1f}<extra></extra>"
        heights = [getattr(each, kind) for each in shown]
        traces.append(trace(middles, heights, "markers", name, hover, marker=marker, **UNDIMMED))
    window = middles[0] - widths[0], middles[-1] + widths[-1]
    return picture(scene, traces, window, y=f"{scene.many} in a bin", yaxis={"showgrid": True})


def _ranges(step: NormalStep) -> list[dict[str, Any]]:
    """Return, for a normal sample, the interval that was counted, and in it the bin that was chosen first."""
    rect = {"type": "rect", "yref": "y domain", "y0": 0, "y1": 1, "fillcolor": BAND, "layer": "below"}
    found = [rect | {"x0": step.interval[0], "x1": step.interval[1], "line": {"width": 0}}]
    if step.range_bin is not None:
        found.append(rect | {"x0": step.range_bin[0], "x1": step.range_bin[1], "line": pen(ACCENT, 1)})
    return found


def _running(firsts: Sequence[float], counts: Sequence[float], window: Span) -> tuple[list[float], list[float]]:
    """Return a thinned running sum: before each bin in the window, before the first, and after the last."""
    sums = list(accumulate(counts, initial=0))
    inside = [place for place, first in enumerate(firsts) if window[0] <= first <= window[1]]
    first = inside[0] if inside else sum(each < window[0] for each in firsts)
    every = max(1, -(-len(inside) // MOST_POINTS))
    drawn = inside[::every]
    after = sums[inside[-1] + 1] if inside else sums[first]
    return [window[0], *(firsts[place] for place in drawn), window[1]], [
        sums[first], *(sums[place + 1] for place in drawn), after
    ]  # fmt: skip
