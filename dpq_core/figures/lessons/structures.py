"""Figures of the lessons about structure: halves over the value axis, slices over ranks, blocks of counts, a sketch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ..frame import ACCENT, AXIS, MECHANISM_COLOURS, PRIVATE_MARKER, TRUE, TRUE_MARKER
from .basics import framed

ROW = 0.42
"""Half the height of a part, in rows."""
FAINT = 0.18
STRONG = 0.6
CHOSEN = 0.38
"""Of a block with text on it, which must stay readable."""
SKETCH_BAND = "rgba(194, 100, 140, 0.22)"

Part = tuple[int, float, float, float, bool]
"""Depth, lowest and highest value of the part, the value drawn in it, and whether it holds a certain person."""
Slice = tuple[int, int, int, bool]
"""Target rank, first and last rank of the slice, and whether it holds a certain person."""
Block = tuple[str, int, int, bool]
"""Which values, the true count, the noisy count, and whether the answer lies in it."""


def draw_halves(parts: Sequence[Part], person: float | None, *, x: str) -> go.Figure:
    """Draw the nodes of one run over the value axis, a row for each depth; with `person` those that hold the person."""
    figure = go.Figure()
    figure.update_layout(
        shapes=[
            _box(low, high, depth, "aq", STRONG if holds and person is not None else FAINT)
            for depth, low, high, _, holds in parts
        ]
    )
    figure.add_scatter(
        x=[value for *_, value, _ in parts], y=[depth for depth, *_ in parts], mode="markers", name="drawn value",
        marker=PRIVATE_MARKER, hovertemplate="%{x} years<extra>row %{y}</extra>",
    )  # fmt: skip
    deepest = max(depth for depth, *_ in parts)
    if person is not None:
        figure.add_scatter(
            x=[person, person], y=[-0.5, deepest + 0.5], mode="lines", name=f"Kim, {person:g}", hoverinfo="name",
            line={"color": ACCENT, "width": 3},
        )  # fmt: skip
    framed(figure, x=x, y="row", height=160 + 70 * (deepest + 1))
    ticks = list(range(deepest + 1))
    figure.update_yaxes(range=[deepest + 0.6, -0.6], tickvals=ticks, ticktext=[str(tick + 1) for tick in ticks])
    return figure.update_yaxes(showgrid=False).update_layout(showlegend=True)


def draw_slices(slices: Sequence[Slice], n: int, person: int | None) -> go.Figure:
    """Draw slices on the axis of ranks; with `person` that person's rank, and the slice that holds it."""
    figure = go.Figure()
    figure.add_scatter(
        x=[target for target, *_ in slices], y=[0] * len(slices), mode="markers", marker=TRUE_MARKER,
        name="target rank", hovertemplate="%{x:,}<extra>target rank</extra>",
    )  # fmt: skip
    if person is not None:
        figure.add_scatter(
            x=[person, person], y=[-0.5, 0.5], mode="lines", name=f"Kim, at rank {person:,}", hoverinfo="name",
            line={"color": ACCENT, "width": 3},
        )  # fmt: skip
    boxes = [
        _box(first, last, 0, "slice", STRONG if holds and person is not None else FAINT)
        for _, first, last, holds in slices
    ]
    framed(figure, x="people, from the lowest value to the highest", y="", height=240)
    figure.update_yaxes(visible=False, range=[-0.5, 0.5]).update_xaxes(range=[0, n])
    return figure.update_layout(shapes=boxes, showlegend=True)


def draw_blocks(rows: Sequence[Sequence[Block]], sums: Mapping[str, float], *, truth: bool) -> go.Figure:
    """Draw blocks with noisy counts: each row divides the marked block of the row above; `truth` adds true counts.

    `sums`: typical errors of sums of such counts, as bars below the blocks; none where it is empty.
    """
    count = 2 if sums else 1
    figure = make_subplots(rows=count, cols=1, vertical_spacing=0.12, row_heights=[0.72, 0.28][:count])
    boxes = []
    for depth, row in enumerate(rows):
        boxes += [
            _box(place + 0.03, place + 0.97, depth, "aggtree", CHOSEN if chosen else FAINT)
            for place, (_, _, _, chosen) in enumerate(row)
        ]
        texts = [
            f"{values}<br><b>{noisy:,}</b>" + (f"<br>true {true:,}" if truth else "") for values, true, noisy, _ in row
        ]
        figure.add_scatter(
            x=[place + 0.5 for place in range(len(row))], y=[depth] * len(row), mode="text", text=texts,
            textfont={"size": 13}, hoverinfo="skip", showlegend=False, row=1, col=1,
        )  # fmt: skip
    framed(figure, x="", y="", height=110 * len(rows) + (180 if sums else 40))
    figure.update_yaxes(range=[len(rows) - 0.5, -0.5], visible=False, row=1, col=1).update_xaxes(visible=False)
    if sums:
        figure.add_bar(
            x=list(sums.values()), y=list(sums), orientation="h", showlegend=False, row=2, col=1, width=0.6,
            text=[f"{way}: {error:,.0f} people off" for way, error in sums.items()], textposition="auto",
            cliponaxis=False, marker={"color": MECHANISM_COLOURS["aggtree"]}, hoverinfo="skip",
        )  # fmt: skip
        figure.update_yaxes(autorange="reversed", visible=False, row=2, col=1)
    return figure.update_layout(margin={"l": 4, "r": 4, "t": 8, "b": 8}, shapes=boxes)


