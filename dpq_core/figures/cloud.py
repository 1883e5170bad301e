"""A cloud of answers: the results of many runs with the same settings, and the one that the page shows."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

from .axes import decades_of
from .curves import MOST_MARKED_QUANTILES, curve, interval_area
from .frame import (
    AXIS,
    GRID,
    GROUND,
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
MARGIN = {"l": 62, "r": 14, "t": 40, "b": 52}
ROOM = 0.3
"""Beside the intervals, as a share of their whole width."""
STROKE = {"symbol": "line-ns", "size": 14, "line": {"width": 1.5, "color": PRIVATE}, "opacity": 0.4}
RUN = "%{text}<extra>run %{customdata}</extra>"


def draw_cloud(
    levels: Sequence[float], true: Sequence[Any], ends: tuple[Sequence[Any], Sequence[Any]],
    runs: Sequence[Sequence[Any]], words: Sequence[Sequence[str]], *, axis: str, many: str, wide: bool = False,
) -> PlainFigure:  # fmt: skip
    """Draw all runs with the true quantiles and the first run; a mark's `customdata` is its run, from 1.

    `levels` rise, and all rows are in their order; between the two rows of `ends` are 95 of 100 answers. `words` are
    the values of `runs` as text. Many levels are curves in a band. `wide`: values may lie many decades apart.
    """
    lows, highs = ends
    decades = decades_of([*true, *lows, *highs]) if wide else None

    def along(values: Sequence[Any]) -> list[Any]:
        return list(values) if decades is None else decades.along(values)

    traces = (_marks if len(levels) <= MOST_MARKED_QUANTILES else _curves)(levels, true, lows, highs, runs, words)
    places = [place for place in along([*true, *lows, *highs]) if isinstance(place, int | float) and isfinite(place)]
    x = {"title": axis_title(axis), "showgrid": False, "linecolor": AXIS, **QUIET}
    if places and max(places) > min(places):
        room = ROOM * (max(places) - min(places))
        edges = (min(places) - room, max(places) + room)
        x |= {"range": edges, **({} if decades is None else decades.ticks(*edges))}
    y = {"title": axis_title(f"share of {many}"), "gridcolor": GRID, "tickformat": ".0%", "range": [-0.04, 1.04],
         "dtick": 0.2, **QUIET}  # fmt: skip
    layout = {
        "xaxis": x, "yaxis": y, "height": HEIGHT, "margin": MARGIN, "legend": LEGEND, "paper_bgcolor": GROUND,
        "plot_bgcolor": GROUND, "hovermode": "closest",
    }  # fmt: skip
    return PlainFigure([{"type": "scatter"} | trace | {"x": along(trace["x"])} for trace in traces], layout)


def _marks(
    levels: Sequence[float], true: Sequence[Any], lows: Sequence[Any], highs: Sequence[Any],
    runs: Sequence[Sequence[Any]], words: Sequence[Sequence[str]],
) -> list[dict[str, Any]]:  # fmt: skip
    """Return the runs as strokes over the bars of their intervals."""
    bars = {
        "x": [x for pair in zip(lows, highs, strict=True) for x in (*pair, None)],
        "y": [y for level in levels for y in (level, level, None)], "mode": "lines",
        "line": {"color": INTERVAL, "width": 14}, "name": "95 of 100 runs", "hoverinfo": "skip",
    }  # fmt: skip
    strokes, one = (
        {
            "x": [x for run in runs[:count] for x in run], "y": [*levels] * count,
            "text": [word for run in words[:count] for word in run],
            "customdata": [at for at in range(1, count + 1) for _ in levels], "mode": "markers", "hovertemplate": RUN,
        }
        for count in (len(runs), 1)
    )  # fmt: skip
    truth = {"mode": "markers", "marker": TRUE_MARKER, "name": "true", "hoverinfo": "skip"}
    looks: tuple[dict[str, Any], ...] = (
        {"marker": STROKE, "name": f"{len(runs)} runs"}, {"marker": PRIVATE_MARKER, "name": "run 1"},
    )  # fmt: skip
    return [bars, {"x": true, "y": levels, **truth}, strokes | looks[0], one | looks[1]]


def _curves(
    levels: Sequence[float], true: Sequence[Any], lows: Sequence[Any], highs: Sequence[Any],
    runs: Sequence[Sequence[Any]], words: Sequence[Sequence[str]],
) -> list[dict[str, Any]]:  # fmt: skip
    """Return the intervals as one band, in it the true curve and that of the first run."""
    one = {"text": list(words[0]), "hovertemplate": "%{y}: %{text}<extra>run 1</extra>"}
    return [
        interval_area(levels, lows, highs) | {"name": "95 of 100 runs"},
        curve(levels, true, "true", TRUE) | {"hoverinfo": "skip"},
        curve(levels, runs[0], "run 1", PRIVATE) | one,
    ]
