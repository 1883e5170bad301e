"""Figures of the Quantiles page: the distribution with true and private quantiles, rank errors, runs, a release."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from .axes import Decades, Steps, Values, around, body_of, decades_of
from .curves import (
    MOST_MARKED_QUANTILES,
    RAIL_FROM,
    curve,
    distribution_curves,
    error_curves,
    interval_area,
    rail,
    release_curve,
)
from .frame import (
    ACCENT,
    AXIS,
    BAND,
    GRID,
    INTERVAL,
    LEGEND,
    PRIVATE,
    PRIVATE_MARKER,
    QUIET,
    TRUE,
    TRUE_MARKER,
    PlainFigure,
    axis_title,
)

HEIGHT = 400
LIVE_HEIGHT = 320
"""The height of a live picture, until its page has set another."""
MARGIN = {"l": 62, "r": 14, "t": 40, "b": 52}
"""Fixed, so that figures side by side share their vertical axis."""
WITHOUT_LEGEND = MARGIN | {"t": 12}
NO_ERROR = {
    "type": "line", "x0": 0, "x1": 0, "xref": "x", "y0": 0, "y1": 1, "yref": "y domain",
    "line": {"color": TRUE, "width": 1.5},
}  # fmt: skip
STROKE = {"symbol": "line-ns", "size": 14, "line": {"width": 1.5, "color": PRIVATE}, "opacity": 0.4}
"""One of many runs."""

Ends = tuple[Values, Values]
"""The low and the high ends of intervals."""


def draw_distribution(
    levels: Sequence[float], true: Values, private: Values, cdf: tuple[Values, Sequence[float]], *, axis: str,
    many: str, intervals: Ends | None = None, wide: bool = False, scale: Sequence[Any] | None = None,
) -> go.Figure:  # fmt: skip
    """Draw the exact distribution as steps, with the true quantiles joined to the private ones. Shows the truth.

    Many quantiles are two step lines with the gap filled. `wide`: the values may lie many decades apart, and then so
    does the axis. `scale`: where the value axis begins and ends; without it, around the quantiles.
    """
    marks, y = [*true, *private], f"share of {many}"
    frame: dict[str, Any] = {
        "x": axis, "y": y, "shown": (marks, cdf[0]), "decades": _decades(marks, wide), "axis_range": scale,
        "height": LIVE_HEIGHT,
    }  # fmt: skip
    if len(levels) > MOST_MARKED_QUANTILES:
        curves = [*_bands(levels, intervals), *distribution_curves(levels, true, private)]
        return _framed(curves, **frame)
    steps = {"shape": "hv", "color": TRUE, "width": 1.6}
    traces = [
        *_bands(levels, intervals),
        _trace(
            x=cdf[0], y=cdf[1], mode="lines", line=steps, name="share at or below", showlegend=False,
            hovertemplate="%{x}<br>%{y:.1%}<extra></extra>",
        ),
        _trace(
            x=_with_gaps(true, private), y=_with_gaps(levels, levels), mode="lines",
            line={"color": PRIVATE, "width": 3}, showlegend=False, hoverinfo="skip",
        ),
        _trace(
            x=true, y=levels, mode="markers", marker=TRUE_MARKER, name="true",
            hovertemplate="true %{x}<extra>%{y:.1%}</extra>",
        ),
        _trace(
            x=private, y=levels, mode="markers", marker=PRIVATE_MARKER, name="private",
            hovertemplate="private %{x}<extra>%{y:.1%}</extra>",
        ),
    ]  # fmt: skip
    return _framed(traces, **frame)


def draw_rank_errors(
    levels: Sequence[float], errors: Sequence[float], lows: Sequence[float], highs: Sequence[float], *, many: str,
    reach: int,
) -> go.Figure:  # fmt: skip
    """Draw signed rank errors over the noise interval, on the vertical axis of `draw_distribution`. Shows the truth.

    `reach`: where the axis ends on either side, in records.
    """
    frame: dict[str, Any] = {
        "x": f"rank error ({many})", "axis_range": [-1.1 * reach, 1.1 * reach], "shapes": [NO_ERROR],
        "height": LIVE_HEIGHT,
    }  # fmt: skip
    if len(levels) > MOST_MARKED_QUANTILES:
        return _framed(error_curves(levels, errors, lows, highs), y="", **frame)
    ends = {"symbol": "line-ns", "size": 0.62 * _bar_width(len(levels)), "line": {"width": 1.5, "color": ACCENT}}
    traces = [
        _trace(
            x=_with_gaps(lows, highs), y=_with_gaps(levels, levels), mode="lines", name="95 % of simulated errors",
            line={"color": BAND, "width": _bar_width(len(levels))}, hoverinfo="skip",
        ),
        _trace(
            x=[*lows, *highs], y=[*levels, *levels], mode="markers", marker=ends, showlegend=False,
            hovertemplate="95 % of simulated errors end at %{x:,}<extra>%{y:.1%}</extra>",
        ),
        _trace(
            x=_with_gaps([0.0] * len(levels), errors), y=_with_gaps(levels, levels), mode="lines",
            line={"color": PRIVATE, "width": 3}, showlegend=False, hoverinfo="skip",
        ),
        _trace(
            x=errors, y=levels, mode="markers", marker=PRIVATE_MARKER, showlegend=False,
            hovertemplate="rank error %{x:,}<extra>%{y:.1%}</extra>",
        ),
    ]  # fmt: skip
    return _framed(traces, y="", **frame)


def draw_cloud(
    levels: Sequence[float], true: Values, ends: Ends, runs: Sequence[Values], words: Sequence[Sequence[str]], *,
    axis: str, many: str, wide: bool = False,
) -> go.Figure:  # fmt: skip
    """Draw the answers of many runs beside the true quantiles; a mark's `customdata` is its run, from 1.

    `levels` rise, and all rows are in their order; between the two rows of `ends` are 95 of 100 answers. `words` are
    the values of `runs` as text. Of many quantiles only the first run is drawn, as a curve. Shows the truth.
    """
    first, *others = _bands(levels, ends)
    traces = [first | {"name": "95 of 100 runs"}, *others]
    if len(levels) > MOST_MARKED_QUANTILES:
        traces += [curve(levels, true, "true", TRUE), curve(levels, runs[0], "run 1", PRIVATE)]
    else:
        traces.append(_trace(x=true, y=levels, mode="markers", marker=TRUE_MARKER, name="true", hoverinfo="skip"))
        for count, marker, name in ((len(runs), STROKE, f"{len(runs)} runs"), (1, PRIVATE_MARKER, "run 1")):
            traces.append(
                _trace(
                    x=[x for run in runs[:count] for x in run], y=[*levels] * count, mode="markers", marker=marker,
                    text=[word for run in words[:count] for word in run], name=name,
                    customdata=[at for at in range(1, count + 1) for _ in levels],
                    hovertemplate="%{text}<extra>run %{customdata}</extra>",
                )
            )  # fmt: skip
    marks: list[Any] = [*true, *ends[0], *ends[1]]
    shown = marks, sorted(x for run in runs for x in run)
    return _framed(traces, x=axis, y=f"share of {many}", shown=shown, decades=_decades(marks, wide))


def draw_release(
    levels: Sequence[float], private: Values, *, axis: str, bounds: tuple[float, float] | tuple[str, str], many: str,
    intervals: Ends | None = None, wide: bool = False,
) -> go.Figure:  # fmt: skip
    """Draw released quantiles where they are, and above them a rail of the public bounds.

    Coordinates are answers, their intervals, requested levels and bounds. `wide`: the bounds may lie decades apart.
    """
    answers = _trace(
        x=private, y=levels, mode="lines+markers", marker=PRIVATE_MARKER, showlegend=False,
        line={"color": PRIVATE, "width": 1.5, "dash": "dot"}, hovertemplate="private %{x}<extra>%{y:.1%}</extra>",
    )  # fmt: skip
    drawn = release_curve(levels, private) if len(levels) > MOST_MARKED_QUANTILES else answers
    marks = [*private, *(intervals[0] if intervals else ()), *(intervals[1] if intervals else ())]
    decades = decades_of(marks) if wide else None
    traces, margin = [*_bands(levels, intervals), drawn], MARGIN if intervals else WITHOUT_LEGEND
    plain = _framed(traces, x=axis, y=f"share of {many}", shown=(marks, bounds), margin=margin, decades=decades)
    figure = plain.checked
    lines, layout = rail(private, bounds, wide=wide)
    figure.add_traces(lines)
    return figure.update_layout(layout).update_layout(yaxis={"domain": [0, RAIL_FROM - 0.03]})


def draw_column(
    private: Steps,
    true: Steps | None,
    *,
    axis: str,
    bounds: tuple[float, float] | tuple[str, str],
    wide: bool = False,
) -> go.Figure:
    """Draw the distribution of a synthetic column as dashed steps, and the exact one where it is given.

    Without `true` every coordinate is an answer or a bound, and the axis runs from bound to bound. `wide`: the bounds
    lie decades beyond any answer, so that the axis is that of the answers.
    """
    synthetic = _trace(
        x=[bounds[0], *private[0], bounds[1]], y=[0, *private[1], 1], mode="lines", name="synthetic",
        line={"shape": "hv", "color": PRIVATE, "width": 2, "dash": "dash"}, showlegend=true is not None,
        hovertemplate="synthetic %{x}<br>%{y:.1%}<extra></extra>",
    )  # fmt: skip
    y = "share at or below"
    body = body_of(private)
    if true is None and wide:
        shown, decades = (body, bounds), decades_of(body)
        return _framed([synthetic], x=axis, y=y, shown=shown, margin=WITHOUT_LEGEND, decades=decades)
    if true is None:
        return _framed([synthetic], x=axis, y=y, axis_range=list(bounds), margin=WITHOUT_LEGEND)
    exact = _trace(
        x=true[0], y=true[1], mode="lines", line={"shape": "hv", "color": TRUE, "width": 2.5},
        name="true", hovertemplate="true %{x}<br>%{y:.1%}<extra></extra>",
    )  # fmt: skip
    body += body_of(true)
    return _framed([exact, synthetic], x=axis, y=y, shown=(body, true[0]), decades=_decades(body, wide))


def _bands(levels: Sequence[float], intervals: Ends | None) -> list[dict[str, Any]]:
    """Return the intervals as pale bars at their levels, with a stroke at each end; nothing where there are none."""
    if intervals is None:
        return []
    if len(levels) > MOST_MARKED_QUANTILES:
        return [interval_area(levels, *intervals)]
    width = _bar_width(len(levels))
    stroke = {"symbol": "line-ns", "size": 0.62 * width, "line": {"width": 1.5, "color": PRIVATE}}
    return [
        _trace(
            x=_with_gaps(*intervals), y=_with_gaps(levels, levels), mode="lines", name="interval",
            line={"color": INTERVAL, "width": width}, hoverinfo="skip",
        ),
        _trace(
            x=[*intervals[0], *intervals[1]], y=[*levels, *levels], mode="markers", marker=stroke, showlegend=False,
            hovertemplate="interval ends at %{x}<extra>%{y:.1%}</extra>",
        ),
    ]  # fmt: skip


def _trace(**settings: Any) -> dict[str, Any]:
    return {"type": "scatter", **settings}


def _framed(
    traces: list[dict[str, Any]],
    *,
    x: str,
    y: str,
    axis_range: Sequence[Any] | None = None,
    margin: dict[str, int] = MARGIN,
    shapes: Sequence[dict[str, Any]] = (),
    shown: tuple[Sequence[Any], Sequence[Any]] | None = None,
    decades: Decades | None = None,
    height: int = HEIGHT,
) -> PlainFigure:
    """Return the figure of some traces.

    `shown`: the quantiles around which the value axis runs, and the values at whose ends it stops at the latest.
    """
    if decades is not None:
        traces = [_over(trace, decades) for trace in traces]
        shown = shown and (decades.along(shown[0]), decades.along(shown[1]))
    if shown is not None and axis_range is None:
        axis_range = around(*shown)
    along = {"title": axis_title(x), "showgrid": False, "linecolor": AXIS, "range": axis_range, **QUIET}
    if decades is not None:
        places = axis_range or [place for trace in traces for place in trace["x"] if place is not None]
        along |= decades.ticks(min(places), max(places))
    up = {
        "title": axis_title(y), "gridcolor": GRID, "tickformat": ".0%", "range": [-0.04, 1.04], "dtick": 0.2, **QUIET,
    }  # fmt: skip
    layout = {
        "xaxis": along, "yaxis": up, "height": height, "margin": margin, "legend": LEGEND,
        "shapes": list(shapes) or None, "hovermode": "closest",
    }  # fmt: skip
    return PlainFigure(traces, layout)


def _decades(marks: Sequence[Any], wide: bool) -> Decades | None:
    return decades_of(marks) if wide else None


def _over(trace: dict[str, Any], decades: Decades) -> dict[str, Any]:
    """Return a trace at its places over decades; its hover text still shows the values."""
    found = {"customdata": list(trace["x"])} | trace | {"x": decades.along(trace["x"])}
    if "hovertemplate" in trace:
        found["hovertemplate"] = trace["hovertemplate"].replace("%{x}", "%{customdata:,}")
    return found


def _bar_width(count: int) -> float:
    """Return the width in pixels of a bar at each of `count` levels: broad where there is room, never touching."""
    return max(2.0, min(16.0, 0.55 * (HEIGHT - 110) / max(count, 1)))


def _with_gaps(starts: Sequence[Any], ends: Sequence[Any]) -> list[Any]:
    """Return pairs of coordinates with None between them: separate strokes in one trace."""
    return [point for start, end in zip(starts, ends, strict=True) for point in (start, end, None)]
