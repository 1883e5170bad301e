"""Figures of the lessons about many answers: what each of them costs, halves over values, and slices over ranks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..frame import ACCENT, BAND, PRIVATE_MARKER, TRUE, TRUE_MARKER, PlainFigure, colour_of, figure_of
from ..traces import note, pen, trace, upright

SMALLEST_REACH = 6.0  # years to either side of the truth that the figure of repeated releases shows at least
ROW = 0.42  # half the height of a part, in rows
FAINT = 0.18
STRONG = 0.6
Part = tuple[int, float, float, float, bool]
"""Depth, lowest and highest value of the part, the value drawn in it, and whether it holds a certain person."""
Slice = tuple[int, int, int, bool]
"""Target rank, first and last rank of the slice, and whether it holds a certain person."""


def draw_shares(count: int) -> PlainFigure:
    """Draw a budget in `count` equal parts."""
    parts = {
        "type": "bar", "orientation": "h", "base": [at / count for at in range(count)], "x": [1 / count] * count,
        "y": ["budget"] * count, "showlegend": False, "hovertemplate": "%{hovertext}<extra></extra>",
        "hovertext": [f"answer {at + 1}: {100 / count:.1f} % of the budget" for at in range(count)],
        "marker": {"color": colour_of("aq"), "opacity": [0.85 if at % 2 else 0.55 for at in range(count)]},
    }  # fmt: skip
    return figure_of(
        [parts], x="share of the budget", height=170, bargap=0.1, xaxis={"range": [0, 1], "tickformat": ".0%"},
        yaxis={"visible": False},
    )  # fmt: skip


def draw_line(
    xs: Sequence[float], ys: Sequence[float], texts: Sequence[str], colour: str, *, here: float, x: str, y: str
) -> PlainFigure:
    """Draw a curve, marked at the place of the slider; `texts`: what its points say."""
    at = list(xs).index(here)
    hover = "%{x:,}: %{customdata}<extra></extra>"
    line = trace(xs, ys, "lines", y, hover, line=pen(colour, 2.5), customdata=list(texts))
    mark = trace(
        [here], [ys[at]], "markers+text", marker={"color": colour, "size": 11}, text=[texts[at]], cliponaxis=False,
        textposition={0: "top right", len(xs) - 1: "top left"}.get(at, "bottom right"), textfont={"size": 14},
    )  # fmt: skip
    return figure_of([line, mark], x=x, y=y, yaxis={"rangemode": "tozero"})


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


def draw_halves(parts: Sequence[Part], person: float | None, *, x: str) -> PlainFigure:
    """Draw the nodes of one run over the value axis, a row for each depth; with `person` those that hold the person."""
    hover, deepest = "%{x} years<extra>row %{y}</extra>", max(depth for depth, *_ in parts)
    depths, values = [depth for depth, *_ in parts], [value for *_, value, _ in parts]
    traces = [trace(values, depths, "markers", "drawn value", hover, marker=PRIVATE_MARKER)]
    traces += [] if person is None else [upright(person, -0.5, deepest + 0.5, f"Kim, {person:g}", pen(ACCENT, 3))]
    return figure_of(
        traces, x=x, y="row", height=160 + 70 * (deepest + 1), showlegend=True,
        shapes=[_box(low, high, row, "aq", person is not None and holds) for row, low, high, _, holds in parts],
        yaxis={"range": [deepest + 0.6, -0.6], "showgrid": False, "tickvals": list(range(deepest + 1)),
               "ticktext": [str(row + 1) for row in range(deepest + 1)]},
    )  # fmt: skip


def draw_slices(slices: Sequence[Slice], n: int, person: int | None) -> PlainFigure:
    """Draw slices on the axis of ranks; with `person` that person's rank, and the slice that holds it."""
    ranks, hover = [target for target, *_ in slices], "%{x:,}<extra>target rank</extra>"
    traces = [trace(ranks, [0] * len(ranks), "markers", "target rank", hover, marker=TRUE_MARKER)]
    traces += [] if person is None else [upright(person, -0.5, 0.5, f"Kim, at rank {person:,}", pen(ACCENT, 3))]
    return figure_of(
        traces, x="people, from the lowest value to the highest", height=240, showlegend=True,
        shapes=[_box(first, last, 0, "slice", person is not None and holds) for _, first, last, holds in slices],
        xaxis={"range": [0, n]}, yaxis={"visible": False, "range": [-0.5, 0.5]},
    )  # fmt: skip


def _box(left: float, right: float, row: float, mechanism: str, strong: bool) -> dict[str, Any]:
    """Return a box on a row, in the mechanism's colour."""
    return {
        "type": "rect", "x0": left, "x1": right, "y0": row - ROW, "y1": row + ROW, "layer": "below",
        "fillcolor": colour_of(mechanism), "opacity": STRONG if strong else FAINT,
        "line": {"width": 1, "color": colour_of(mechanism)},
    }  # fmt: skip
