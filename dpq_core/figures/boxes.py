"""Box plots of several columns below each other: box and whiskers from quantiles, with no extremes and no outliers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Literal, TypeAlias

from .axes import linear_range, log_range, log_ticks
from .frame import LOOK, PRIVATE, TRUE, USUAL_SIZE, PlainFigure, Trace, figure_of, tinted
from .traces import note, pen, rectangles, shortened, strokes, trace

ROW_HEIGHT, WITH_TRUTH = 62, 84  # pixels of a column, and of one with true quantiles below the private ones
MOST_LETTERS = 41  # of a column's name
HALF = 0.15  # half the height of a box, in rows

Scale: TypeAlias = Literal["own", "linear", "log"]
Summary: TypeAlias = tuple[float, float, float, float, float]
"""The values at 5, 25, 50, 75 and 95 percent, increasing."""


@dataclass(frozen=True)
class Box:
    """One column: its name, its private quantiles and, where it may be shown, the true ones."""

    name: str
    private: Summary
    true: Summary | None = None
    words: str = ""
    """Its numbers in words: beside its name where it has a scale of its own, and where a pointer rests on it."""

    @property
    def values(self) -> list[float]:
        """Return all its quantiles."""
        return [*self.private, *(self.true or ())]


def draw_boxes(boxes: Sequence[Box], *, scale: Scale, axis: str) -> PlainFigure:
    """Draw a box from 25 to 75 percent, a line at the median and whiskers to 5 and 95 percent for each column.

    On a logarithmic axis all values must be above 0; on scales of their own the boxes fill the width.
    """
    names = [shortened(box.name, MOST_LETTERS) + (f": {box.words}" if scale == "own" else "") for box in boxes]
    if scale == "own":
        boxes = [_rescaled(box) for box in boxes]
    truth = any(box.true for box in boxes)
    shift = 0.17 if truth else 0.0
    traces = _boxes([(at + shift, box.true, box.words) for at, box in enumerate(boxes) if box.true], "true", TRUE)
    traces += _boxes([(at - shift, box.private, box.words) for at, box in enumerate(boxes)], "private", PRIVATE)
    values = [value for box in boxes for value in box.values]
    along = log_ticks(log_range(values)) if scale == "log" else {"range": linear_range(values)}
    font = {"size": USUAL_SIZE + 1}
    return figure_of(
        traces, x=axis, height=LOOK["margin"]["b"] + 36 + (WITH_TRUTH if truth else ROW_HEIGHT) * len(boxes),
        margin={"l": 16, "t": 36}, legend={"y": 1},  # a share of a tall figure would be far above it
        xaxis=along | ({"showticklabels": False} if scale == "own" else {}),
        yaxis={"showticklabels": False, "showgrid": False, "range": [len(boxes) - 0.45, -0.75]},
        annotations=[
            note(0, at - 0.5, escape(name, quote=False), xref="paper", font=font) for at, name in enumerate(names)
        ],
    )  # fmt: skip


def _rescaled(box: Box) -> Box:
    """Return the box on a scale from 0 to 1, which all its values fill."""
    low, width = min(box.values), max(box.values) - min(box.values) or 1.0

    def placed(summary: Summary) -> Summary:
        a, b, c, d, e = ((value - low) / width for value in summary)
        return a, b, c, d, e

    return replace(box, private=placed(box.private), true=placed(box.true) if box.true else None)


def _boxes(rows: Sequence[tuple[float, Summary, str]], name: str, colour: str) -> list[Trace]:
    """Return boxes of one kind as three traces, however many columns there are."""
    if not rows and name == "true":
        return []
    line, together = pen(colour, dash="dot" if colour == TRUE else "solid"), {"legendgroup": name}
    outlines = [(first, third, y - HALF, y + HALF) for y, (_, first, _, third, _), _ in rows]
    whiskers = [
        stroke
        for y, (low, first, _, third, high), _ in rows
        for stroke in (
            (low, y, first, y), (third, y, high, y), *((end, y - HALF / 2, end, y + HALF / 2) for end in (low, high)),
        )
    ]  # fmt: skip
    middle = {"symbol": "line-ns", "size": 11, "color": colour, "line": {"width": 3, "color": colour}}
    return [
        rectangles(outlines, tinted(colour, 0.22 if colour == PRIVATE else 0.18), name, line) | together,
        strokes(whiskers, line) | together,
        trace([summary[2] for _, summary, _ in rows], [y for y, *_ in rows], "markers", marker=middle,
              hovertext=[escape(said) for *_, said in rows]) | together | {"hoverinfo": "text"},
    ]  # fmt: skip
