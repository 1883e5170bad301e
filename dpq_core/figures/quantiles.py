"""Figures of quantiles: the distribution with true and private ones, rank errors, runs, a release.

They are made of marks or curves at levels, their ranges, and the rail of public bounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .axes import Decades, Steps, Values, around, decades_of
from .frame import (
    ACCENT,
    AXIS,
    BAND,
    INTERVAL,
    LOOK,
    PRIVATE,
    PRIVATE_MARKER,
    TRUE,
    TRUE_MARKER,
    USUAL_SIZE,
    PlainFigure,
    Trace,
    figure_of,
)
from .traces import area, note, pen, standing, strokes, trace

MOST_MARKED_QUANTILES = 20  # quantiles beyond which figures show curves in place of marks
RAIL, ANSWERS = 3, 7  # pixels of the line of all possible values, and of its part that holds the answers
RAIL_FROM = 0.9  # where on the figure's height the rail begins
ENDS_AT = "interval ends at %{x}<extra>%{y:.1%}</extra>"

Ends = tuple[Values, Values]  # the low and the high ends of intervals


def curve(steps: Steps, name: str, colour: str, **settings: Any) -> Trace:
    """Return the shares at or below values as one step line."""
    hover = f"{name} %{{x}}<extra>%{{y:.1%}}</extra>"
    return trace(*steps, "lines", name, hover, line=pen(colour, shape="hv"), **settings)


def answers(levels: Sequence[float], values: Values, name: str) -> Trace:
    """Return true or private quantiles as marks at their levels."""
    marker = TRUE_MARKER if name == "true" else PRIVATE_MARKER
    return trace(values, levels, "markers", name, f"{name} %{{x}}<extra>%{{y:.1%}}</extra>", marker=marker)


def errors(levels: Sequence[float], starts: Sequence[Any], ends: Sequence[Any]) -> Trace:
    """Return a line at each level, from where its answer should be to where it is."""
    lines = [(start, y, end, y) for start, y, end in zip(starts, levels, ends, strict=True)]
    return strokes(lines, pen(PRIVATE, 3))


def ranges(
    levels: Sequence[float], ends: Ends | None, name: str = "interval", fill: str = INTERVAL, edge: str = PRIVATE,
    hover: str = ENDS_AT,
) -> list[Trace]:  # fmt: skip
    """Return ranges as pale bars at their levels with a stroke at each end; as one area, if there are many of them."""
    if ends is None:
        return []
    if len(levels) > MOST_MARKED_QUANTILES:
        return [area(levels, *ends, fill, name, sideways=True)]
    width = float(max(2.0, min(16.0, 0.55 * (LOOK["height"] - 90) / max(len(levels), 1))))
    stroke = {"symbol": "line-ns", "size": 0.62 * width, "line": {"width": 1.5, "color": edge}}
    bars = [(low, y, high, y) for low, high, y in zip(*ends, levels, strict=True)]
    return [
        strokes(bars, pen(fill, width), name),
        trace([*ends[0], *ends[1]], [*levels, *levels], "markers", "", hover, marker=stroke),
    ]


def rail(held: Sequence[Any], bounds: Sequence[Any], *, wide: bool) -> tuple[list[Trace], dict[str, Any]]:
    """Return a thin line from bound to bound, thick where the answers are, as traces and layout of a second axis."""
    decades = decades_of([*bounds, *held]) if wide else None
    ends, places = (list(each) if decades is None else decades.along(each) for each in (bounds, sorted(held)))
    second = {"xaxis": "x2", "yaxis": "y2"}
    traces = [trace(ends, [0.0, 0.0], "lines", line=pen(AXIS, RAIL), **second)]
    if len(set(places)) == 1:  # a line without a length is not seen
        traces.append(trace(places[:1], [0.0], "markers", marker={"color": PRIVATE, "size": ANSWERS}, **second))
    elif places:
        at = [places[0], places[-1]]
        traces.append(trace(at, [0.0, 0.0], "lines", line=pen(PRIVATE, ANSWERS), **second))
    hidden = {"showticklabels": False, "showgrid": False, "linecolor": None}
    said = {"yref": "y2", "xref": "x2", "font": {"size": USUAL_SIZE}}
    return traces, {
        "yaxis": {"domain": [0, RAIL_FROM - 0.03]},
        "xaxis2": hidden | {"range": ends, "anchor": "y2"},
        "yaxis2": hidden | {"range": [-0.6, 1.6], "domain": [RAIL_FROM, 1], "anchor": "x2"},
        "annotations": [
            note(ends[0], 1, f"lowest possible: {_plain(bounds[0])}", **said),
            note(ends[1], 1, f"highest: {_plain(bounds[1])}", **said, xanchor="right"),
        ],
    }


def _plain(bound: Any) -> str:
    """Return a bound as people write it; a date is a text already."""
    return f"{bound:,.10g}".replace("e+", "e") if isinstance(bound, int | float) else str(bound)


LIVE_HEIGHT = 320  # the height of a live picture, until its page has set another
WITHOUT_LEGEND = {"t": 12}
GAP = "rgba(221, 127, 31, 0.30)"  # between the true curve and the private one
STROKE = {"symbol": "line-ns", "size": 14, "line": {"width": 1.5, "color": PRIVATE}, "opacity": 0.4}  # one run


def draw_distribution(
    levels: Sequence[float], true: Values, private: Values, cdf: Steps, *, axis: str, many: str,
    intervals: Ends | None = None, wide: bool = False, scale: Sequence[Any] | None = None,
) -> PlainFigure:  # fmt: skip
    """Draw the exact distribution as steps, with the true quantiles joined to the private ones. Shows the truth.

    Many quantiles are two step lines with the gap filled. `wide`: the values may lie many decades apart, and then so
    does the axis. `scale`: where the value axis begins and ends; without it, around the quantiles.
    """
    marks = [*true, *private]
    if len(levels) > MOST_MARKED_QUANTILES:
        found = [curve((true, levels), "true", TRUE)]
        found.append(curve((private, levels), "private", PRIVATE, fill="tonexty", fillcolor=GAP))
    else:
        hover = "%{x}<br>%{y:.1%}<extra></extra>"
        found = [
            trace(*cdf, "lines", "", hover, line=pen(TRUE, 1.6, shape="hv")), errors(levels, true, private),
            answers(levels, true, "true"), answers(levels, private, "private"),
        ]  # fmt: skip
    return _over_shares(
        [*ranges(levels, intervals), *found], x=axis, y=f"share of {many}", shown=(marks, cdf[0]), height=LIVE_HEIGHT,
        decades=decades_of(marks) if wide else None, scale=scale,
    )  # fmt: skip


def draw_rank_errors(
    levels: Sequence[float], ranks: Sequence[float], lows: Sequence[float], highs: Sequence[float], *, many: str,
    reach: int,
) -> PlainFigure:  # fmt: skip
    """Draw signed rank errors over the noise interval, on the vertical axis of `draw_distribution`. Shows the truth.

    `reach`: where the axis ends on either side, in records.
    """
    said = "95 % of simulated errors"
    hover = f"{said} end at %{{x:,}}<extra>%{{y:.1%}}</extra>", "rank error %{x:,}<extra>%{y:.1%}</extra>"
    traces = ranges(levels, (lows, highs), said, BAND, ACCENT, hover[0])
    if len(levels) > MOST_MARKED_QUANTILES:
        traces.append(trace(ranks, levels, "lines", "", hover[1], line=pen(PRIVATE)))
    else:
        traces.append(errors(levels, [0.0] * len(levels), ranks))
        traces.append(trace(ranks, levels, "markers", "", hover[1], marker=PRIVATE_MARKER))
    return _over_shares(
        traces, x=f"rank error ({many})", scale=[-1.1 * reach, 1.1 * reach], shapes=[standing(0, pen(TRUE, 1.5))],
        height=LIVE_HEIGHT, nticks=4,  # a narrow picture
    )  # fmt: skip


def draw_cloud(
    levels: Sequence[float], true: Values, ends: Ends, runs: Sequence[Values], words: Sequence[Sequence[str]], *,
    axis: str, many: str, wide: bool = False,
) -> PlainFigure:  # fmt: skip
    """Draw the answers of many runs beside the true quantiles; a mark's `customdata` is its run, from 1.

    `levels` rise, and all rows are in their order; between the two rows of `ends` are 95 of 100 answers. `words` are
    the values of `runs` as text. Of many quantiles only the first run is drawn, as a curve. Shows the truth.
    """
    traces = ranges(levels, ends, "95 of 100 runs")
    if len(levels) > MOST_MARKED_QUANTILES:
        traces += [curve((true, levels), "true", TRUE), curve((runs[0], levels), "run 1", PRIVATE)]
    else:
        traces.append(trace(true, levels, "markers", "true", marker=TRUE_MARKER))
        for count, marker, name in ((len(runs), STROKE, f"{len(runs)} runs"), (1, PRIVATE_MARKER, "run 1")):
            xs = [x for run in runs[:count] for x in run]
            traces.append(
                trace(
                    xs, [*levels] * count, "markers", name, "%{text}<extra>run %{customdata}</extra>", marker=marker,
                    text=[word for run in words[:count] for word in run],
                    customdata=[at for at in range(1, count + 1) for _ in levels],
                )
            )  # fmt: skip
    marks: list[Any] = [*true, *ends[0], *ends[1]]
    shown, decades = (marks, sorted(x for run in runs for x in run)), decades_of(marks) if wide else None
    return _over_shares(traces, x=axis, y=f"share of {many}", shown=shown, decades=decades)


def draw_release(
    levels: Sequence[float], private: Values, *, axis: str, bounds: Sequence[Any], many: str,
    intervals: Ends | None = None, wide: bool = False,
) -> PlainFigure:  # fmt: skip
    """Draw released quantiles where they are, and above them a rail of the public bounds.

    Coordinates are answers, their intervals, requested levels and bounds. `wide`: the bounds may lie decades apart.
    """
    if len(levels) > MOST_MARKED_QUANTILES:
        drawn = curve((private, levels), "private", PRIVATE)
    else:
        drawn = answers(levels, private, "private") | {"mode": "lines+markers", "line": pen(PRIVATE, 1.5, "dot")}
    marks = [*private, *(end for side in intervals or () for end in side)]
    traces = [*ranges(levels, intervals), drawn | {"showlegend": False}]
    return _over_shares(
        traces, x=axis, y=f"share of {many}", shown=(marks, bounds), decades=decades_of(marks) if wide else None,
        beside=rail(private, bounds, wide=wide), margin={} if intervals else WITHOUT_LEGEND,
    )  # fmt: skip


def _over_shares(
    traces: list[Trace], *, x: str, y: str = "", scale: Sequence[Any] | None = None,
    shown: tuple[Sequence[Any], Sequence[Any]] | None = None, decades: Decades | None = None,
    beside: tuple[list[Trace], dict[str, Any]] = ([], {}), nticks: int | None = None, **layout: Any,
) -> PlainFigure:  # fmt: skip
    """Return a figure whose vertical axis is shares from 0 to 1.

    `shown`: the quantiles around which the value axis runs, and the values at whose ends it stops at the latest.
    `beside`: traces and layout of other axes.
    """
    along: dict[str, Any] = {}
    if decades is not None:
        traces = [_over(each, decades) for each in traces]
        shown = shown and (decades.along(shown[0]), decades.along(shown[1]))
    scale = around(*shown) if shown is not None and scale is None else scale
    if decades is not None:
        places = scale or [place for each in traces for place in each["x"] if place is not None]
        along = decades.ticks(min(places), max(places))
    up = {"tickformat": ".0%", "range": [-0.04, 1.04], "dtick": 0.2, **beside[1].get("yaxis", {})}
    layout |= beside[1] | {"xaxis": {"range": scale, "nticks": nticks, **along}, "yaxis": up}
    return figure_of([*traces, *beside[0]], x=x, y=y, **layout)


def _over(one: Trace, decades: Decades) -> Trace:
    """Return a trace at its places over decades; its hover text still shows the values."""
    found = {"customdata": one["x"]} | one | {"x": decades.along(one["x"])}
    if "hovertemplate" in one:
        found["hovertemplate"] = one["hovertemplate"].replace("%{x}", "%{customdata:,}")
    return found
