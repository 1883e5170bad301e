"""Figures of studies: a leaderboard of mechanisms, and error over a swept setting.

Errors have logarithmic axes. An error of 0 has no place there: it is drawn at the edge, and its hover text says 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import groupby
from math import ceil, log10
from typing import Any

import plotly.graph_objects as go

from ..studies.engine import Row
from .axes import log_range, log_ticks
from .frame import AXIS, GRID, MECHANISM_SYMBOLS, TRUE, colour_of, framed

SMALLEST = 0.05
"""Records: the least edge of an axis of errors; smaller errors are drawn there."""
EDGE = 0.02
"""How far the axis continues beyond that edge, as a part of a power of ten; marks at the edge are on the axis."""
BELOW_MEANS = 0.1
"""The leaderboard's axis begins at this share of the smallest mean, so that means and not zeros fill it."""
ROW_HEIGHT = 62
HEIGHT = 460
MARGIN = {"l": 58, "r": 14, "t": 44, "b": 52}
BAR = 9
"""Pixels of a noise interval."""
FAINT = 0.34
MEDIAN = {"symbol": "line-ns", "size": 11}
"""The stroke of the median run."""
MOST_BANDS = 4
"""Lines up to which each has its band; more would cover each other."""


def draw_leaderboard(rows: Sequence[Row], *, many: str) -> go.Figure:
    """Draw the mean and worst rank error of each mechanism with noise intervals, the smallest mean on top.

    Filled circles are the mean over the quantiles, open squares the worst one. A stroke across a bar is the median run,
    and a dotted stroke is the theorem's bound for the worst quantile. The number of failed runs is beside the name.
    Mechanisms that are not available are left out.
    """
    figure = go.Figure()
    shown = sorted((row for row in rows if row.supported), key=lambda row: row.mean_error)
    edge = max(BELOW_MEANS * min((row.mean_error for row in shown), default=1.0), SMALLEST)
    for at, row in enumerate(shown):
        _add_measure(figure, row, at + 0.05, "mean_error", "circle", edge)
        _add_measure(figure, row, at + 0.3, "max_error", "square-open", edge)
        if row.bound == row.bound:
            figure.add_scatter(
                x=[_drawn(row.bound, edge)] * 2, y=[at - 0.1, at + 0.45], mode="lines",
                line={"color": colour_of(row.mechanism), "width": 2, "dash": "dot"}, showlegend=False,
                customdata=[row.bound] * 2,
                hovertemplate=f"bound %{{customdata:,.2r}}<extra>{escape(row.bound_source)}</extra>",
            )  # fmt: skip
        failed = f" <b>· failed in {row.failed:,} of {row.trials:,} runs</b>" if row.failed else ""
        figure.add_annotation(
            x=0, xref="paper", y=at - 0.26, text=escape(row.label) + failed, showarrow=False, xanchor="left",
            font={"size": 13},
        )  # fmt: skip
    signs = {"mean over the quantiles": "circle", "worst quantile": "square-open"}
    for words, symbol in signs.items():
        _sign(figure, words, mode="markers", marker={"symbol": symbol, "size": 9, "color": TRUE})
    _sign(figure, "95 of 100 runs", mode="lines", line={"color": TRUE, "width": BAR}, opacity=FAINT)
    _sign(figure, "median run", mode="markers", marker=MEDIAN | {"line": {"width": 2, "color": TRUE}})
    _sign(figure, "theorem: worst quantile at most", mode="lines", line={"color": TRUE, "width": 2, "dash": "dot"})
    _framed(figure, x=f"rank error ({many})", y="", height=ROW_HEIGHT * max(len(shown), 1) + 110)
    ends = [edge, *(end for row in shown for end in (row.max_error, row.max_error_high, row.bound) if end == end)]
    _, high = log_range([*ends, 10.0 ** (ceil(log10(edge)) + 1)]) or (0.0, 1.0)
    figure.update_xaxes(showgrid=True, gridcolor=GRID, **log_ticks((log10(edge) - EDGE, high)))
    figure.update_yaxes(range=[max(len(shown), 1) - 0.4, -0.55], showticklabels=False, showgrid=False)
    return figure.update_layout(margin=MARGIN | {"l": 14})


