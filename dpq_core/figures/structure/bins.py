"""Bins counted once, read as running sums (binhist, normal): every quantile is where the sum reaches its rank."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from ...mechanisms.bins.reading import HistogramStep
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
    firsts = step.bins.first.tolist()
    traces = []
    for name, counts, line in (
        ("true", step.bins.count, pen(TRUE, shape="hv")),
        ("noisy", step.bins.noisy, pen(tinted(scene.colour, 0.7), 1.2, "dot", "hv")),
        ("made consistent", step.bins.agreed, pen(scene.colour, 2.2, shape="hv")),
    ):
        sums, hover = _running(firsts, counts.tolist(), window), f"below %{{x}}: %{{y:,.0f}}<extra>{name}</extra>"
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
    step = scene.step
    table, bins = step.bins, step.bins.first.size
    shown = slice(max(step.bin - BINS_BESIDE, 0), min(step.bin + BINS_BESIDE + 1, bins))
    firsts = table.first[shown].tolist()
    ends = [*firsts[1:], scene.bounds[1] if shown.stop == bins else float(table.first[shown.stop])]
    middles = [(first + max(end - scene.spread, first)) / 2 for first, end in zip(firsts, ends, strict=True)]
    widths = [max(end - first, scene.spread) for first, end in zip(firsts, ends, strict=True)]
    chosen = [place + shown.start == step.bin for place in range(len(firsts))]
    counts, look = table.count[shown].tolist(), {"color": tinted(TRUE, 0.45), "line": edges(chosen, TRUE)}
    true = columns(middles, counts, widths, [f"true {count:,}" for count in counts], **look)
    traces = [true | {"name": "true", "showlegend": True}]
    kinds = ("made consistent", table.agreed, "diamond", 6), ("noisy", table.noisy, "diamond-open", 11)
    for name, noisy, symbol, size in kinds:
        marker = {"symbol": symbol, "size": size, "color": PRIVATE, "line": {"width": 1.4, "color": PRIVATE}}
        hover = name + " %{y:,.1f}<extra></extra>"
        traces.append(trace(middles, noisy[shown].tolist(), "markers", name, hover, marker=marker, **UNDIMMED))
    window = middles[0] - widths[0], middles[-1] + widths[-1]
    return picture(scene, traces, window, yaxis={"showgrid": True}, margin={"l": 46})


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
