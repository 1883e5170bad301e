"""Figures of studies: a leaderboard of mechanisms, error over a swept setting, and a search for the smallest budget.

Errors have logarithmic axes. An error of 0 has no place there: it is drawn at the edge, and its hover text says 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import groupby
from math import ceil, log10
from typing import Any

import plotly.graph_objects as go

from ..studies.engine import Row
from ..studies.search import TriedBudget
from .axes import log_range, log_ticks
from .frame import ACCENT, AXIS, GRID, MECHANISM_SYMBOLS, TRUE, colour_of, framed

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
FOUND = 13
"""Pixels of the mark of what a search found."""
ROW_FOUND = 22
"""Pixels of its row."""
GAP = 0.03
"""Of the figure, between these rows and the errors."""
MOST_BANDS = 4
"""Lines up to which each has its band; more would cover each other."""

Search = tuple[str, str, Sequence[TriedBudget], float | None]
"""A mechanism's key and words, what was tried, and the budget that was found."""


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
    return _both_logarithmic(figure, [x for x, _ in served])


def draw_search(searches: Sequence[Search], *, wanted: float, axis: str, many: str) -> go.Figure:
    """Draw the budgets that a search tried with their errors and noise intervals, the wanted error, and the results.

    Every mechanism has its colour and its mark. The results are above, in a named row for each mechanism, so that equal
    budgets do not cover each other.
    """
    figure = go.Figure()
    for key, label, visits, _ in searches:
        _tried(figure, key, label, [visit for visit in visits if visit.trials])
    _sign(figure, "wanted error", mode="lines", line={"color": ACCENT, "width": 2, "dash": "dash"})
    figure.add_hline(y=wanted or SMALLEST, line={"color": ACCENT, "width": 2, "dash": "dash"})
    found = sorted((budget, key, label) for key, label, _, budget in searches if budget is not None)
    rows = ROW_FOUND * (len(found) + 1)
    _framed(figure, x=axis, y=f"rank error ({many})", height=HEIGHT + rows)
    tried = [visit.budget for _, _, visits, _ in searches for visit in visits]
    _both_logarithmic(figure, tried, wanted)
    if found:
        _found(figure, found, rows / (HEIGHT + rows - MARGIN["t"] - MARGIN["b"]))
    return figure


def _tried(figure: go.Figure, key: str, label: str, visits: list[TriedBudget]) -> None:
    """Add the budgets that were tried for one mechanism, from small to large."""
    colour, tried = colour_of(key), sorted(visits, key=lambda visit: visit.budget)
    above = [max(visit.error_high - visit.error, 0) for visit in tried]
    below = [max(visit.error - max(visit.error_low, SMALLEST), 0) for visit in tried]
    figure.add_scatter(
        x=[visit.budget for visit in tried], y=[_drawn(visit.error) for visit in tried], mode="lines+markers",
        name=escape(short_name(label)), line={"color": colour, "width": 1.5},
        marker={"color": colour, "size": 8, "symbol": symbol_of(key)},
        error_y={"array": above, "arrayminus": below, "color": colour, "thickness": 1, "width": 3},
        customdata=[(visit.error, visit.trials) for visit in tried],
        hovertemplate="%{x:.3g}: %{customdata[0]:,.2r} in %{customdata[1]:,} runs<extra></extra>",
    )  # fmt: skip


def _found(figure: go.Figure, found: Sequence[tuple[float, str, str]], share: float) -> None:
    """Add the smallest budgets on an axis of their own in the upper `share` of the figure, the least on top."""
    low, high = figure.layout.xaxis.range
    for at, (budget, key, label) in enumerate(found):
        colour, left = colour_of(key), log10(budget) < (low + high) / 2
        figure.add_scatter(
            x=[budget], y=[at], yaxis="y2", mode="markers+text", showlegend=False,
            marker={"symbol": symbol_of(key), "size": FOUND, "color": colour},
            text=[f"<b>{escape(short_name(label))}</b>"], textposition=f"middle {'right' if left else 'left'}",
            textfont={"color": colour}, hovertemplate=f"smallest budget {budget:.3g}<extra>{escape(label)}</extra>",
        )  # fmt: skip
    figure.add_annotation(
        x=0, xref="paper", y=-1, yref="y2", text="smallest budget found", showarrow=False, xanchor="left",
        font={"size": 13},
    )  # fmt: skip
    figure.update_layout(
        yaxis={"domain": [0, 1 - share]},
        yaxis2={
            "domain": [1 - share + GAP, 1], "range": [len(found) - 0.5, -1.5], "showticklabels": False,
            "showgrid": False, "zeroline": False, "fixedrange": True, "anchor": "x",
        },
    )  # fmt: skip


def symbol_of(key: str) -> str:
    """Return the mark of a mechanism; a plain one for a key that is not ours."""
    return MECHANISM_SYMBOLS.get(key, "circle")


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
    colour, xs = colour_of(key), [x for x, _ in line]
    means, lows, highs = ([getattr(row, f"{name}{end}") for _, row in line] for end in ("", "_low", "_high"))
    if band:
        figure.add_scatter(
            x=[*xs, *reversed(xs)], y=[*map(_drawn, highs), *map(_drawn, reversed(lows))], fill="toself",
            fillcolor=colour, opacity=0.16, line={"width": 0}, mode="lines", hoverinfo="skip", showlegend=False,
            legendgroup=label,
        )  # fmt: skip
    figure.add_scatter(
        x=xs, y=[*map(_drawn, means)], mode="lines+markers", name=escape(short_name(label)), legendgroup=label,
        line={"color": colour, "width": 2}, marker={"color": colour, "size": 7, "symbol": symbol_of(key)},
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


def _both_logarithmic(figure: go.Figure, xs: Sequence[float], *more: float) -> go.Figure:
    """Make both axes logarithmic; every y that is drawn, and `more`, lies within the vertical one."""
    ys = [*more, *(end for trace in figure.data for end in _ends(trace) if end is not None)]
    figure.update_xaxes(**log_ticks(log_range(xs)))
    return figure.update_yaxes(gridcolor=GRID, **log_ticks(log_range(ys)))


def _ends(trace: Any) -> Iterable[float | None]:
    """Yield the ends of a trace on the vertical axis, its error bars included."""
    for at, y in enumerate(trace.y):
        yield y
        if y is not None and trace.error_y.array is not None:
            yield y + trace.error_y.array[at]
            yield y - trace.error_y.arrayminus[at]


def _drawn(error: float, edge: float = SMALLEST) -> float:
    return max(error, edge)


def _framed(figure: go.Figure, *, x: str, y: str, height: int) -> None:
    framed(figure, x=x, y=y, height=height, margin=MARGIN).update_yaxes(linecolor=AXIS).update_layout(legend={"y": 1.0})
