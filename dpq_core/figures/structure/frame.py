"""What all figures of a structure share: axes, marks that can be clicked, the data's histogram."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from html import escape
from math import isfinite

import plotly.graph_objects as go

from ...mechanisms.base import TraceStep
from ..frame import AXIS, PRIVATE_MARKER, SMALLEST_WORDS, TRUE, TRUE_MARKER
from .scene import Scene, histogram_in, tinted

HEIGHT = 470
LEGEND = {"orientation": "h", "x": 0, "y": 1.01, "yanchor": "bottom", "font": {"size": 12}}
HISTOGRAM_SHARE = 0.17
"""Of the height, for the data under the structure."""
TICKS = 5
UNDIMMED: dict[str, object] = {"marker": {"opacity": 1}}
"""A click selects; it must not fade everything else."""
TRUE_QUANTILE = "true quantile"
WHOLE_NAMES = 24
"""Rows of an axis that all get a name."""
ROW_MARGIN = 0.6
"""Rows above the highest and below the lowest."""


def framed(figure: go.Figure, scene: Scene[TraceStep], window: tuple[float, float], *, title: str = "") -> go.Figure:
    """The value axis over `window`, quiet rows, the legend on top, nothing that moves or zooms."""
    figure.update_xaxes(
        title=escape(title or scene.axis, quote=False), title_font={"size": 13}, range=list(window), showgrid=False,
        zeroline=False, fixedrange=True, linecolor=AXIS,
    )  # fmt: skip
    if scene.dated and not title:
        ticks = [window[0] + (window[1] - window[0]) * (at + 0.5) / TICKS for at in range(TICKS)]
        figure.update_xaxes(tickvals=ticks, ticktext=[scene.read(tick) for tick in ticks])
    figure.update_yaxes(showgrid=False, zeroline=False, fixedrange=True)
    return figure.update_layout(
        height=HEIGHT, margin={"l": 64, "r": 12, "t": 36, "b": 48}, legend=LEGEND, hovermode="closest",
        barmode="overlay", bargap=0,
    )  # fmt: skip


def add_bars(
    figure: go.Figure,
    numbers: Sequence[int],
    spans: Sequence[tuple[float, float]],
    rows: Sequence[float],
    *,
    height: float | Sequence[float],
    colours: Sequence[str],
    lines: tuple[Sequence[str], Sequence[float]],
    texts: Sequence[str],
) -> None:
    """Horizontal bars; a click on one selects the step with its number. `lines`: colours and widths of the borders."""
    figure.add_bar(
        orientation="h", base=[low for low, _ in spans], x=[high - low for low, high in spans], y=list(rows),
        width=height, customdata=[[number] for number in numbers], showlegend=False,
        marker={"color": list(colours), "line": {"color": list(lines[0]), "width": list(lines[1])}},
        hovertext=list(texts), hovertemplate="%{hovertext}<extra></extra>", textposition="none",
        selected=UNDIMMED, unselected=UNDIMMED,
    )  # fmt: skip


def add_marks(
    figure: go.Figure,
    scene: Scene[TraceStep],
    numbers: Sequence[int],
    xs: Sequence[float],
    rows: Sequence[float],
    *,
    true: bool,
) -> None:
    """Add circles for targets or diamonds for drawn values; that of the selected step is larger."""
    marker = TRUE_MARKER if true else PRIVATE_MARKER
    usual, chosen = ((7, 12) if true else (5, 9)) if scene.is_long else ((11, 14) if true else (8, 11))
    name = "target" if true else "drawn"
    figure.add_scatter(
        x=list(xs), y=list(rows), mode="markers", name=name, customdata=[[number] for number in numbers],
        marker=marker | {"size": [chosen if number == scene.at else usual for number in numbers], "opacity": 1},
        hovertext=[f"{name}: {scene.read(x)}" for x in xs], hovertemplate="%{hovertext}<extra></extra>",
        selected=UNDIMMED, unselected=UNDIMMED,
    )  # fmt: skip


def add_truth(figure: go.Figure, x: float, *, rows: str = "paper") -> None:
    """Add the true quantile of the selected step as an upright line; `rows`: the y axis whose height it has."""
    if not isfinite(x):
        return
    line = {"color": TRUE, "width": 2.2, "dash": "dash"}
    figure.add_shape(type="line", x0=x, x1=x, y0=0, y1=1, xref="x", yref=rows, line=line)
    figure.add_scatter(x=[None], y=[None], mode="lines", line=line, name=TRUE_QUANTILE, hoverinfo="skip")


def add_strokes(
    figure: go.Figure, strokes: Sequence[tuple[float, float, float, float]], line: dict[str, object], axis: str = "x"
) -> None:
    """Separate straight lines (x, y, x, y) as one trace that does not answer to the pointer."""
    xs = [x for x_from, _, x_to, _ in strokes for x in (x_from, x_to, None)]
    ys = [y for _, y_from, _, y_to in strokes for y in (y_from, y_to, None)]
    figure.add_scatter(x=xs, y=ys, mode="lines", line=line, xaxis=axis, showlegend=False, hoverinfo="skip")


def add_texts(figure: go.Figure, texts: Sequence[tuple[float, float, str]], position: str = "middle center") -> None:
    """Small words (x, y, text) in the colour of the page's text."""
    figure.add_scatter(
        x=[x for x, _, _ in texts], y=[y for _, y, _ in texts], text=[text for _, _, text in texts], mode="text",
        textfont={"size": SMALLEST_WORDS}, textposition=position, showlegend=False, hoverinfo="skip",
    )  # fmt: skip


