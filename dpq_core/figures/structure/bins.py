"""Bins counted once, read as running sums (binhist, normal): every quantile is where the sum reaches its rank."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import plotly.graph_objects as go

from ...mechanisms.bins.reading import HistogramStep
from ...mechanisms.normal.mechanism import NormalStep
from ..frame import ACCENT, BAND, GRID, PRIVATE, TRUE
from .frame import UNDIMMED, add_marks, add_strokes, add_truth, framed
from .scene import Scene, around, tinted

MOST_POINTS = 1000
"""The most points of a running sum; drawn as steps it has twice as many corners."""
BINS_BESIDE = 8
"""The number of bins to either side of the answer's bin that the close-up shows."""


def draw_sums(scene: Scene[HistogramStep]) -> go.Figure:
    """Draw the running sums of bins, exact, noisy and consistent, with a line from each target rank to its value."""
    step = scene.step
    marks = [*(each.value for each in scene.steps), *scene.targets, scene.truth]
    window = around(marks, scene.bounds, 8 * scene.spread)
    figure = go.Figure()
    _add_range(figure, step)
    firsts = step.bins.first.tolist()
    for name, counts, line in (
        ("true", step.bins.count, {"color": TRUE, "width": 2}),
        ("noisy", step.bins.noisy, {"color": tinted(scene.colour, 0.7), "width": 1.2, "dash": "dot"}),
        ("made consistent", step.bins.agreed, {"color": scene.colour, "width": 2.2}),
    ):
        xs, ys = _running(firsts, counts.tolist(), window)
        figure.add_scatter(
            x=xs, y=ys, mode="lines", name=name, line=line | {"shape": "hv"},
            hovertemplate="below %{x}: %{y:,.0f}<extra>" + name + "</extra>",
        )  # fmt: skip
    walk = [(window[0], step.target, step.value, step.target), (step.value, step.target, step.value, 0.0)]
    add_strokes(figure, walk, {"color": PRIVATE, "width": 2, "dash": "dot"})
    done = [number for number in range(len(scene.steps)) if scene.is_run(number)]
    places = [scene.steps[number].target for number in done]
    add_marks(figure, scene, done, [scene.steps[number].value for number in done], places, true=False)
    add_marks(figure, scene, done, [scene.targets[number] for number in done], places, true=True)
    add_truth(figure, scene.truth)
    framed(figure, scene, window)
    top = 1.06 * max(step.total, float(scene.n), 1.0)
    return figure.update_yaxes(title=f"{scene.many} at or below", range=[0, top], showgrid=True, gridcolor=GRID)


def draw_bins(scene: Scene[HistogramStep]) -> go.Figure:
    """Draw the bins around the answer: the number of records in each, exact, noisy and made consistent."""
    step = scene.step
    table, bins = step.bins, step.bins.first.size
    shown = slice(max(step.bin - BINS_BESIDE, 0), min(step.bin + BINS_BESIDE + 1, bins))
    firsts = table.first[shown].tolist()
    ends = [*table.first[shown.start + 1 : shown.stop].tolist(), scene.bounds[1] if shown.stop == bins else None]
    if ends[-1] is None:
        ends[-1] = float(table.first[shown.stop])
    middles = [(first + max(end - scene.spread, first)) / 2 for first, end in zip(firsts, ends, strict=True)]
    widths = [max(end - first, scene.spread) for first, end in zip(firsts, ends, strict=True)]
    chosen = [place + shown.start == step.bin for place in range(len(firsts))]
    figure = go.Figure()
    figure.add_bar(
        x=middles, y=table.count[shown].tolist(), width=widths, name="true", hovertemplate="true %{y:,}<extra></extra>",
        marker={"color": tinted(TRUE, 0.45), "line": {"color": [ACCENT if each else TRUE for each in chosen],
                                                      "width": [3 if each else 0.6 for each in chosen]}},
    )  # fmt: skip
    for name, counts, symbol, size in (
        ("made consistent", table.agreed, "diamond", 6),
        ("noisy", table.noisy, "diamond-open", 11),
    ):
        figure.add_scatter(
            x=middles, y=counts[shown].tolist(), mode="markers", name=name, unselected=UNDIMMED,
            marker={"symbol": symbol, "size": size, "color": PRIVATE, "line": {"width": 1.4, "color": PRIVATE}},
            hovertemplate=name + " %{y:,.1f}<extra></extra>",
        )  # fmt: skip
    framed(figure, scene, (middles[0] - widths[0], middles[-1] + widths[-1]))
    return figure.update_yaxes(showgrid=True, gridcolor=GRID).update_layout(margin={"l": 46})


def _add_range(figure: go.Figure, step: HistogramStep) -> None:
    """Add, for a normal sample, the interval that was counted, and in it the bin that was chosen first."""
    if not isinstance(step, NormalStep):
        return
    interval, held = step.interval, step.range_bin
    figure.add_vrect(x0=interval[0], x1=interval[1], fillcolor=BAND, line_width=0, layer="below")
    if held is not None:
        figure.add_vrect(x0=held[0], x1=held[1], fillcolor=BAND, line={"color": ACCENT, "width": 1}, layer="below")


def _running(
    firsts: Sequence[float], counts: Sequence[float], window: tuple[float, float]
) -> tuple[list[float], list[float]]:
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
