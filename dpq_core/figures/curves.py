"""What figures of quantiles are made of: marks or curves at levels, their ranges, and the rail of public bounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .axes import Steps, Values, decades_of
from .frame import AXIS, INTERVAL, LOOK, PRIVATE, PRIVATE_MARKER, TRUE_MARKER, USUAL_SIZE, Trace
from .traces import area, note, pen, strokes, trace

MOST_MARKED_QUANTILES = 20  # quantiles beyond which figures show curves in place of marks
RAIL, ANSWERS = 3, 7  # pixels of the line of all possible values, and of its part that holds the answers
RAIL_FROM = 0.9  # where on the figure's height the rail begins
ENDS_AT = "interval ends at %{x}<extra>%{y:.1%}</extra>"

Ends = tuple[Values, Values]  # the low and the high ends of intervals


def curve(steps: Steps, name: str, colour: str, dash: str | None = None, **settings: Any) -> Trace:
    """Return the shares at or below values as one step line."""
    hover = f"{name} %{{x}}<extra>%{{y:.1%}}</extra>"
    return trace(*steps, "lines", name, hover, line=pen(colour, dash=dash, shape="hv"), **settings)


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
    width = bar_width(len(levels))
    stroke = {"symbol": "line-ns", "size": 0.62 * width, "line": {"width": 1.5, "color": edge}}
    bars = [(low, y, high, y) for low, high, y in zip(*ends, levels, strict=True)]
    return [
        strokes(bars, pen(fill, width), name),
        trace([*ends[0], *ends[1]], [*levels, *levels], "markers", "", hover, marker=stroke),
    ]


def bar_width(count: int) -> float:
    """Return the width in pixels of a bar at each of `count` levels: broad where there is room, never touching."""
    return float(max(2.0, min(16.0, 0.55 * (LOOK["height"] - 90) / max(count, 1))))


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
