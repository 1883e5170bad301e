"""Lay out rows of answers: each with its name, a diamond on its interval over one axis, and the numbers beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..axes import Decades, decades_of
from .scene import Bar, Diamond, Mark, Role, Scene, Words, shortened, text_width

CHART_WIDTH, NARROW = 760.0, 350.0
"""Pixels: for a page, and for a phone."""
SIZE, SMALL = 13.0, 12.0
ROW, ROW_NARROW = 28.0, 44.0
HEAD, FOOT = 22.0, 24.0
GAP = 14.0
MOST_LABEL = 0.28
"""Of the width, for the names of rows."""
BAR, BOX = 9.0, 16.0
HALF = 6.5
OPEN = 10.0
"""Pixels that a bar without an end runs beyond the axis."""


@dataclass(frozen=True)
class Axis:
    """The values at the left and the right end of a chart."""

    low: float
    high: float
    decades: Decades | None = None
    """Where the answers lie many decades apart."""

    def share(self, value: float) -> float:
        """Return the place of a value from 0 to 1; beyond the ends, that end's."""
        low, high, at = (
            each if self.decades is None else self.decades.at(each) for each in (self.low, self.high, value)
        )
        return min(max((at - low) / (high - low), 0.0), 1.0)


def axis_of(answers: Sequence[float], bounds: tuple[float, float], *, wide: bool = False) -> Axis:
    """Return the axis from the least to the largest answer; from bound to bound where these are one value or none.

    `wide`: answers may lie many decades apart.
    """
    low, high = min(answers, default=0.0), max(answers, default=0.0)
    return Axis(low, high, decades_of(answers) if wide else None) if low < high else Axis(*bounds)


@dataclass(frozen=True, kw_only=True)
class ChartRow:
    """One row. Every length of its picture is an answer or a public bound."""

    name: str
    answer: float | None = None
    """None in a row of words, which replaces rows that are not drawn."""
    number: str = ""
    """The answer as text."""
    interval: tuple[float | None, float | None] | None = None
    """Where the true value lies; an end that is None is open."""
    range_text: str = ""
    """The interval as text."""
    box: tuple[float, float] | None = None
    """Two further answers, of which the first is the lower one."""
    strong: bool = False
    faint: bool = False
    """Whether the answer is noise: the row is grey."""


@dataclass(frozen=True)
class Columns:
    """The places of the parts of a row, in pixels."""

    name: float
    """The room of a name."""
    left: float
    right: float
    number: float
    """The right edge of the answers as text."""
    width: float


def draw_rows(
    rows: Sequence[ChartRow],
    axis: Axis,
    *,
    ends: tuple[str, str],
    heads: tuple[str, str, str],
    alt: str,
    narrow: bool = False,
) -> Scene:
    """Return rows below each other over one axis.

    `ends`: its ends as text; `heads`: of names, answers and ranges. `narrow`: for a phone, with the numbers of a row
    above its bar.
    """
    columns = _columns(rows, heads, narrow=narrow)
    height = ROW_NARROW if narrow else ROW
    marks: list[Mark] = _heads(columns, heads)
    for at, row in enumerate(rows):
        marks += _row(row, axis, columns, HEAD + at * height, narrow=narrow)
    bottom = HEAD + len(rows) * height
    marks.append(Bar(columns.left, bottom, columns.right - columns.left, 1, "rule"))
    low, high = ends
    marks.append(Words(columns.left, bottom + 16, low, SMALL, "start", "quiet"))
    marks.append(Words(columns.right, bottom + 16, high, SMALL, "end", "quiet"))
    return Scene(columns.width, bottom + FOOT, tuple(marks), alt)


def _columns(rows: Sequence[ChartRow], heads: tuple[str, str, str], *, narrow: bool) -> Columns:
    width = NARROW if narrow else CHART_WIDTH
    ranges = _widest([heads[2], *(row.range_text for row in rows)])
    numbers = _widest([heads[1], *(row.number for row in rows)])
    end = width - (ranges + GAP if ranges else 0)
    if narrow:
        return Columns(max(end - numbers - GAP, 60.0), OPEN, width - OPEN, end, width)
    names = min(_widest([heads[0], *(row.name for row in rows if row.answer is not None)]), MOST_LABEL * width)
    number = names + GAP + numbers  # beside the name: at the end of a box it would be read as that end
    return Columns(names, number + GAP + OPEN, end - OPEN, number, width)


def _widest(texts: Sequence[str]) -> float:
    return max(text_width(text, SIZE) for text in texts)


def _heads(columns: Columns, heads: tuple[str, str, str]) -> list[Mark]:
    name, number, ranges = heads
    return [
        Words(0, 12, shortened(name, SMALL, columns.name), SMALL, "start", "quiet"),
        Words(columns.number, 12, number, SMALL, "end", "quiet"),
        *([Words(columns.width, 12, ranges, SMALL, "end", "quiet")] if ranges else []),
    ]


def _row(row: ChartRow, axis: Axis, columns: Columns, top: float, *, narrow: bool) -> list[Mark]:
    """Return the marks of one row: its words on one line, and its picture there too or, on a phone, below it."""
    line, middle = (top + 16, top + 31) if narrow else (top + 18, top + 14)
    if row.answer is None:
        return [Words(0, line, row.name, SMALL, "start", "quiet")]
    name = shortened(row.name, SIZE, columns.name)
    ink: Role = "quiet" if row.faint else "ink"
    return [
        *_picture(row, row.answer, axis, columns, middle),
        Words(0, line, name, SIZE, "start", ink, row.strong),
        Words(columns.number, line, row.number, SIZE, "end", ink, row.strong),
        *([Words(columns.width, line, row.range_text, SIZE, "end", "quiet")] if row.range_text else []),
    ]


def _picture(row: ChartRow, answer: float, axis: Axis, columns: Columns, middle: float) -> list[Mark]:
    def at(value: float) -> float:
        return columns.left + axis.share(value) * (columns.right - columns.left)

    marks: list[Mark] = [Bar(columns.left, middle - 0.5, columns.right - columns.left, 1, "rule")]
    if row.faint and not axis.low <= answer <= axis.high:  # noise moves no axis, and is not drawn where it is not
        return marks
    if row.box is not None:
        low, high = map(at, row.box)
        marks.append(Bar(low, middle - BOX / 2, max(high - low, 1.0), BOX, "rule" if row.faint else "box"))
    if row.interval is not None:
        start, end = row.interval
        left = columns.left - OPEN if start is None else at(start)
        right = columns.right + OPEN if end is None else at(end)
        marks.append(Bar(left, middle - BAR / 2, max(right - left, 1.0), BAR, "interval"))
    return [*marks, Diamond(at(answer), middle, HALF, "faint" if row.faint else "private")]