def draw_outlines(
    marks: Sequence[tuple[str, float, float]], rings: Sequence[tuple[str, str, Sequence[float], Sequence[float]]]
) -> go.Figure:
    """Draw what a person does to two errors, and outlines of what noise has to cover.

    `marks`: where the person joins, with both errors; filled, and open on the other side for one who leaves.
    `rings`: mechanism, name, x and y; the smaller one last, which is filled.
    """
    figure = go.Figure()
    for (key, name, x, y), dash in zip(rings, ("dash", "solid"), strict=False):
        figure.add_scatter(
            x=x, y=y, mode="lines", name=name, line={"color": MECHANISM_COLOURS[key], "width": 2.5, "dash": dash},
            fill="toself" if dash == "solid" else "none", hoverinfo="name",
        )  # fmt: skip
    for (name, lower, upper), symbol in zip(marks, ("circle", "square", "triangle-up"), strict=True):
        figure.add_scatter(
            x=[lower, -lower], y=[upper, -upper], mode="markers", name=f"Kim {name}",
            marker={"color": ACCENT, "size": 12, "symbol": [symbol, f"{symbol}-open"], "line": {"color": ACCENT}},
            customdata=["joins", "leaves"],
            hovertemplate=f"Kim %{{customdata}} {name}: %{{x:+.2f}} and %{{y:+.2f}} people<extra></extra>",
        )  # fmt: skip
    framed(figure, x="error of the lower answer (people)", y="error of the upper answer (people)", height=460)
    axis = {"range": [-1.1, 1.1], "dtick": 0.5, "zeroline": True, "zerolinecolor": AXIS, "zerolinewidth": 1}
    return figure.update_xaxes(**axis).update_yaxes(**axis, scaleanchor="x", constrain="domain")


def draw_sketch(
    places: Sequence[float], lows: Sequence[int], highs: Sequence[int], *, x: str, n: int,
    stored: tuple[Sequence[float], Sequence[float]] | None, exact: Sequence[int],
) -> go.Figure:  # fmt: skip
    """Draw a sketch's bounds on the rank of each value; with its `stored` points also these, and the exact ranks."""
    figure = go.Figure()
    colour = MECHANISM_COLOURS["gkexp"]
    edge = {"color": colour, "width": 1, "shape": "hv"}
    figure.add_scatter(x=places, y=lows, mode="lines", line=edge, showlegend=False, hoverinfo="skip")
    figure.add_scatter(
        x=places, y=highs, mode="lines", line=edge, fill="tonexty", fillcolor=SKETCH_BAND, name="possible ranks",
        hovertemplate="%{x:.1f}: at most %{y:,}<extra></extra>",
    )  # fmt: skip
    if stored is not None:
        figure.add_scatter(
            x=stored[0], y=stored[1], mode="markers", name="kept values", marker={"color": colour, "size": 6},
            hovertemplate="kept: %{x:.2f}<extra></extra>",
        )  # fmt: skip
        figure.add_scatter(
            x=places, y=exact, mode="lines", name="exact rank", line={"color": TRUE, "width": 2.5, "dash": "dash"},
            hovertemplate="%{x:.1f}: exactly %{y:,}<extra></extra>",
        )  # fmt: skip
    framed(figure, x=x, y="values below")
    return figure.update_yaxes(range=[-0.03 * n, 1.05 * n]).update_xaxes(range=[places[0], places[-1]])


def _box(left: float, right: float, row: float, mechanism: str, opacity: float) -> dict[str, Any]:
    """Return a box on a row, in the mechanism's colour. Shapes are set all at once: adding them singly is slow."""
    return {
        "type": "rect", "xref": "x", "yref": "y",
        "x0": left, "x1": right, "y0": row - ROW, "y1": row + ROW,
        "fillcolor": MECHANISM_COLOURS[mechanism], "opacity": opacity, "layer": "below",
        "line": {"width": 1, "color": MECHANISM_COLOURS[mechanism]},
    }  # fmt: skip
