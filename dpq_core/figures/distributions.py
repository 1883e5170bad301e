"""Figures of the microscope: two exact output distributions, and their log ratio against the guarantee."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, copysign, floor, isfinite, log10
from typing import Any

from .frame import ACCENT, AXIS, BAND, PRIVATE, PRIVATE_MARKER, TRUE, PlainFigure, Trace, figure_of
from .traces import band, level, note, pen, trace

SIZE: dict[str, Any] = {"height": 250, "margin": {"l": 76}}
STILL = {"automargin": False}
"""The left margin does not depend on ticks, so that figures below each other share their horizontal axis."""
ROOM = 1.25  # the vertical axis ends at this multiple of the claim or of the farthest point
LOWEST = 1e-8
MOST_CHANCES = 4  # ticks of the axis of probabilities
BEYOND = 3.0  # an infinite ratio is drawn at this multiple of the claim
CLAIM_LINE = pen(AXIS, 1.5, "dash")
MOST_MARKED_POINTS = 60  # up to this number of points are drawn as marks, more as a line

Numbers = Sequence[float]


def draw_distributions(
    xs: Numbers, before: Sequence[Numbers], after: Sequence[Numbers], names: tuple[str, str], *, axis: str,
    rows: Sequence[str] = (),
) -> PlainFigure:  # fmt: skip
    """Draw the probabilities of `xs` for both data sets as steps on a log scale, where a distance is a log ratio.

    Several quantiles have one distribution each: `rows` names them, with a name over each peak. The axis ends at
    `LOWEST` times the largest probability.
    """
    chances = [chance for laws in (before, after) for law in laws for chance in law if chance > 0]
    least = max(min(chances), LOWEST * max(chances))
    left, right = _ends(xs)
    traces = []
    lines = pen(TRUE, 2.5, shape="hvh"), pen(ACCENT, 2, "dash", "hvh")
    for laws, name, line in zip((before, after), names, lines, strict=True):
        for number, law in enumerate(laws):
            which, whole = f" · {rows[number]}" if rows else "", [law[0], *law, law[-1]]
            traces.append(
                trace(
                    [left, *xs, right], [max(chance, least / 10) for chance in whole], "lines", name,
                    f"%{{x}}: %{{customdata:.4g}}<extra>{name}{which}</extra>", customdata=whole, line=line,
                    legendgroup=name, showlegend=number == 0,
                )
            )  # fmt: skip
    over = []
    for law, row in zip(before, rows, strict=False):
        peak = max(range(len(xs)), key=law.__getitem__)
        over.append(note(xs[peak], log10(law[peak]), row, yanchor="bottom", xanchor="center"))
    ticks = _chances(log10(least) - 0.1, log10(max(chances)) + 0.25)
    return figure_of(
        traces, x=axis, y="probability", xaxis={"range": [left, right]}, yaxis=STILL | ticks, annotations=over, **SIZE
    )


def _chances(low: float, high: float) -> dict[str, Any]:
    """Return a logarithmic axis of probabilities between two powers of ten: two plain ticks at least."""
    powers = range(ceil(low), floor(high) + 1)
    powers = powers[:: ceil(len(powers) / MOST_CHANCES) or 1]
    ticks = [10.0**power for power in powers]
    if len(ticks) < 2:
        ticks = [mantissa * 10.0**power for power in range(floor(low), ceil(high)) for mantissa in (1, 2, 5)]
    shown = [tick for tick in ticks if low <= log10(tick) <= high]
    texts = [f"{tick:.3g}" if tick >= 0.001 else f"10<sup>{log10(tick):.3g}</sup>" for tick in shown]
    return {"type": "log", "range": [low, high], "tickvals": shown, "ticktext": texts}


def draw_log_ratios(
    xs: Numbers, ratios: Numbers, worst: int | None, claim: float, labels: Sequence[str], *, axis: str,
    limit: str = "claim",
) -> PlainFigure:  # fmt: skip
    """Draw the log ratio of the two distributions at every output, and the band that the guarantee allows.

    Few outputs are points, on the horizontal axis of `draw_distributions`; many are a line. `limit` names the end of
    the band; `worst` is the index of the output to mark. An infinite ratio is at the edge; an infinite claim has no
    band.
    """
    farthest = max([*(abs(each) for each in (*ratios, claim) if isfinite(each)), 1e-9])
    edge = max(BEYOND * claim if isfinite(claim) else 0.0, farthest)
    heights = [ratio if isfinite(ratio) else copysign(edge, ratio) for ratio in ratios]
    said = [f"{ratio:+.4f}" if isfinite(ratio) else "possible for one data set only" for ratio in ratios]
    traces = [
        trace(
            xs, heights, "markers" if len(xs) <= MOST_MARKED_POINTS else "lines", "",
            "%{text}: %{customdata}<extra></extra>", text=list(labels), customdata=said,
            line=pen(ACCENT), marker={"size": 6, "color": ACCENT},
        )
    ]  # fmt: skip
    if worst is not None:
        name = labels[worst]
        traces.append(_found(xs[worst], heights[worst], f"worst output: {name}", f"worst: {name}<extra></extra>"))
    ends = ROOM * max(farthest, *map(abs, heights))
    return figure_of(
        traces, **SIZE, x=axis, y="log ratio", yaxis=STILL | {"range": [-ends, ends]},
        xaxis={"range": _ends(xs)}, **(_claimed(-claim, claim, limit) if isfinite(claim) else {}),
    )  # fmt: skip


def draw_divergences(orders: Numbers, shares: Numbers, claim: float, limit: str = "claim") -> PlainFigure:
    """Draw the Renyi divergence divided by its order, which must stay below the claimed rho at every order."""
    highest = max(range(len(orders)), key=shares.__getitem__)
    traces = [
        trace(orders, shares, "lines+markers", "", "order %{x}: %{y:.4g}<extra></extra>", line=pen(ACCENT)),
        _found(orders[highest], shares[highest], f"largest: order {orders[highest]:g}"),
    ]
    return figure_of(
        traces, **SIZE, x="order of the divergence", y="divergence / order", xaxis={"type": "log", "dtick": 1},
        yaxis=STILL | {"range": [0, ROOM * max(claim, *shares)]}, **_claimed(0.0, claim, limit),
    )  # fmt: skip


def draw_losses_by_size(sizes: Sequence[int], broken: Numbers, fixed: Numbers, claim: float, *, of: str) -> PlainFigure:
    """Draw the loss for growing numbers of quantiles or people (`of`), printed and fixed, against the claim."""
    traces = [
        trace(
            map(str, sizes), losses, "lines+markers", name, f"%{{x}} {of}: %{{y:.3f}}<extra>{name}</extra>",
            line=pen(colour, 2, dash), marker={"size": 8},
        )
        for name, losses, colour, dash in (("as printed", broken, PRIVATE, None), ("fixed", fixed, ACCENT, "dot"))
    ]  # fmt: skip
    return figure_of(
        traces, **SIZE, x=f"number of {of}", y="loss", xaxis={"type": "category"}, **_claimed(0.0, claim),
        yaxis=STILL | {"range": [-0.02 * claim, ROOM * max(claim, *broken, *fixed)]},
    )  # fmt: skip


def _found(x: float, y: float, name: str, hover: str = "") -> Trace:
    """Return the mark of the output that a figure is about."""
    return trace(
        [x], [y], "markers", name, hover, marker=PRIVATE_MARKER | {"size": 12}, showlegend=True, cliponaxis=False
    )


def _claimed(low: float, claim: float, name: str = "claim") -> dict[str, Any]:
    """Return the band that a claim allows, its ends, and the name of the upper one."""
    ends = [level(end, CLAIM_LINE) for end in (low, claim) if end]
    said = note(1, claim, name, xref="paper", xanchor="right", yanchor="bottom")
    return {"shapes": [band(low, claim, BAND), *ends], "annotations": [said]}


def _ends(xs: Numbers) -> list[float]:
    """Return the range of the horizontal axis: half a step beyond the first and the last point."""
    half = (xs[1] - xs[0]) / 2 if len(xs) > 1 else 0.5
    return [xs[0] - half, xs[-1] + half]
