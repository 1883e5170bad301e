"""The lecturer's screen of a class: predictions as bars, and each person's noisy answer as a dot beside the truth."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ..frame import ACCENT, PRIVATE, TRUE, USUAL_SIZE, PlainFigure, figure_of
from ..traces import note, pen, shortened, stacked, trace, upright

SIDES = {"l": 16, "r": 16}
BAR_HEIGHT, DOTS_HEIGHT = 58, 300
COLUMNS = 60  # the number of stacks of dots that fit side by side
LEAST_STEPS = 10
MOST_LETTERS = 90


def draw_predictions(choices: Sequence[str], counts: Sequence[int], right: int) -> PlainFigure:
    """Draw a bar for each choice, with its number of people; highlight the right one."""
    rows = list(range(len(choices)))
    bars = {
        "type": "bar", "x": list(counts), "y": rows, "orientation": "h", "width": 0.4, "hoverinfo": "skip",
        "showlegend": False, "marker": {"color": [ACCENT if at == right else TRUE for at in rows]},
    }  # fmt: skip
    said = [
        note(0, at - 0.38, f"{counts[at]}  {shortened(choices[at], MOST_LETTERS)}{'  ✓' if at == right else ''}",
             align="left", font={"size": 15})
        for at in rows
    ]  # fmt: skip
    return figure_of(
        [bars], height=40 + BAR_HEIGHT * len(choices), margin=SIDES | {"t": 16, "b": 16}, annotations=said,
        xaxis={"range": [0, max(*counts, 1)], "visible": False},
        yaxis={"range": [len(choices) - 0.6, -0.7], "visible": False},
    )  # fmt: skip


def draw_answers(values: Sequence[float], truth: float, axis: str) -> PlainFigure:
    """Draw a dot for each person's private answer, stacked where they are close, and a line at the true value."""
    low, high = _ends({*values, truth})
    step = (high - low) / COLUMNS
    columns = [round((value - low) / step) for value in values]
    heights = stacked(columns)
    top = max([*heights, 5]) + 1.5
    dots = trace(
        [low + step * column for column in columns], heights, "markers", "one person's private answer",
        "%{customdata:,}<extra></extra>", customdata=list(values),
        marker={"color": PRIVATE, "size": 11, "symbol": "diamond"},
    )  # fmt: skip
    line = upright(truth, 0, top, "true value", pen(TRUE, dash="dash"), f"true: {truth:,}<extra></extra>")
    return figure_of(
        [dots, line], x=axis, height=DOTS_HEIGHT, margin=SIDES | {"t": 44},
        xaxis={"tickfont": {"size": USUAL_SIZE}, "range": [low - 2 * step, high + 2 * step]},
        yaxis={"range": [0, top], "visible": False},
    )  # fmt: skip


def _ends(values: set[float]) -> tuple[float, float]:
    """Return the ends of the axis, many of the smallest differences apart, so that one difference looks small."""
    ordered = sorted(values)
    smallest = min((after - before for before, after in pairwise(ordered)), default=1.0)
    missing = max(LEAST_STEPS * smallest - (ordered[-1] - ordered[0]), 0.0)
    return ordered[0] - missing / 2, ordered[-1] + missing / 2
