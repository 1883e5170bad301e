"""Traces for more quantiles than marks can show: step lines, areas between them, and the rail of public bounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .axes import decades_of
from .frame import AXIS, BAND, INTERVAL, PRIVATE, TRUE

MOST_MARKED_QUANTILES = 20
"""Quantiles beyond which figures show curves in place of marks."""
GAP = "rgba(221, 127, 31, 0.30)"
"""Between the true curve and the private one."""
RAIL, ANSWERS = 3, 7
"""Pixels of the line of all possible values, and of its part that holds the answers."""
RAIL_FROM = 0.9
"""Where on the figure's height the rail begins."""


def distribution_curves(levels: Sequence[float], true: Sequence[Any], private: Sequence[Any]) -> list[dict[str, Any]]:
    """Return true and private quantiles as two step lines with the gap between them filled."""
    return [
        curve(levels, true, "true", TRUE),
        curve(levels, private, "private", PRIVATE) | {"fill": "tonexty", "fillcolor": GAP},
    ]


def release_curve(levels: Sequence[float], private: Sequence[Any]) -> dict[str, Any]:
    """Return released quantiles as one step line."""
    return curve(levels, private, "private", PRIVATE) | {"showlegend": False}


def interval_area(levels: Sequence[float], lows: Sequence[Any], highs: Sequence[Any]) -> dict[str, Any]:
    """Return the intervals around the answers as one area."""
    return _area(levels, lows, highs, "interval", INTERVAL)


def error_curves(
    levels: Sequence[float], errors: Sequence[float], lows: Sequence[float], highs: Sequence[float]
) -> list[dict[str, Any]]:
    """Return rank errors as a line over the area of their noise intervals."""
    hover = "rank error %{x:,}<extra>%{y:.1%}</extra>"
    line = {"color": PRIVATE, "width": 2}
    return [
        _area(levels, lows, highs, "95 % of simulated errors", BAND),
        {"type": "scatter", "x": list(errors), "y": list(levels), "mode": "lines", "line": line, "showlegend": False,
         "hovertemplate": hover},
    ]  # fmt: skip


def rail(answers: Sequence[Any], bounds: Sequence[Any], *, wide: bool) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return a thin line from bound to bound, thick where the answers are, as traces and layout of a second axis."""
    held = [min(answers), max(answers)] if answers else []
    decades = decades_of([*bounds, *held]) if wide else None
    ends, places = ([*bounds], held) if decades is None else (decades.along(bounds), decades.along(held))
    common = {
        "type": "scatter",
        "mode": "lines",
        "xaxis": "x2",
        "yaxis": "y2",
        "showlegend": False,
        "hoverinfo": "skip",
    }
    lines = ((ends, AXIS, RAIL), (places, PRIVATE, ANSWERS))
    traces = [
        common | {"x": where, "y": [0.0] * len(where), "line": {"color": colour, "width": width}}
        for where, colour, width in lines
    ]
    if len(set(places)) == 1:  # a line without a length is not seen
        traces[1] |= {"mode": "markers", "x": places[:1], "y": [0.0], "marker": {"color": PRIVATE, "size": ANSWERS}}
    hidden = {"visible": True, "showticklabels": False, "showgrid": False, "zeroline": False, "fixedrange": True}
    words = {"yref": "y2", "y": 1, "xref": "x2", "showarrow": False, "font": {"size": 12}}
    layout = {
        "xaxis2": hidden | {"range": ends, "anchor": "y2"},
        "yaxis2": hidden | {"range": [-0.6, 1.6], "domain": [RAIL_FROM, 1], "anchor": "x2"},
        "annotations": [
            words | {"x": ends[0], "xanchor": "left", "text": f"lowest possible: {_plain(bounds[0])}"},
            words | {"x": ends[1], "xanchor": "right", "text": f"highest: {_plain(bounds[1])}"},
        ],
    }
    return traces, layout


def curve(levels: Sequence[float], values: Sequence[Any], name: str, colour: str) -> dict[str, Any]:
    """Return the shares at or below values as one step line."""
    return {
        "type": "scatter", "x": list(values), "y": list(levels), "mode": "lines", "name": name,
        "line": {"shape": "hv", "color": colour, "width": 2},
        "hovertemplate": f"{name} %{{x}}<extra>%{{y:.1%}}</extra>",
    }  # fmt: skip


def _area(levels: Sequence[float], lows: Sequence[Any], highs: Sequence[Any], name: str, colour: str) -> dict[str, Any]:
    return {
        "type": "scatter", "x": [*lows, *reversed(highs)], "y": [*levels, *reversed(levels)], "mode": "lines",
        "fill": "toself", "fillcolor": colour, "line": {"width": 0, "color": colour}, "name": name, "hoverinfo": "skip",
    }  # fmt: skip


def _plain(bound: Any) -> str:
    """Return a bound as people write it; a date is a text already."""
    return f"{bound:,.10g}".replace("e+", "e") if isinstance(bound, int | float) else str(bound)
