"""Figures of studies: mechanisms side by side, and error over a swept setting.

The mechanism with the smallest error and the chosen one have their colour; all others are grey. Errors have logarithmic
axes. An error of 0 has no place there: it is drawn at the edge, and its hover text says 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import ceil, isnan, log10
from typing import Any

from ..results.wording import error_in_digits
from ..studies.engine import Row
from .axes import log_range, log_ticks
from .frame import AXIS, MECHANISM_SYMBOLS, TRUE, USUAL_SIZE, PlainFigure, Trace, colour_of, figure_of
from .traces import area, note, pen, standing, trace

SMALLEST = 0.05  # records: the least edge of an axis of errors; smaller errors are drawn there
EDGE = 0.02  # the axis continues that much beyond that edge, in powers of ten, so that marks at it are on the axis
BELOW_MEANS = 0.1  # the leaderboard begins at this share of the smallest mean: means and not zeros fill it
ROW_HEIGHT, HEIGHT, ABOVE, BELOW, BESIDE = 56, 460, 30, 50, 106  # pixels of a row, of a sweep, and of its margins
BAR, FAINT, FAINTER = 8, 0.34, 0.13  # pixels of a noise interval, and opacities
MEDIAN = {"symbol": "line-ns", "size": 10}  # the stroke of the middle run
LINE = 15 / (HEIGHT - ABOVE - BELOW)  # of the height of a sweep: from one name to the next
DASHED = pen(TRUE, 1.5, "dash")
RUNS = "%{customdata[0]:,.2r}, 95 of 100 runs %{customdata[1]:,.2r} to %{customdata[2]:,.2r}"


def draw_leaderboard(rows: Sequence[Row], *, many: str, chosen: str = "", limit: float = 0.0) -> PlainFigure:
    """Draw the mean and worst rank error of each mechanism with noise intervals, the smallest mean on top.

    Mechanisms that are not available are left out. `chosen`: the label of the chosen one; `limit`: the mean error that
    none can be below, where it is known.
    """
    shown = sorted((row for row in rows if row.supported), key=lambda row: row.mean_error)
    edge = max(BELOW_MEANS * min((row.mean_error for row in shown), default=1.0), SMALLEST)
    traces, names = [], []
    for at, row in enumerate(shown):
        colour = colour_of(row.mechanism) if at == 0 or row.label == chosen else TRUE
        traces += [
            *_measure(row, at + 0.06, "mean_error", "circle", edge, colour),
            *_measure(row, at + 0.3, "max_error", "square-open", edge, colour),
        ]
        short, words = short_name(row.label), row.label.removesuffix(")").rpartition(" (")[0]
        failed = f"failed in {row.failed:,} of {row.trials:,} runs" if row.failed else ""
        said = " · ".join(filter(None, (escape(words), "chosen" if row.label == chosen else "", failed)))
        text = f"<b>{escape(short)}</b>  {said}"
        names.append(note(0, at - 0.26, text, xref="paper", font={"size": 13} | _ink(colour)))
    signs: dict[str, Trace] = {
        "mean over the quantiles": {"mode": "markers", "marker": {"symbol": "circle", "size": 9, "color": TRUE}},
        "worst quantile": {"mode": "markers", "marker": {"symbol": "square-open", "size": 9, "color": TRUE}},
        "95 of 100 runs": {"mode": "lines", "line": pen(TRUE, BAR), "opacity": FAINT},
        "middle run": {"mode": "markers", "marker": MEDIAN | {"line": {"width": 2, "color": TRUE}}},
        **({"least possible mean": {"mode": "lines", "line": DASHED}} if limit else {}),
    }
    traces += [trace([None], [None], name=name, **look) for name, look in signs.items()]
    ends = [edge, 10.0 ** (ceil(log10(edge)) + 1), *(max(row.max_error, row.max_error_high) for row in shown)]
    _, high = log_range(ends) or (0.0, 1.0)
    return figure_of(
        traces, x=f"rank error ({many})", height=ROW_HEIGHT * max(len(shown), 2) + 140, annotations=names,
        margin={"l": 14, "t": 44}, legend={"y": 1}, xaxis={"showgrid": True, **log_ticks((log10(edge) - EDGE, high))},
        yaxis={"range": [max(len(shown), 1) - 0.4, -0.55], "linecolor": AXIS, "showticklabels": False,
               "showgrid": False}, shapes=[standing(_drawn(limit, edge), DASHED)] if limit else [],
    )  # fmt: skip


def draw_sweep(
    points: Sequence[tuple[float, Row]], *, measure: str, axis: str, many: str, best: str = "", chosen: str = "",
    here: float | None = None, limits: Sequence[tuple[float, float]] = (),
) -> PlainFigure:  # fmt: skip
    """Draw the `measure` ("mean" or "max") of the rank error over a swept setting, a line for each mechanism.

    `best`, `chosen`: the labels of those in colour, with a band that holds 95 of 100 runs. `here` marks the setting
    chosen on the page, with their errors there; `limits` is what no mechanism can be below, where that is known.
    """
    lines: dict[str, list[tuple[float, Row]]] = {}
    for x, row in sorted((point for point in points if point[1].supported), key=lambda point: point[0]):
        lines.setdefault(row.label, []).append((x, row))
    order = sorted(lines, key=lambda label: (label == best, label == chosen, short_name(label).casefold()))
    traces, ends, notes = [], list[tuple[float, str, str]](), list[dict[str, Any]]()
    for label in order:
        line, in_colour = lines[label], label in (best, chosen)
        colour = colour_of(line[0][1].mechanism) if in_colour else TRUE
        traces += _line(line, f"{measure}_error", colour, in_colour=in_colour)
        ends.append((traces[-1]["y"][-1], short_name(label), colour))
        if in_colour and (value := dict(line).get(here or 0)):
            notes.append(_value(here or 0, getattr(value, f"{measure}_error"), colour, above=label != best))
    if limits:
        xs, errors = zip(*limits, strict=True)
        hover = "%{x:.4g}: at least %{customdata:,.2r} if all values differ<extra></extra>"
        traces.append(trace(xs, map(_drawn, errors), "lines", "", hover, customdata=list(errors), line=DASHED))
        ends.append((traces[-1]["y"][-1], "limit", TRUE))
    if here is not None:
        notes.append(note(log10(here), 1, "chosen now", yref="paper", yanchor="bottom", xanchor="center"))
    bottom, top = log_range(y for each in traces for y in each["y"] if y is not None) or (0.0, 1.0)
    return figure_of(
        traces, x=axis, y=f"{ {'mean': 'mean', 'max': 'worst'}[measure]} rank error ({many})", height=HEIGHT,
        margin={"t": ABOVE, "b": BELOW, "r": BESIDE}, showlegend=False,
        xaxis=log_ticks(log_range(x for line in lines.values() for x, _ in line)),
        yaxis={"linecolor": AXIS, **log_ticks((bottom, top))},
        annotations=[*notes, *_names([((log10(y) - bottom) / (top - bottom), name, ink) for y, name, ink in ends])],
        shapes=[] if here is None else [standing(here, pen(AXIS, 1.5, "dash"))],
    )  # fmt: skip


def short_name(label: str) -> str:
    """Return the short name in brackets at the end of a mechanism's label, or the label where there is none."""
    return label[:-1].rpartition("(")[2] if label.endswith(")") else label


