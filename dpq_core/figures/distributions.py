"""Figures of the microscope: two exact output distributions, and their log ratio against the guarantee."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, copysign, floor, isfinite, log10
from typing import Any

import plotly.graph_objects as go

from .frame import ACCENT, AXIS, BAND, PRIVATE, PRIVATE_MARKER, TRUE, framed

HEIGHT = 250
MARGIN = {"l": 62, "r": 14, "t": 34, "b": 48}
"""Fixed, so that figures below each other share their horizontal axis."""
ROOM = 1.25
"""The vertical axis ends at this multiple of the claim or of the farthest point."""
LOWEST = 1e-8
MOST_CHANCES = 4
"""Ticks of the axis of probabilities."""
BEYOND = 3.0
"""An infinite ratio is drawn at this multiple of the claim."""
CLAIM_LINE = {"color": AXIS, "width": 1.5, "dash": "dash"}
MOST_MARKED_POINTS = 60
"""Up to this number of points are drawn as marks, more as a line."""

Numbers = Sequence[float]


def draw_distributions(
    xs: Numbers,
    before: Sequence[Numbers],
    after: Sequence[Numbers],
    names: tuple[str, str],
    *,
    axis: str,
    rows: Sequence[str] = (),
) -> go.Figure:
    """Draw the probabilities of `xs` for both data sets as steps on a log scale, where a distance is a log ratio.

    Several quantiles have one distribution each: `rows` names them, with a name over each peak. The axis ends at
    `LOWEST` times the largest probability.
    """
    figure = go.Figure()
    chances = [chance for laws in (before, after) for law in laws for chance in law if chance > 0]
    least = max(min(chances), LOWEST * max(chances))
    left, right = _ends(xs)
    styles = ({"color": TRUE, "width": 2.5}, {"color": ACCENT, "width": 2, "dash": "dash"})
    for laws, name, style in zip((before, after), names, styles, strict=True):
        for number, law in enumerate(laws):
            which = f" · {rows[number]}" if rows else ""
            whole = [law[0], *law, law[-1]]
            figure.add_scatter(
                x=[left, *xs, right], y=[max(chance, least / 10) for chance in whole], customdata=whole, mode="lines",
                line={"shape": "hvh", **style}, name=name, legendgroup=name, showlegend=number == 0,
                hovertemplate=f"%{{x}}: %{{customdata:.4g}}<extra>{name}{which}</extra>",
            )  # fmt: skip
    for number, row in enumerate(rows):
        peak = max(range(len(xs)), key=lambda at: before[number][at])
        figure.add_annotation(
            x=xs[peak], y=log10(before[number][peak]), text=row, showarrow=False, yanchor="bottom", xanchor="center"
        )
    _framed(figure, x=axis, y="probability").update_xaxes(range=[left, right])
    return figure.update_yaxes(**_chances(log10(least) - 0.1, log10(max(chances)) + 0.25))


def _chances(low: float, high: float) -> dict[str, Any]:
    """Return a logarithmic axis of probabilities between two powers of ten: two plain ticks at least."""
    powers = range(ceil(low), floor(high) + 1)
    powers = powers[:: ceil(len(powers) / MOST_CHANCES) or 1]
    ticks = [10.0**power for power in powers]
    if len(ticks) < 2:
        ticks = [mantissa * 10.0**power for power in range(floor(low), ceil(high)) for mantissa in (1, 2, 5)]
    shown = [tick for tick in ticks if low <= log10(tick) <= high]
    return {"type": "log", "range": [low, high], "tickvals": shown, "ticktext": [f"{tick:.3g}" for tick in shown]}


def draw_log_ratios(
    xs: Numbers,
    ratios: Numbers,
    worst: int | None,
    claim: float,
    labels: Sequence[str],
    *,
    axis: str,
    limit: str = "claim",
) -> go.Figure:
    """Draw the log ratio of the two distributions at every output, and the band that the guarantee allows.

    Few outputs are points, on the horizontal axis of `draw_distributions`; many are a line. `limit` names the end of
    the band; `worst` is the index of the output to mark. An infinite ratio is at the edge; an infinite claim has no
    band.
    """
    figure = go.Figure()
    finite = [abs(ratio) for ratio in ratios if isfinite(ratio)]
    farthest = max([*finite, claim if isfinite(claim) else 0.0, 1e-9])
    edge = max(BEYOND * claim if isfinite(claim) else 0.0, farthest)
    heights = [ratio if isfinite(ratio) else copysign(edge, ratio) for ratio in ratios]
    if isfinite(claim):
        figure.add_hrect(y0=-claim, y1=claim, fillcolor=BAND, line_width=0, layer="below")
        figure.add_hline(y=-claim, line=CLAIM_LINE)
        _claim_line(figure, claim, limit)
    mark = (
        {"mode": "markers", "marker": {"size": 6, "color": ACCENT}}
        if len(xs) <= MOST_MARKED_POINTS
        else {"mode": "lines"}
    )
    figure.add_scatter(
        x=list(xs), y=heights, line={"color": ACCENT, "width": 2}, customdata=[_shown(ratio) for ratio in ratios],
        text=list(labels), hovertemplate="%{text}: %{customdata}<extra></extra>", name="log ratio", showlegend=False,
        **mark,
    )  # fmt: skip
    if worst is not None:
        figure.add_scatter(
            x=[xs[worst]], y=[heights[worst]], mode="markers", marker=PRIVATE_MARKER | {"size": 12},
            name=f"worst output: {labels[worst]}", hovertemplate=f"worst: {labels[worst]}<extra></extra>",
            showlegend=True, cliponaxis=False,
        )  # fmt: skip
    ends = ROOM * max(farthest, *(abs(height) for height in heights))
    return _framed(figure, x=axis, y="log ratio").update_yaxes(range=[-ends, ends]).update_xaxes(range=_ends(xs))


def draw_divergences(orders: Numbers, shares: Numbers, claim: float, limit: str = "claim") -> go.Figure:
    """Draw the Renyi divergence divided by its order, which must stay below the claimed rho at every order."""
    figure = go.Figure()
    figure.add_hrect(y0=0, y1=claim, fillcolor=BAND, line_width=0, layer="below")
    figure.add_scatter(
        x=list(orders), y=list(shares), mode="lines+markers", line={"color": ACCENT, "width": 2}, showlegend=False,
        hovertemplate="order %{x}: %{y:.4g}<extra></extra>",
    )  # fmt: skip
    highest = max(range(len(orders)), key=lambda at: shares[at])
    figure.add_scatter(
        x=[orders[highest]], y=[shares[highest]], mode="markers", marker=PRIVATE_MARKER | {"size": 12},
        name=f"largest: order {orders[highest]:g}", hoverinfo="skip", showlegend=True,
        cliponaxis=False,
    )  # fmt: skip
    _claim_line(figure, claim, limit)
    _framed(figure, x="order of the divergence", y="divergence / order").update_xaxes(type="log", dtick=1)
    return figure.update_yaxes(range=[0, ROOM * max(claim, *shares)])


def draw_losses_by_size(sizes: Sequence[int], broken: Numbers, fixed: Numbers, claim: float, *, of: str) -> go.Figure:
    """Draw the loss for growing numbers of quantiles or people (`of`), printed and fixed, against the claim."""
    figure = go.Figure()
    figure.add_hrect(y0=0, y1=claim, fillcolor=BAND, line_width=0, layer="below")
    rows = (("as printed", broken, PRIVATE, None), ("fixed", fixed, ACCENT, "dot"))
    for name, losses, colour, dash in rows:
        figure.add_scatter(
            x=[str(size) for size in sizes], y=list(losses), mode="lines+markers", name=name,
            line={"color": colour, "width": 2, "dash": dash}, marker={"size": 8},
            hovertemplate=f"%{{x}} {of}: %{{y:.3f}}<extra>{name}</extra>",
        )  # fmt: skip
    _claim_line(figure, claim)
    _framed(figure, x=f"number of {of}", y="loss").update_xaxes(type="category")
    return figure.update_yaxes(range=[-0.02 * claim, ROOM * max(claim, *broken, *fixed)])


def _claim_line(figure: go.Figure, claim: float, name: str = "claim") -> None:
    figure.add_hline(y=claim, line=CLAIM_LINE)
    figure.add_annotation(x=1, y=claim, xref="paper", xanchor="right", yanchor="bottom", showarrow=False, text=name)


def _ends(xs: Numbers) -> list[float]:
    """Return the range of the horizontal axis: half a step beyond the first and the last point."""
    half = (xs[1] - xs[0]) / 2 if len(xs) > 1 else 0.5
    return [xs[0] - half, xs[-1] + half]


def _shown(ratio: float) -> str:
    return f"{ratio:+.4f}" if isfinite(ratio) else "possible for one data set only"


def _framed(figure: go.Figure, *, x: str, y: str) -> go.Figure:
    return framed(figure, x=x, y=y, height=HEIGHT, margin=MARGIN).update_yaxes(automargin=False)
