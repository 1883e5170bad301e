"""A cloud of answers: the results of many runs with the same settings. When it plays, it shows one run at a time.

All runs are in the figure, and the browser plays them by itself. At rest it shows the whole cloud.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, isfinite
from typing import Any

import plotly.graph_objects as go

from .axes import Decades, decades_of
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

HEIGHT, DOTS_HEIGHT = 400, 300
MARGIN = {"l": 62, "r": 14, "t": 40, "b": 52}
RUNS = 60
"""That play."""
MOST_NUMBERS, MOST_LEVELS = 6_500, 400
"""Of all playing runs: with very many quantiles fewer runs play, and of more levels only some are drawn."""
MILLISECONDS = 400
"""That each is seen."""
ROOM = 0.3
"""Beside the intervals, as a share of their whole width."""
STACKS = 24
"""Places for dots along the axis."""
STROKE = {"symbol": "line-ns", "size": 14, "line": {"width": 1.5, "color": PRIVATE}, "opacity": 0.4}
RUN = "%{text}<extra>run %{customdata}</extra>"
FRAME = {"transition": {"duration": 0}, "mode": "immediate"}
PLAY = [None, FRAME | {"frame": {"duration": MILLISECONDS, "redraw": True}}]
STOP = [[None], FRAME | {"frame": {"duration": 0, "redraw": True}}]
"""Redraw the whole figure for each run: otherwise plotly loses its marks, and clicks no longer find them."""


@dataclass(frozen=True, kw_only=True)
class Cloud:
    """Answers of many runs: values as an axis takes them, and as people write them. Not private."""

    levels: Sequence[float]
    """From the lowest up; so are all rows."""
    true: Sequence[Any]
    lows: Sequence[Any]
    """Between `lows` and `highs` lie 95 of 100 answers."""
    highs: Sequence[Any]
    runs: Sequence[Sequence[Any]]
    words: Sequence[Sequence[str]]
    """The values of `runs`."""
    told: Sequence[tuple[str, str, str]]
    """For each level the true value and both ends."""
    shown: int = 0
    """Which run, from 0, is seen at rest."""
    dots: Sequence[int] = ()
    """Where there is one level: runs, from 0, in the order of their answers, with evenly many below each."""
    dot_values: Sequence[Any] = ()
    dot_words: Sequence[str] = ()

    @property
    def playing(self) -> int:
        """How many runs play."""
        return min(RUNS, len(self.runs), max(2, MOST_NUMBERS // max(len(self.levels), 1)))


def draw_cloud(cloud: Cloud, *, axis: str, many: str, wide: bool = False) -> go.Figure:
    """Draw all runs with the true quantiles, and one run that moves; a mark's `customdata` is its run, from 1.

    One quantile is a plot of dots, each for as many runs as the others; many are curves in a band. `wide`: the values
    may lie many decades apart.
    """
    marks = [*cloud.true, *cloud.lows, *cloud.highs]
    decades = decades_of(marks) if wide else None
    if len(cloud.levels) == 1 and cloud.dots:
        traces, height, y = _dots(cloud, decades), DOTS_HEIGHT, ""
    else:
        traces, height, y = (
            _marks(cloud) if len(cloud.levels) <= MOST_MARKED_QUANTILES else _curves(cloud),
            HEIGHT,
            f"share of {many}",
        )
    places = [place for place in _along(decades, marks) if isinstance(place, int | float) and isfinite(place)]
    along = {"title": axis_title(axis), "showgrid": False, "linecolor": AXIS, **QUIET}
    if places and max(places) > min(places):
        room = ROOM * (max(places) - min(places))
        ends = (min(places) - room, max(places) + room)
        along |= {"range": ends, **({} if decades is None else decades.ticks(*ends))}
    up = {"title": axis_title(y), "gridcolor": GRID, "tickformat": ".0%", "range": [-0.04, 1.04], "dtick": 0.2, **QUIET}
    layout = {
        "xaxis": along, "yaxis": up if y else {"visible": False, **QUIET}, "height": height, "margin": MARGIN,
        "legend": LEGEND, "paper_bgcolor": GROUND, "plot_bgcolor": GROUND, "hovermode": "closest",
        "updatemenus": [_buttons()],
    }  # fmt: skip
    frames = [
        {
            "name": str(at + 1), "traces": [len(traces) - 1],
            "data": [{"type": "scatter", "x": _along(decades, cloud.runs[at])} | _moved(cloud, at)],
        }
        for at in range(cloud.playing)
    ]  # fmt: skip
    shown = [{"type": "scatter"} | trace | {"x": _along(decades, trace["x"])} for trace in traces]
    return PlainFigure(shown, layout, frames)


def _marks(cloud: Cloud) -> list[dict[str, Any]]:
    """Return the runs as strokes over the bars of their intervals."""
    pairs = zip(cloud.lows, cloud.highs, strict=True)
    bars = {
        "x": [x for pair in pairs for x in (*pair, None)],
        "y": [y for level in cloud.levels for y in (level, level, None)],
        "mode": "lines", "line": {"color": INTERVAL, "width": 14}, "name": "95 of 100 runs", "hoverinfo": "skip",
    }  # fmt: skip
    rows = list(zip(cloud.runs, cloud.words, strict=True))[: cloud.playing]
    strokes = {
        "x": [x for row, _ in rows for x in row], "y": [level for _ in rows for level in cloud.levels],
        "text": [word for _, words in rows for word in words],
        "customdata": [at for at in range(1, len(rows) + 1) for _ in cloud.levels],
        "mode": "markers", "marker": STROKE, "name": f"{len(rows)} runs", "hovertemplate": RUN,
    }  # fmt: skip
    truth = {"mode": "markers", "marker": TRUE_MARKER, "name": "true", "hoverinfo": "skip"}
    one = {"mode": "markers", "marker": PRIVATE_MARKER}
    return [bars, {"x": cloud.true, "y": cloud.levels, **truth}, strokes, _one_run(cloud) | one]


def _curves(cloud: Cloud) -> list[dict[str, Any]]:
    """Return the intervals as one band, in it the true curve and that of one run."""
    band = interval_area(cloud.levels, cloud.lows, cloud.highs) | {"name": "95 of 100 runs"}
    one = curve(cloud.levels, cloud.runs[cloud.shown], "one run", PRIVATE)
    return [band, curve(cloud.levels, cloud.true, "true", TRUE) | {"hoverinfo": "skip"}, one | _one_run(cloud)]


def _one_run(cloud: Cloud) -> dict[str, Any]:
    """Return what every picture shows of one run: one at rest, and each of them while it plays."""
    return {
        "x": cloud.runs[cloud.shown], "y": cloud.levels, "name": "one run", **_told(cloud, cloud.shown),
        "hovertemplate": "%{y}: true %{customdata[1]}, this run %{text}, 95 % of runs %{customdata[2]} to "
        "%{customdata[3]}<extra></extra>",
    }  # fmt: skip


def _told(cloud: Cloud, at: int) -> dict[str, Any]:
    """Return the numbers of one run for the text under the pointer."""
    return {"text": list(cloud.words[at]), "customdata": [[at + 1, *each] for each in cloud.told]}


def _moved(cloud: Cloud, at: int) -> dict[str, Any]:
    """Return the numbers of a frame; curves cannot be clicked, so theirs keep the number of the run at rest."""
    return {"text": list(cloud.words[at])} if len(cloud.levels) > MOST_MARKED_QUANTILES else _told(cloud, at)


def _dots(cloud: Cloud, decades: Decades | None) -> list[dict[str, Any]]:
    """Return a stack of dots at each place, the true quantile as a line, and one run below them."""
    heights = _stacked(_along(decades, cloud.dot_values))
    top = max(heights, default=1) + 1
    dots = {
        "x": cloud.dot_values, "y": heights, "text": cloud.dot_words, "customdata": [run + 1 for run in cloud.dots],
        "mode": "markers", "marker": {"size": 9, "color": PRIVATE, "opacity": 0.55}, "hovertemplate": RUN,
        "name": f"{len(cloud.dots)} runs",
    }  # fmt: skip
    truth = {
        "x": [cloud.true[0]] * 2, "y": [-1, top], "mode": "lines", "name": "true", "hoverinfo": "skip",
        "line": {"color": TRUE, "width": 2.2, "dash": "dash"},
    }  # fmt: skip
    one = _one_run(cloud)
    hover = one["hovertemplate"].replace("%{y}: ", "")
    return [truth, dots, one | {"y": [-0.6], "mode": "markers", "marker": PRIVATE_MARKER, "hovertemplate": hover}]


def _stacked(places: Sequence[Any]) -> list[int]:
    """Return the height of each dot in its stack of nearby dots; equal dates are nearby."""
    numbers = [place for place in places if isinstance(place, int | float)]
    width = (max(numbers) - min(numbers)) / STACKS if numbers else 0.0
    seen: dict[Any, int] = {}
    found = []
    for place in places:
        stack = ceil(place / width) if width and isinstance(place, int | float) else place
        seen[stack] = seen.get(stack, 0) + 1
        found.append(seen[stack])
    return found


def _buttons() -> dict[str, Any]:
    """Return the buttons that play the runs, and stop them."""
    buttons = [
        {"label": "Play", "method": "animate", "args": PLAY},
        {"label": "Stop", "method": "animate", "args": STOP},
    ]
    return {
        "type": "buttons", "direction": "right", "x": 0.01, "y": 0.99, "xanchor": "left", "yanchor": "top",
        "showactive": False, "buttons": buttons, "pad": {"t": 0, "b": 2}, "bgcolor": "rgba(0, 0, 0, 0)",
        "bordercolor": TRUE, "font": {"size": 12, "color": TRUE},
    }  # fmt: skip


def _along(decades: Decades | None, values: Sequence[Any]) -> list[Any]:
    return list(values) if decades is None else decades.along(values)