def _measure(row: Row, y: float, name: str, symbol: str, edge: float, colour: str) -> list[Trace]:
    """Return one measure of a mechanism: its noise interval as a bar, the middle run as a stroke, its mean."""
    label = f"<extra>{escape(row.label)}</extra>"
    low, high, median, mean = (getattr(row, f"{name}{end}") for end in ("_low", "_high", "_median", ""))
    around = {"width": 2, "color": colour}
    return [
        trace([_drawn(low, edge), _drawn(high, edge)], [y, y], "lines", line=pen(colour, BAR), opacity=FAINT),
        trace([_drawn(median, edge)], [y], "markers", "", f"middle run %{{customdata:,.2r}}{label}",
              customdata=[median], marker=MEDIAN | {"line": around}),
        trace([_drawn(mean, edge)], [y], "markers", "", RUNS + label, customdata=[(mean, low, high)],
              marker={"symbol": symbol, "size": 10, "color": colour, "line": around}),
    ]  # fmt: skip


def _line(line: Sequence[tuple[float, Row]], name: str, colour: str, *, in_colour: bool) -> list[Trace]:
    """Return the line of a mechanism; one in colour after its band."""
    label, xs = line[0][1].label, [x for x, _ in line]
    means, lows, highs = ([getattr(row, f"{name}{end}") for _, row in line] for end in ("", "_low", "_high"))
    symbol = MECHANISM_SYMBOLS.get(line[0][1].mechanism, "circle")
    band = area(xs, [*map(_drawn, lows)], [*map(_drawn, highs)], colour, opacity=FAINTER, hoverinfo="skip")
    drawn = trace(
        xs, [*map(_drawn, means)], "lines+markers", escape(short_name(label)),
        f"%{{x:.4g}}: {RUNS}<extra>{escape(label)}</extra>", line=pen(colour, 2.5 if in_colour else 1.2),
        marker={"color": colour, "size": 7 if in_colour else 4, "symbol": symbol},
        customdata=list(zip(means, lows, highs, strict=True)),
    )  # fmt: skip
    return [band, drawn] if in_colour else [drawn]


def _value(x: float, error: float, colour: str, *, above: bool) -> dict[str, Any]:
    """Return the error at the chosen setting, beside its line: that of the best one below it."""
    place = {"yanchor": "bottom", "xanchor": "left"} if above else {"yanchor": "top", "xanchor": "right"}
    shift, text = 6 if above else -6, f"<b>{error_in_digits(error)}</b>"
    return note(log10(x), log10(_drawn(error)), text, xshift=shift, font={"size": 14} | _ink(colour), **place)


def _names(ends: Sequence[tuple[float, str, str]]) -> list[dict[str, Any]]:
    """Return names at the right of a figure, each at the height of its line's end or as near to it as there is room."""
    ordered = sorted(ends, reverse=True)
    heights: list[float] = []
    for at, (height, *_) in enumerate(ordered):
        room = LINE * (len(ordered) - 1 - at)  # for those below
        heights.append(max(min(height, heights[-1] - LINE) if heights else min(height, 1.0), room))
    return [
        note(1, height, escape(name), xref="paper", yref="paper", xshift=8, yanchor="middle",
             font={"size": USUAL_SIZE} | _ink(colour))
        for height, (_, name, colour) in zip(heights, ordered, strict=True)
    ]  # fmt: skip


def _ink(colour: str) -> dict[str, Any]:
    return {} if colour == TRUE else {"color": colour}


def _drawn(error: float, edge: float = SMALLEST) -> float:
    return edge if isnan(error) else max(error, edge)
