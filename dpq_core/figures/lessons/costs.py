"""Figures of the lessons about the cost of many answers: parts of a budget, sums, bounds, and averages."""

from __future__ import annotations

from collections.abc import Sequence
from math import log10

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ..palette import ACCENT, BAND, MECHANISM_COLOURS, PRIVATE, PRIVATE_MARKER, TRUE
from .basics import framed

SMALLEST_REACH = 6.0
"""Years to either side of the truth that the figure of repeated releases shows at least."""


def draw_shares(count: int, curve: tuple[Sequence[int], Sequence[float]] | None, now: float | None) -> go.Figure:
    """Draw a budget in `count` equal parts; with `curve` the mean rank error for each number of quantiles."""
    rows = 1 if curve is None else 2
    figure = make_subplots(
        rows=rows, cols=1, vertical_spacing=0.2, row_heights=[1] if rows == 1 else [0.26, 0.74],
        specs=[[{}]] * rows,
    )  # fmt: skip
    for part in range(count):
        figure.add_bar(
            x=[1 / count], y=["budget"], orientation="h", showlegend=False, row=1, col=1,
            marker={"color": MECHANISM_COLOURS["aq"], "opacity": 0.85 if part % 2 else 0.55},
            hovertemplate=f"answer {part + 1}: %{{x:.1%}} of the budget<extra></extra>",
        )  # fmt: skip
    framed(figure, x="", y="", height=170 if curve is None else 420)
    figure.update_layout(barmode="stack", bargap=0.1)
    figure.update_xaxes(range=[0, 1], tickformat=".0%", title="share of the budget", row=1, col=1)
    figure.update_yaxes(visible=False, row=1, col=1)
    if curve is not None and now is not None:
        colour = MECHANISM_COLOURS["indexp"]
        labels = [str(number) for number in curve[0]]
        figure.add_scatter(
            x=labels, y=curve[1], mode="lines+markers", row=2, col=1, name="mean rank error",
            line={"color": colour, "width": 2.5}, marker={"size": 8, "color": colour}, showlegend=False,
            hovertemplate="%{x} quantiles: %{y:.1f} people<extra></extra>",
        )  # fmt: skip
        figure.add_scatter(
            x=[str(count)], y=[now], mode="markers", row=2, col=1, showlegend=False, hoverinfo="skip",
            marker=PRIVATE_MARKER | {"size": 14},
        )  # fmt: skip
        figure.update_xaxes(title="number of quantiles", type="category", row=2, col=1)
        figure.update_yaxes(title="people off, on average", rangemode="tozero", row=2, col=1)
    return figure


def draw_lines(
    lines: Sequence[tuple[str, Sequence[float], Sequence[float], str, str]], *, here: float, x: str, y: str
) -> go.Figure:
    """Draw curves (name, x, y, colour, dash) on a logarithmic x axis, each marked at the place of the slider."""
    figure = go.Figure()
    for name, xs, ys, colour, dash in lines:
        figure.add_scatter(
            x=xs, y=ys, mode="lines", name=name, line={"color": colour, "width": 2.5, "dash": dash},
            hovertemplate="%{x:,}: %{y:.3g}<extra></extra>",
        )  # fmt: skip
        at = list(xs).index(here)
        figure.add_scatter(
            x=[here], y=[ys[at]], mode="markers+text", text=[f"{ys[at]:.3g}"], textposition="top left",
            marker={"color": colour, "size": 11}, showlegend=False, hoverinfo="skip", textfont={"size": 14},
        )  # fmt: skip
    framed(figure, x=x, y=y)
    return figure.update_xaxes(type="log", dtick=1).update_yaxes(rangemode="tozero")


