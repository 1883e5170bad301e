"""Figures of the Papers page: one small panel of curves, with the same axes as the other panels of its figure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from math import floor, isfinite, log10
from typing import Any, Literal

from .axes import Range, linear_range, log_range, log_ticks
from .frame import USUAL_SIZE, PlainFigure, colour_of, figure_of
from .traces import pen, trace

HEIGHT, BELOW = 270, 90  # pixels of a panel, and of a legend below it
LOOKS = {
    "here": ("solid", "circle"),
    "printed": ("dash", "square-open"),
    "also": ("longdash", "diamond-open"),
    "bound": ("dot", "line-ew"),
    "proved": ("dashdot", "triangle-up-open"),
    "broken": ("dot", "x"),
}
"""Dash and marker for each kind of curve, so that curves differ in more than colour."""
MOST_MARKS = 12  # and bars of a curve, evenly along the axis; its line has all points
MARK = 5  # pixels
LEAST_RATIO = 1e-6  # a logarithmic axis starts at this fraction of its largest value; zeros are below it

Shape = Literal["lines", "marks", "steps"]


@dataclass(frozen=True, kw_only=True)
class PanelCurve:
    """One curve of a panel. `mechanism` names its colour, empty for a plain one; bands are NaN where there are none."""

    name: str
    mechanism: str
    look: str
    xs: Sequence[float]
    ys: Sequence[float]
    lows: Sequence[float] = ()
    highs: Sequence[float] = ()
    fresh: bool = False
    """Recomputed just now: large open marks, beside the curve that is stored."""


def shared_range(values: Iterable[float], *, log: bool) -> Range | None:
    """Return the range of an axis that shows all values, in powers of ten where it is logarithmic; None without any."""
    shown = [value for value in values if isfinite(value) and (value > 0 or not log)]
    if not shown:
        return None
    if log:
        least = LEAST_RATIO * max(shown)
        return log_range(max(value, least) for value in shown)
    return linear_range(shown)


def draw_panel(
    lines: Sequence[PanelCurve], *, title: str, x: str, y: str, x_range: Range | None, y_range: Range | None,
    log_x: bool, log_y: bool, shape: Shape = "lines", legend: bool = False,
) -> PlainFigure:  # fmt: skip
    """Draw one panel. Ranges are those of `shared_range`, so that panels can be compared."""
    traces = []
    for line in lines:
        (dash, symbol), colour = LOOKS[line.look], colour_of(line.mechanism)
        marked = _marked(line.xs, log_x=log_x) if shape != "marks" else [True] * len(line.xs)
        stored = {"color": colour, "symbol": symbol, "size": [MARK * each for each in marked]}
        fresh = {"color": colour, "symbol": "circle-open", "size": 11, "line": {"width": 2}}
        plain = "lines" if line.look == "bound" or shape == "steps" else "lines+markers"
        traces.append(
            trace(
                line.xs, line.ys, "markers" if line.fresh or shape == "marks" else plain, line.name,
                f"{escape(line.name)}<br>%{{x:,}}: %{{y:.4g}}<extra></extra>", marker=fresh if line.fresh else stored,
                line=pen(colour, 1.8, dash, "hvh" if shape == "steps" else "linear"),
                error_y=_bars(line, colour, marked), opacity=0.75 if line.look == "bound" else 1.0,
            )
        )  # fmt: skip
    axes = {
        f"{axis}axis": {"range": ends, "tickfont": {"size": USUAL_SIZE}, **(log_ticks(ends) if log else {})}
        for axis, ends, log in (("x", x_range, log_x), ("y", y_range, log_y))
    }
    above = {"text": escape(title, quote=False), "font": {"size": 13}, "x": 0.02, "y": 0.97, "yanchor": "top"}
    return figure_of(
        traces, x=x, y=y, title=above, showlegend=legend, height=HEIGHT + BELOW * legend,
        margin={"t": 34, "b": 46 + BELOW * legend}, legend={"y": -0.28, "yanchor": "top"}, **axes,
    )  # fmt: skip


def _marked(xs: Sequence[float], *, log_x: bool) -> list[bool]:
    """Return which points of a long curve have a mark: the first in each equal stretch of the axis, and the last."""
    if len(xs) <= MOST_MARKS:
        return [True] * len(xs)
    places = [log10(x) if log_x else x for x in xs]
    start, width = places[0], (places[-1] - places[0]) / (MOST_MARKS - 1)
    stretches = [floor((place - start) / width + 1e-9) for place in places]
    return [at == 0 or stretches[at] > stretches[at - 1] for at in range(len(xs))]


def _bars(line: PanelCurve, colour: str, marked: Sequence[bool]) -> dict[str, Any] | None:
    """Return the bars from low to high around each marked point, or None without any."""
    if not any(isfinite(low) for low in line.lows):
        return None
    ups, downs = (
        [abs(end - y) if has and isfinite(end) else 0.0 for y, end, has in zip(line.ys, ends, marked, strict=True)]
        for ends in (line.highs, line.lows)
    )
    return {"type": "data", "array": ups, "arrayminus": downs, "color": colour, "thickness": 1, "width": 0}
