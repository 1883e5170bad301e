"""The lecturer's screen of a class: predictions as bars, and each person's noisy answer as a dot beside the truth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from ..frame import ACCENT, AXIS, LEGEND, PRIVATE, QUIET, SMALLEST_WORDS, TRUE, PlainFigure, axis_title

MARGIN = {"l": 16, "r": 16, "t": 16, "b": 50}
BAR_HEIGHT, DOTS_HEIGHT = 58, 300
COLUMNS = 60
"""The number of stacks of dots that fit side by side."""
LEAST_STEPS = 10
MOST_LETTERS = 90


def draw_predictions(choices: Sequence[str], counts: Sequence[int], right: int) -> PlainFigure:
    """Draw a bar for each choice, with its number of people; highlight the right one."""
    colours = [ACCENT if at == right else TRUE for at in range(len(choices))]
    words = [
        f"{count}  {_shortened(choice)}{'  ✓' if at == right else ''}"
        for at, (choice, count) in enumerate(zip(choices, counts, strict=True))
    ]
    bars = {
        "type": "bar", "x": list(counts), "y": list(range(len(choices))), "orientation": "h", "width": 0.4,
        "marker": {"color": colours}, "hoverinfo": "skip", "showlegend": False,
    }  # fmt: skip
    label = {"x": 0, "showarrow": False, "xanchor": "left", "align": "left", "font": {"size": 15}}
    return PlainFigure(
        [bars],
        {
            "xaxis": {"range": [0, max(*counts, 1)], "visible": False, **QUIET},
            "yaxis": {"range": [len(choices) - 0.6, -0.7], "visible": False, **QUIET},
            "annotations": [label | {"y": at - 0.38, "text": text} for at, text in enumerate(words)],
            **_around(40 + BAR_HEIGHT * len(choices), MARGIN | {"b": 16}),
        },
    )


def draw_answers(values: Sequence[float], truth: float, axis: str) -> PlainFigure:
    """Draw a dot for each person's private answer, stacked where they are close, and a line at the true value."""
    low, high = _ends({*values, truth})
    step = (high - low) / COLUMNS
    stacks: Counter[int] = Counter()
    heights = []
    columns = [round((value - low) / step) for value in values]
    for column in columns:
        stacks[column] += 1
        heights.append(stacks[column])
    top = max([*heights, 5]) + 1.5
    dots = {
        "type": "scatter", "x": [low + step * column for column in columns], "y": heights, "mode": "markers",
        "name": "one person's private answer", "marker": {"color": PRIVATE, "size": 11, "symbol": "diamond"},
        "customdata": list(values), "hovertemplate": "%{customdata:,}<extra></extra>",
    }  # fmt: skip
    line = {
        "type": "scatter", "x": [truth, truth], "y": [0, top], "mode": "lines", "name": "true value",
        "line": {"color": TRUE, "width": 2, "dash": "dash"}, "hovertemplate": f"true: {truth:,}<extra></extra>",
    }  # fmt: skip
    along = {"title": axis_title(axis), "showgrid": False, "linecolor": AXIS, "tickfont": {"size": SMALLEST_WORDS}}
    return PlainFigure(
        [dots, line],
        {
            "xaxis": {**along, "range": [low - 2 * step, high + 2 * step], **QUIET},
            "yaxis": {"range": [0, top], "visible": False, **QUIET},
            **_around(DOTS_HEIGHT, MARGIN | {"t": 44}),
        },
    )


def _around(height: int, margin: dict[str, int]) -> dict[str, Any]:
    """Return the layout that both figures share: background, legend and size in pixels."""
    return {
        "height": height, "margin": margin, "legend": LEGEND, "hovermode": "closest",
    }  # fmt: skip


def _ends(values: set[float]) -> tuple[float, float]:
    """Return the ends of the axis, many of the smallest differences apart, so that one difference looks small."""
    ordered = sorted(values)
    smallest = min((after - before for before, after in pairwise(ordered)), default=1.0)
    missing = max(LEAST_STEPS * smallest - (ordered[-1] - ordered[0]), 0.0)
    return ordered[0] - missing / 2, ordered[-1] + missing / 2


def _shortened(text: str) -> str:
    return text if len(text) <= MOST_LETTERS else f"{text[: MOST_LETTERS - 1]}…"