def draw_strips(
    rows: Sequence[tuple[str, Sequence[float]]],
    here: str | None,
    truth: float,
    *,
    x: str,
    unit: str,
    ends: tuple[float, float],
    y: str = "",
) -> go.Figure:
    """Draw simulated answers as strokes on a logarithmic axis, a row for each choice; all stand out, or the one here.

    `ends`: of the axis, at least 1.
    """
    figure = go.Figure()
    for name, answers in rows:
        mine = here in (None, name)
        stroke = {"symbol": "line-ns", "size": 22, "line": {"width": 1.6, "color": PRIVATE if mine else TRUE}}
        figure.add_scatter(
            x=[max(answer, 1) for answer in answers], y=[name] * len(answers), mode="markers", showlegend=False,
            marker=stroke | {"opacity": 0.75 if mine else 0.3}, hovertemplate=f"%{{x:,}} {unit}<extra></extra>",
        )  # fmt: skip
    figure.add_vline(x=truth, line={"color": TRUE, "width": 2, "dash": "dash"})
    framed(figure, x=x, y=y, height=110 + 40 * len(rows))
    first, last = (log10(end) for end in ends)
    figure.update_xaxes(type="log", dtick=1 if last < 8 else 3, range=[first - 0.1, last + 0.1])
    return figure.update_yaxes(type="category", showgrid=False)


def draw_intervals(
    ends: Sequence[Sequence[float]], held: Sequence[bool] | None, truth: float | None, *, x: str
) -> go.Figure:
    """Draw the interval of each release as a bar; with `held` those that miss the truth stand out."""
    figure = go.Figure()
    kinds = [("interval", PRIVATE, None)] if held is None else [("holds", PRIVATE, True), ("misses", ACCENT, False)]
    for name, colour, kind in kinds:
        rows = [at for at in range(len(ends)) if held is None or held[at] is kind]
        figure.add_scatter(
            x=[place for at in rows for place in (*ends[at], None)], name=name, mode="lines+markers",
            y=[place for at in rows for place in (at + 1, at + 1, None)], line={"color": colour, "width": 3},
            marker={"symbol": "line-ns", "size": 8, "line": {"width": 2, "color": colour}},
            hovertemplate="release %{y}: %{x:,.0f}<extra></extra>",
        )  # fmt: skip
    if truth is not None:
        figure.add_vline(x=truth, line={"color": TRUE, "width": 2, "dash": "dash"})
    return framed(figure, x=x, y="release", height=380)


def draw_average(
    answers: Sequence[float], averages: Sequence[float] | None, truth: float, allowed: int, total: int
) -> go.Figure:
    """Draw every release of one median; with `averages` their running mean, and where a ledger would stop."""
    figure = go.Figure()
    numbers = list(range(1, len(answers) + 1))
    figure.add_scatter(
        x=[0.5, total + 0.5], y=[truth, truth], mode="lines", name="truth", hoverinfo="skip",
        line={"color": TRUE, "width": 2, "dash": "dash"},
    )  # fmt: skip
    figure.add_scatter(
        x=numbers, y=list(answers), mode="markers", name="one release", marker=PRIVATE_MARKER,
        hovertemplate="release %{x}: %{y} years<extra></extra>",
    )  # fmt: skip
    if averages is not None:
        figure.add_scatter(
            x=numbers, y=list(averages), mode="lines", name="average so far", line={"color": ACCENT, "width": 3},
            hovertemplate="average of %{x}: %{y:.2f} years<extra></extra>",
        )  # fmt: skip
        figure.add_vrect(x0=allowed + 0.5, x1=total + 0.5, fillcolor=BAND, line_width=0)
        figure.add_annotation(
            x=allowed + 1, y=1, yref="paper", xanchor="left", yanchor="top", showarrow=False,
            text="refused by a ledger", font={"size": 13},
        )  # fmt: skip
    framed(figure, x="release", y="age (years)")
    ends = 1.15 * max([SMALLEST_REACH, *(abs(answer - truth) for answer in answers)])
    return figure.update_xaxes(range=[0, total + 1]).update_yaxes(range=[truth - ends, truth + ends])
