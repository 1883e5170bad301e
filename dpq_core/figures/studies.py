"""Figures of studies: a leaderboard of mechanisms, and error over a swept setting.

Errors have logarithmic axes. An error of 0 has no place there: it is drawn at the edge, and its hover text says 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import ceil, log10
from typing import Any

from ..studies.engine import Row
from .axes import log_range, log_ticks
from .frame import AXIS, MECHANISM_SYMBOLS, TRUE, PlainFigure, Trace, colour_of, figure_of
from .traces import area, note, pen, standing, trace

SMALLEST = 0.05  # records: the least edge of an axis of errors; smaller errors are drawn there
EDGE = 0.02  # the axis continues that much beyond that edge, in powers of ten, so that marks at it are on the axis
BELOW_MEANS = 0.1  # the leaderboard begins at this share of the smallest mean: means and not zeros fill it
ROW_HEIGHT = 62
HEIGHT = 460
BAR = 9  # pixels of a noise interval
FAINT = 0.34
MEDIAN = {"symbol": "line-ns", "size": 11}  # the stroke of the median run
MOST_BANDS = 4  # lines up to which each has its band; more would cover each other
RUNS = "%{customdata[0]:,.2r}, 95 of 100 runs %{customdata[1]:,.2r} to %{customdata[2]:,.2r}"


def draw_leaderboard(rows: Sequence[Row], *, many: str) -> PlainFigure:
    """Draw the mean and worst rank error of each mechanism with noise intervals, the smallest mean on top.

    Filled circles are the mean over the quantiles, open squares the worst one. A stroke across a bar is the median run,
    and a dotted stroke is the theorem's bound for the worst quantile. The number of failed runs is beside the name.
    Mechanisms that are not available are left out.
    """
    shown = sorted((row for row in rows if row.supported), key=lambda row: row.mean_error)
    edge = max(BELOW_MEANS * min((row.mean_error for row in shown), default=1.0), SMALLEST)
    traces, names = [], []
    for at, row in enumerate(shown):
        traces += [
            *_measure(row, at + 0.05, "mean_error", "circle", edge),
            *_measure(row, at + 0.3, "max_error", "square-open", edge),
        ]
        if row.bound == row.bound:
            hover = f"bound %{{customdata:,.2r}}<extra>{escape(row.bound_source)}</extra>"
            places = [_drawn(row.bound, edge)] * 2, [at - 0.1, at + 0.45]
            look = {"line": pen(colour_of(row.mechanism), dash="dot"), "customdata": [row.bound] * 2}
            traces.append(trace(*places, "lines", "", hover, **look))
        failed = f" <b>· failed in {row.failed:,} of {row.trials:,} runs</b>" if row.failed else ""
        names.append(note(0, at - 0.26, escape(row.label) + failed, xref="paper", font={"size": 13}))
    traces += [
        _sign("mean over the quantiles", "markers", marker={"symbol": "circle", "size": 9, "color": TRUE}),
        _sign("worst quantile", "markers", marker={"symbol": "square-open", "size": 9, "color": TRUE}),
        _sign("95 of 100 runs", line=pen(TRUE, BAR), opacity=FAINT),
        _sign("median run", "markers", marker=MEDIAN | {"line": {"width": 2, "color": TRUE}}),
        _sign("theorem: worst quantile at most", line=pen(TRUE, dash="dot")),
    ]
    ends = [edge, *(end for row in shown for end in (row.max_error, row.max_error_high, row.bound) if end == end)]
    _, high = log_range([*ends, 10.0 ** (ceil(log10(edge)) + 1)]) or (0.0, 1.0)
    return figure_of(
        traces, x=f"rank error ({many})", height=ROW_HEIGHT * max(len(shown), 2) + 140, annotations=names,
        margin={"l": 14, "t": 44}, legend={"y": 1}, xaxis={"showgrid": True, **log_ticks((log10(edge) - EDGE, high))},
        yaxis={"range": [max(len(shown), 1) - 0.4, -0.55], "linecolor": AXIS, "showticklabels": False,
               "showgrid": False},
    )  # fmt: skip


def draw_sweep(
    points: Sequence[tuple[float, Row]], *, measure: str, axis: str, many: str, here: float | None = None,
    least: Sequence[tuple[float, float]] = (),
) -> PlainFigure:  # fmt: skip
    """Draw the `measure` ("mean" or "max") of the rank error over a swept setting, a line for each mechanism.

    With few lines each has a band that holds 95 of 100 runs; dotted lines are the theorems' bounds. `here` marks the
    setting chosen on the page; `least` is what no mechanism can be below, where that is known.
    """
    served = sorted((point for point in points if point[1].supported), key=lambda point: point[0])
    lines: dict[tuple[str, str, str], list[tuple[float, Row]]] = {}
    for x, row in served:
        lines.setdefault((short_name(row.label).casefold(), row.mechanism, row.label), []).append((x, row))
    few = len(lines) <= MOST_BANDS
    traces = [each for kind in sorted(lines) for each in _line(lines[kind], f"{measure}_error", band=few)]
    traces += [_sign("95 of 100 runs", line=pen(TRUE, BAR), opacity=FAINT)] if few else []
    traces += [_sign("theorem", line=pen(TRUE, dash="dot"))] if any(row.bound == row.bound for _, row in served) else []
    if least:
        hover = "%{x:.4g}: at least %{customdata:,.2r} if all values differ<extra></extra>"
        xs, errors = zip(*least, strict=True)
        traces.append(
            trace(
                xs, map(_drawn, errors), "lines", "least possible if all values differ", hover, customdata=list(errors),
                line=pen(TRUE, dash="longdashdot"),
            )
        )  # fmt: skip
    shapes = [] if here is None else [standing(here, pen(AXIS, 1.5, "dash"))]
    traces += [_sign("chosen now", line=pen(AXIS, 1.5, "dash"))] if shapes else []
    ys = [y for each in traces for y in each["y"] if y is not None]
    return figure_of(
        traces, x=axis, y=f"{ {'mean': 'mean', 'max': 'worst'}[measure]} rank error ({many})", height=HEIGHT,
        margin={"t": 44}, legend={"y": 1}, xaxis=log_ticks(log_range(x for x, _ in served)),
        yaxis={"linecolor": AXIS, **log_ticks(log_range(ys))}, shapes=shapes,
    )  # fmt: skip


def short_name(label: str) -> str:
    """Return the short name in brackets at the end of a mechanism's label, or the label where there is none."""
    return label[:-1].rpartition("(")[2] if label.endswith(")") else label


