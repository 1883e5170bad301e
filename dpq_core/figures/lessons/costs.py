"""Figures of the lessons about the cost of many answers: parts of a budget, sums, bounds, and averages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..frame import ACCENT, BAND, MECHANISM_COLOURS, PRIVATE_MARKER, TRUE, PlainFigure, figure_of
from ..traces import note, pen, trace

SMALLEST_REACH = 6.0
"""Years to either side of the truth that the figure of repeated releases shows at least."""


def in_digits(number: float) -> str:
    """Return a number in three digits, never with a power of ten: `0.206`, `22,000`."""
    return f"{float(f'{number:.3g}'):,.10g}"


def draw_shares(count: int) -> PlainFigure:
    """Draw a budget in `count` equal parts."""
    parts = {
        "type": "bar", "orientation": "h", "base": [at / count for at in range(count)], "x": [1 / count] * count,
        "y": ["budget"] * count, "showlegend": False, "hovertemplate": "%{hovertext}<extra></extra>",
        "hovertext": [f"answer {at + 1}: {100 / count:.1f} % of the budget" for at in range(count)],
        "marker": {"color": MECHANISM_COLOURS["aq"], "opacity": [0.85 if at % 2 else 0.55 for at in range(count)]},
    }  # fmt: skip
    return figure_of(
        [parts], x="share of the budget", height=170, bargap=0.1, xaxis={"range": [0, 1], "tickformat": ".0%"},
        yaxis={"visible": False},
    )  # fmt: skip


def draw_lines(
    lines: Sequence[tuple[str, Sequence[float], Sequence[float], str, str]], *, here: float, x: str, y: str
) -> PlainFigure:
    """Draw curves (name, x, y, colour, dash), each marked at the place of the slider: the first above, others below."""
    traces = []
    for number, (name, xs, ys, colour, dash) in enumerate(lines):
        hover, at = "%{x:,}: %{customdata}<extra></extra>", list(xs).index(here)
        traces.append(
            trace(xs, ys, "lines", name, hover, line=pen(colour, 2.5, dash), customdata=[*map(in_digits, ys)])
        )
        left = here == xs[-1] if number else here != xs[0]
        place = f"{'bottom' if number else 'top'} {'left' if left else 'right'}"
        words: dict[str, Any] = {
            "text": [in_digits(ys[at])],
            "textposition": place,
            "textfont": {"size": 14},
            "cliponaxis": False,
        }
        traces.append(trace([here], [ys[at]], "markers+text", marker={"color": colour, "size": 11}, **words))
    return figure_of(traces, x=x, y=y, yaxis={"rangemode": "tozero"})


def draw_average(
    answers: Sequence[float], averages: Sequence[float] | None, truth: float, allowed: int, total: int
) -> PlainFigure:
    """Draw every release of one median; with `averages` their running mean, and where a ledger would stop."""
    numbers = list(range(1, len(answers) + 1))
    hover = "release %{x}: %{y} years<extra></extra>", "average of %{x}: %{y:.2f} years<extra></extra>"
    traces = [
        trace([0.5, total + 0.5], [truth, truth], "lines", "truth", line=pen(TRUE, dash="dash")),
        trace(numbers, answers, "markers", "one release", hover[0], marker=PRIVATE_MARKER),
    ]
    refused: dict[str, Any] = {}
    if averages is not None:
        traces.append(trace(numbers, averages, "lines", "average so far", hover[1], line=pen(ACCENT, 3)))
        where = {"x0": allowed + 0.5, "x1": total + 0.5, "xref": "x", "yref": "y domain", "y0": 0, "y1": 1}
        words = note(allowed + 1, 1, "refused by a ledger", yref="paper", yanchor="top", font={"size": 13})
        refused = {
            "shapes": [where | {"type": "rect", "fillcolor": BAND, "line": {"width": 0}}],
            "annotations": [words],
        }
    ends = 1.15 * max([SMALLEST_REACH, *(abs(answer - truth) for answer in answers)])
    return figure_of(
        traces, x="release", y="age (years)", xaxis={"range": [0, total + 1]},
        yaxis={"range": [truth - ends, truth + 1.2 * ends]}, **refused,
    )  # fmt: skip