def add_histogram(figure: go.Figure, scene: Scene[TraceStep], window: tuple[float, float]) -> None:
    """The data under the structure, on the same value axis."""
    starts, counts, width = histogram_in(scene, window)
    shift = -scene.spread / 2 if width < 50 * scene.spread else 0.0
    figure.add_bar(
        x=[start + shift + width / 2 for start in starts], y=counts, width=0.9 * width, yaxis="y2",
        marker={"color": tinted(TRUE, 0.55), "line": {"width": 0}}, showlegend=False,
        hovertext=[f"from {scene.read(at)}: {count:,} {scene.many}" for at, count in zip(starts, counts, strict=True)],
        hovertemplate="%{hovertext}<extra></extra>",
    )  # fmt: skip
    figure.update_layout(
        yaxis={"domain": [HISTOGRAM_SHARE + 0.03, 1]},
        yaxis2={"domain": [0, HISTOGRAM_SHARE], "anchor": "x", "showticklabels": False},
        xaxis={"anchor": "y2"},
    )


def name_rows(figure: go.Figure, rows: Sequence[float], names: Sequence[str]) -> None:
    """Names on the vertical axis; of many rows only some are named."""
    every = max(1, -(-len(rows) // WHOLE_NAMES))
    figure.update_layout(
        yaxis={
            "tickvals": list(rows)[::every], "ticktext": list(names)[::every],
            "range": [min(rows) - ROW_MARGIN, max(rows) + ROW_MARGIN],
        }
    )  # fmt: skip


def short(number: float) -> str:
    """A count in at most four signs or so: `-7`, `812`, `12k`, `1.2M`."""
    for size, sign in ((1e6, "M"), (1e3, "k")):
        if abs(number) >= size:
            return f"{number / size:.2g}{sign}" if abs(number) < 100 * size else f"{number / size:.0f}{sign}"
    return f"{number:.0f}"


def between(scene: Scene[TraceStep], bounds: tuple[float, float]) -> str:
    """`52 to 60`, or the one value where both are the same."""
    low, high = map(scene.read, bounds)
    return low if low == high else f"{low} to {high}"


def share_of(level: Fraction) -> str:
    """A quantile's level as a short share: `12.5 %`."""
    return f"{100 * float(level):.4g} %"