def _measure(row: Row, y: float, name: str, symbol: str, edge: float) -> list[Trace]:
    """Return one measure of a mechanism: its noise interval as a bar, the median run as a stroke, its mean."""
    colour, label = colour_of(row.mechanism), f"<extra>{escape(row.label)}</extra>"
    low, high, median, mean = (getattr(row, f"{name}{end}") for end in ("_low", "_high", "_median", ""))
    around = {"width": 2, "color": colour}
    return [
        trace([_drawn(low, edge), _drawn(high, edge)], [y, y], "lines", line=pen(colour, BAR), opacity=FAINT),
        trace([_drawn(median, edge)], [y], "markers", "", f"median run %{{customdata:,.2r}}{label}",
              customdata=[median], marker=MEDIAN | {"line": around}),
        trace([_drawn(mean, edge)], [y], "markers", "", RUNS + label, customdata=[(mean, low, high)],
              marker={"symbol": symbol, "size": 10, "color": colour, "line": around}),
    ]  # fmt: skip


def _line(line: Sequence[tuple[float, Row]], name: str, *, band: bool) -> list[Trace]:
    """Return the line of a mechanism with its band and its bounds."""
    key, label, xs = line[0][1].mechanism, line[0][1].label, [x for x, _ in line]
    colour, said = colour_of(key), f"<extra>{escape(label)}</extra>"
    together: dict[str, Any] = {"legendgroup": label}
    means, lows, highs = ([getattr(row, f"{name}{end}") for _, row in line] for end in ("", "_low", "_high"))
    traces = [area(xs, [*map(_drawn, lows)], [*map(_drawn, highs)], colour, opacity=0.16, **together)] if band else []
    traces.append(
        trace(
            xs, map(_drawn, means), "lines+markers", escape(short_name(label)), f"%{{x:.4g}}: {RUNS}{said}",
            line=pen(colour), marker={"color": colour, "size": 7, "symbol": MECHANISM_SYMBOLS.get(key, "circle")},
            customdata=list(zip(means, lows, highs, strict=True)), **together,
        )
    )  # fmt: skip
    bounds = [row.bound if row.bound == row.bound else None for _, row in line]
    if any(bounds):
        dots = pen(colour, 1.2, "dot")
        traces.append(trace(xs, bounds, "lines", "", f"bound %{{y:,.2r}}{said}", line=dots, **together))
    return traces


def _sign(words: str, mode: str = "lines", **how: Any) -> Trace:
    """Return an entry of the legend that belongs to no single line."""
    return trace([None], [None], mode, words, **how)


def _drawn(error: float, edge: float = SMALLEST) -> float:
    return max(error, edge)
