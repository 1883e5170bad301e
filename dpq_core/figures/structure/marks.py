"""What pictures of a structure are made of: parts and answers that can be clicked, the data under them, the axis."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import isfinite
from typing import Any

from ...mechanisms.base import TraceStep
from ..frame import ACCENT, PRIVATE, PRIVATE_MARKER, TRUE, TRUE_MARKER, PlainFigure, Trace, figure_of, tinted
from ..traces import pen, standing, strokes, trace
from .scene import Scene, Span, histogram_in

HEIGHT = 470
HISTOGRAM_SHARE = 0.17  # of the height, for the data under the structure
TICKS = 5
UNDIMMED: dict[str, object] = {"selected": {"marker": {"opacity": 1}}, "unselected": {"marker": {"opacity": 1}}}
"""A click selects; it must not fade everything else."""
HOVER = "%{hovertext}<extra></extra>"
WHOLE_NAMES = 24  # rows of an axis that all get a name
ROW_MARGIN = 0.6  # rows above the highest and below the lowest
HIDDEN = {"showticklabels": False, "showgrid": False}


def picture(
    scene: Scene[TraceStep], traces: Sequence[Trace], window: Span, *, title: str = "", truth: float | None = None,
    over: str = "paper", shapes: Sequence[dict[str, Any]] = (), **layout: Any,
) -> PlainFigure:  # fmt: skip
    """Return the figure of a structure over `window` of the values, or of what `title` says.

    `truth`: the true quantile of the selected step, an upright line as high as `over`.
    """
    along: dict[str, Any] = {"range": list(window)}
    if scene.dated and not title:
        ticks = [window[0] + (window[1] - window[0]) * (at + 0.5) / TICKS for at in range(TICKS)]
        along |= {"tickvals": ticks, "ticktext": [scene.read(tick) for tick in ticks]}
    if truth is not None and isfinite(truth):
        line = pen(TRUE, 2.2, "dash")
        shapes = [*shapes, standing(truth, line, over)]
        traces = [*traces, trace([None], [None], "lines", "true quantile", line=line)]
    axes = {"xaxis": along | layout.pop("xaxis", {}), "yaxis": {"showgrid": False} | layout.pop("yaxis", {})}
    usual: dict[str, Any] = {"height": HEIGHT, "shapes": list(shapes), "barmode": "overlay", "bargap": 0}
    return figure_of(traces, x=title or scene.axis, **(usual | axes | layout))


def named(rows: Sequence[float], names: Sequence[str]) -> dict[str, Any]:
    """Return a vertical axis of named rows; of many only some have their name."""
    every = max(1, -(-len(rows) // WHOLE_NAMES))
    ends = [min(rows) - ROW_MARGIN, max(rows) + ROW_MARGIN]
    return {"tickvals": list(rows)[::every], "ticktext": list(names)[::every], "range": ends}


def bars(
    scene: Scene[TraceStep], numbers: Sequence[int], spans: Sequence[Span], rows: Sequence[float], *,
    height: float | Sequence[float], colours: Sequence[str], texts: Sequence[str], edge: str = tinted(TRUE, 0.45),
) -> Trace:  # fmt: skip
    """Return horizontal bars; a click on one selects the step with its number, which has a wide border."""
    line = edges([number == scene.at for number in numbers], edge)
    return {
        "type": "bar", "orientation": "h", "base": [low for low, _ in spans], "x": [high - low for low, high in spans],
        "y": list(rows), "width": height, "customdata": [[number] for number in numbers], "showlegend": False,
        "marker": {"color": list(colours), "line": line}, "hovertext": list(texts), "hovertemplate": HOVER,
        "textposition": "none", **UNDIMMED,
    }  # fmt: skip


def edges(chosen: Sequence[bool], usual: str) -> dict[str, Any]:
    """Return the borders of boxes: wide ones where they are chosen."""
    return {"color": [ACCENT if each else usual for each in chosen], "width": [3 if each else 0.8 for each in chosen]}


def marks(
    scene: Scene[TraceStep], numbers: Sequence[int], xs: Sequence[float], rows: Sequence[float], *, true: bool,
    **settings: Any,
) -> Trace:  # fmt: skip
    """Return circles for targets or diamonds for drawn values; that of the selected step is larger."""
    usual, chosen = ((7, 12) if true else (5, 9)) if scene.is_long else ((11, 14) if true else (8, 11))
    sizes, name = [chosen if number == scene.at else usual for number in numbers], "target" if true else "drawn"
    levels = [share_of(scene.steps[number].level) for number in numbers]
    return trace(
        xs, rows, "markers", name, HOVER, customdata=[[number] for number in numbers],
        marker=(TRUE_MARKER if true else PRIVATE_MARKER) | {"size": sizes, "opacity": 1},
        hovertext=[f"{level}, {name}: {scene.read(x)}" for level, x in zip(levels, xs, strict=True)],
        **UNDIMMED, **settings,
    )  # fmt: skip


def answers(scene: Scene[TraceStep], numbers: Sequence[int], rows: Sequence[float], **settings: Any) -> list[Trace]:
    """Return the drawn values of steps, and over them their targets."""
    drawn, targets = [scene.steps[number].value for number in numbers], [scene.targets[number] for number in numbers]
    return [
        marks(scene, numbers, drawn, rows, true=False, **settings),
        marks(scene, numbers, targets, rows, true=True, **settings),
    ]


def readings(scene: Scene[TraceStep], numbers: Sequence[int], left: float) -> list[Trace]:
    """Return how answers are read off running counts: across from the target rank, and down to the value."""
    step, done = scene.step, scene.done(numbers)
    ways = [(left, step.target, step.value, step.target), (step.value, step.target, step.value, 0.0)]
    return [
        strokes(ways, pen(PRIVATE, 2, "dot")), *answers(scene, done, [scene.steps[number].target for number in done])
    ]  # fmt: skip


def over_data(scene: Scene[TraceStep], traces: Sequence[Trace], window: Span, rows: dict[str, Any]) -> PlainFigure:
    """Return the picture of rows of a structure, with the data under it on the same value axis."""
    return picture(
        scene, [*traces, data_bars(scene, window)], window, truth=scene.truth, xaxis={"anchor": "y2"},
        yaxis=rows | {"domain": [HISTOGRAM_SHARE + 0.03, 1]},
        yaxis2=HIDDEN | {"domain": [0, HISTOGRAM_SHARE], "anchor": "x"},
    )  # fmt: skip


def data_bars(scene: Scene[TraceStep], window: Span) -> Trace:
    """Return the histogram of the data on the second vertical axis."""
    starts, counts, width = histogram_in(scene, window)
    shift = width / 2 - (scene.spread / 2 if width < 50 * scene.spread else 0.0)
    texts = [f"from {scene.read(at)}: {count:,} {scene.many}" for at, count in zip(starts, counts, strict=True)]
    return columns([start + shift for start in starts], counts, 0.9 * width, texts) | {"yaxis": "y2"}


def columns(xs: Sequence[float], heights: Sequence[float], width: Any, texts: Sequence[str], **marker: Any) -> Trace:
    """Return upright bars, grey unless `marker` says otherwise."""
    look = {"color": tinted(TRUE, 0.55), "line": {"width": 0}} | marker
    return {
        "type": "bar", "x": list(xs), "y": list(heights), "width": width, "marker": look, "showlegend": False,
        "hovertext": list(texts), "hovertemplate": HOVER,
    }  # fmt: skip


def short(number: float) -> str:
    """Return a count in at most four signs or so: `-7`, `812`, `12k`, `1.2M`."""
    for size, sign in ((1e6, "M"), (1e3, "k")):
        if abs(number) >= size:
            return f"{number / size:.2g}{sign}" if abs(number) < 100 * size else f"{number / size:.0f}{sign}"
    return f"{number:.0f}"


def between(scene: Scene[TraceStep], bounds: Span) -> str:
    """Return `52 to 60`, or the one value where both are the same."""
    low, high = map(scene.read, bounds)
    return low if low == high else f"{low} to {high}"


def share_of(level: Fraction) -> str:
    """Return a quantile's level as a short share: `12.5 %`."""
    return f"{100 * float(level):.4g} %"
