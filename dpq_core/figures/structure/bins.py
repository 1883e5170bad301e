"""Bins counted once, read as running sums (binhist, normal): every quantile is where the sum reaches its rank."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from ...mechanisms.counts.trace import HistogramStep
from ...mechanisms.normal.mechanism import NormalStep
from ..frame import ACCENT, BAND, PRIVATE, TRUE, PlainFigure, tinted
from ..traces import pen, trace
from .marks import UNDIMMED, columns, edges, picture, readings
from .scene import Scene, Span

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
