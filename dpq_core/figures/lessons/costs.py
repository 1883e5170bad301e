"""Figures of the lessons about the cost of many answers: parts of a budget, sums, bounds, and averages."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from ..frame import ACCENT, BAND, MECHANISM_COLOURS, PRIVATE_MARKER, TRUE
from .basics import framed

SMALLEST_REACH = 6.0
"""Years to either side of the truth that the figure of repeated releases shows at least."""


def in_digits(number: float) -> str:
    """Return a number in three digits, never with a power of ten: `0.206`, `22,000`."""
    return f"{float(f'{number:.3g}'):,.10g}"


def draw_shares(count: int) -> go.Figure:
    """Draw a budget in `count` equal parts."""
    figure = go.Figure()
    for part in range(count):
        figure.add_bar(
            x=[1 / count], y=["budget"], orientation="h", showlegend=False,
            marker={"color": MECHANISM_COLOURS["aq"], "opacity": 0.85 if part % 2 else 0.55},
            hovertemplate=f"answer {part + 1}: %{{x:.1%}} of the budget<extra></extra>",
        )  # fmt: skip
    framed(figure, x="share of the budget", y="", height=170).update_layout(barmode="stack", bargap=0.1)
    return figure.update_xaxes(range=[0, 1], tickformat=".0%").update_yaxes(visible=False)


def draw_lines(
    lines: Sequence[tuple[str, Sequence[float], Sequence[float], str, str]], *, here: float, x: str, y: str
) -> go.Figure:
    """Draw curves (name, x, y, colour, dash), each marked at the place of the slider: the first above, others below."""
    figure = go.Figure()
    for number, (name, xs, ys, colour, dash) in enumerate(lines):
        figure.add_scatter(
            x=xs, y=ys, mode="lines", name=name, line={"color": colour, "width": 2.5, "dash": dash},
            customdata=[in_digits(each) for each in ys], hovertemplate="%{x:,}: %{customdata}<extra></extra>",
        )  # fmt: skip
        at = list(xs).index(here)
        left = here == xs[-1] if number else here != xs[0]
        figure.add_scatter(
            x=[here], y=[ys[at]], mode="markers+text", text=[in_digits(ys[at])], cliponaxis=False,
            textposition=f"{'bottom' if number else 'top'} {'left' if left else 'right'}", textfont={"size": 14},
            marker={"color": colour, "size": 11}, showlegend=False, hoverinfo="skip",
        )  # fmt: skip
    framed(figure, x=x, y=y)
    return figure.update_yaxes(rangemode="tozero")


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
    return figure.update_xaxes(range=[0, total + 1]).update_yaxes(range=[truth - ends, truth + 1.2 * ends])