def draw_sweep(
    points: Sequence[tuple[float, Row]], *, measure: str, axis: str, many: str, here: float | None = None,
    least: Sequence[tuple[float, float]] = (),
) -> go.Figure:  # fmt: skip
    """Draw the `measure` ("mean" or "max") of the rank error over a swept setting, a line for each mechanism.

    With few lines each has a band that holds 95 of 100 runs; dotted lines are the theorems' bounds. `here` marks the
    setting chosen on the page; `least` is what no mechanism can be below, where that is known.
    """
    figure = go.Figure()
    served = sorted(((x, row) for x, row in points if row.supported), key=lambda point: (_kind(point[1]), point[0]))
    lines = [(label, list(each)) for label, each in groupby(served, key=lambda point: _kind(point[1]))]
    lines.sort(key=lambda line: short_name(line[0][1]).casefold())
    for (key, label), line in lines:
        _sweep_line(figure, key, label, line, f"{measure}_error", band=len(lines) <= MOST_BANDS)
    if len(lines) <= MOST_BANDS:
        _sign(figure, "95 of 100 runs", mode="lines", line={"color": TRUE, "width": BAR}, opacity=FAINT)
    if any(row.bound == row.bound for _, row in served):
        _sign(figure, "theorem", mode="lines", line={"color": TRUE, "dash": "dot"})
    if least:
        figure.add_scatter(
            x=[x for x, _ in least], y=[_drawn(error) for _, error in least], mode="lines",
            name="least possible if all values differ", customdata=[error for _, error in least],
            line={"color": TRUE, "width": 2, "dash": "longdashdot"},
            hovertemplate="%{x:.4g}: at least %{customdata:,.2r} if all values differ<extra></extra>",
        )  # fmt: skip
    if here is not None:
        figure.add_vline(x=here, line={"color": AXIS, "width": 1.5, "dash": "dash"})
        figure.add_annotation(
            x=log10(here), y=0, yref="paper", text="chosen now", showarrow=False, xanchor="left", yanchor="bottom"
        )
    words = {"mean": "mean rank error", "max": "worst rank error"}[measure]
    _framed(figure, x=axis, y=f"{words} ({many})", height=HEIGHT)
    figure.update_xaxes(**log_ticks(log_range([x for x, _ in served])))
    ys = [y for trace in figure.data for y in trace.y if y is not None]
    return figure.update_yaxes(gridcolor=GRID, **log_ticks(log_range(ys)))


def short_name(label: str) -> str:
    """Return the short name in brackets at the end of a mechanism's label, or the label where there is none."""
    return label[:-1].rpartition("(")[2] if label.endswith(")") else label


def _add_measure(figure: go.Figure, row: Row, y: float, name: str, symbol: str, edge: float) -> None:
    """Add one measure of a mechanism: its noise interval as a bar, the median run as a stroke, the mean as a mark."""
    colour = colour_of(row.mechanism)
    low, high, median, mean = (getattr(row, f"{name}{end}") for end in ("_low", "_high", "_median", ""))
    figure.add_scatter(
        x=[_drawn(low, edge), _drawn(high, edge)], y=[y, y], mode="lines", line={"color": colour, "width": BAR},
        opacity=FAINT, showlegend=False, hoverinfo="skip",
    )  # fmt: skip
    figure.add_scatter(
        x=[_drawn(median, edge)], y=[y], mode="markers", showlegend=False,
        marker=MEDIAN | {"line": {"width": 2, "color": colour}}, customdata=[median],
        hovertemplate=f"median run %{{customdata:,.2r}}<extra>{escape(row.label)}</extra>",
    )  # fmt: skip
    figure.add_scatter(
        x=[_drawn(mean, edge)], y=[y], mode="markers", showlegend=False,
        marker={"symbol": symbol, "size": 10, "color": colour, "line": {"width": 2, "color": colour}},
        customdata=[(mean, low, high)],
        hovertemplate="%{customdata[0]:,.2r}, 95 of 100 runs %{customdata[1]:,.2r} to %{customdata[2]:,.2r}"
        f"<extra>{escape(row.label)}</extra>",
    )  # fmt: skip


def _sweep_line(
    figure: go.Figure, key: str, label: str, line: list[tuple[float, Row]], name: str, *, band: bool
) -> None:
    colour, symbol, xs = colour_of(key), MECHANISM_SYMBOLS.get(key, "circle"), [x for x, _ in line]
    means, lows, highs = ([getattr(row, f"{name}{end}") for _, row in line] for end in ("", "_low", "_high"))
    if band:
        figure.add_scatter(
            x=[*xs, *reversed(xs)], y=[*map(_drawn, highs), *map(_drawn, reversed(lows))], fill="toself",
            fillcolor=colour, opacity=0.16, line={"width": 0}, mode="lines", hoverinfo="skip", showlegend=False,
            legendgroup=label,
        )  # fmt: skip
    figure.add_scatter(
        x=xs, y=[*map(_drawn, means)], mode="lines+markers", name=escape(short_name(label)), legendgroup=label,
        line={"color": colour, "width": 2}, marker={"color": colour, "size": 7, "symbol": symbol},
        customdata=list(zip(means, lows, highs, strict=True)),
        hovertemplate="%{x:.4g}: %{customdata[0]:,.2r}, 95 of 100 runs %{customdata[1]:,.2r} to "
        f"%{{customdata[2]:,.2r}}<extra>{escape(label)}</extra>",
    )  # fmt: skip
    bounds = [row.bound if row.bound == row.bound else None for _, row in line]
    if any(bounds):
        figure.add_scatter(
            x=xs, y=bounds, mode="lines", line={"color": colour, "width": 1.2, "dash": "dot"}, showlegend=False,
            legendgroup=label, hovertemplate=f"bound %{{y:,.2r}}<extra>{escape(label)}</extra>",
        )  # fmt: skip


def _kind(row: Row) -> tuple[str, str]:
    return row.mechanism, row.label


def _sign(figure: go.Figure, words: str, **how: Any) -> None:
    """Add an entry of the legend that belongs to no single line."""
    figure.add_scatter(x=[None], y=[None], name=words, hoverinfo="skip", **how)


def _drawn(error: float, edge: float = SMALLEST) -> float:
    return max(error, edge)


def _framed(figure: go.Figure, *, x: str, y: str, height: int) -> None:
    framed(figure, x=x, y=y, height=height, margin=MARGIN).update_yaxes(linecolor=AXIS).update_layout(legend={"y": 1.0})
