"""Rows of answers over one axis, and how often guesses are right: plain HTML that a style sheet draws, without plotly.

The browser sets all text, so nothing is measured or cut here. Places are shares of the width.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10

from .axes import STEPS, Decades, decades_of

MOST_STEPS = 5
"""Between the ticks of an axis; fewer where their texts are long."""
LETTERS = 24
"""About as many fit below an axis on a phone."""
DATES = (1 / 8, 1 / 2, 7 / 8)
"""Where an axis of dates has its ticks: no text goes beyond its ends."""
BEYOND = "-.8em"
"""Where a bar without an end goes: beyond the axis."""
COIN, CERTAIN = 50, 100
"""Right guesses of a hundred by tossing a coin, and where nothing is protected."""


@dataclass(frozen=True)
class Axis:
    """The values at the left and the right end of a chart, and its ticks: where, and what they say."""

    low: float
    high: float
    decades: Decades | None = None
    """Where the answers lie many decades apart."""
    ticks: tuple[tuple[float, str], ...] = ()
    """Each by its place from 0 to 1."""

    def share(self, value: float) -> float:
        """Return the place of a value from 0 to 1; beyond the ends, that end's."""
        low, high, at = map(self._along, (self.low, self.high, value))
        return min(max((at - low) / (high - low), 0.0), 1.0)

    def _along(self, value: float) -> float:
        return value if self.decades is None else self.decades.at(value)


def axis_of(
    answers: Sequence[float],
    bounds: tuple[float, float],
    number: Callable[[float], str],
    *,
    least: float = 0.0,
    wide: bool = False,
) -> Axis:
    """Return the axis around the answers; from bound to bound where these are one value or none.

    It begins and ends at a tick, unless a bound is nearer. `number`: a value as text. `least`: the smallest step that
    this shows; 0 for dates. `wide`: answers may lie many decades
    apart.
    """
    low, high = min(answers, default=0.0), max(answers, default=0.0)
    if low >= high:
        low, high = bounds
    if decades := decades_of(answers) if wide else None:
        start, end = decades.at(low), decades.at(high)
        found = decades.ticks(start, end)
        ticks = zip(found["tickvals"], found["ticktext"], strict=True)
        return Axis(low, high, decades, tuple(((place - start) / (end - start), text) for place, text in ticks))
    if not least:
        return Axis(low, high, ticks=tuple((at, number(low + at * (high - low))) for at in DATES))
    longest = max(len(number(low)), len(number(high)))
    step = max(_step(low, high, min(max(LETTERS // longest, 1), MOST_STEPS)), least)
    first, last = floor(low / step), ceil(high / step)
    low, high = max(first * step, min(low, bounds[0])), min(last * step, max(high, bounds[1]))
    marks = [place * step for place in range(first, last + 1) if low <= place * step <= high]
    return Axis(low, high, ticks=tuple(((mark - low) / (high - low), number(mark)) for mark in marks))


def _step(low: float, high: float, most: int) -> float:
    """Return the smallest of 1, 2 and 5 times a power of ten that goes `most` times into an axis at most."""
    power = 10.0 ** floor(log10((high - low) / most))
    return next(step * power for step in (*STEPS, 10) if step * power * most >= high - low)


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


def draw_rows(rows: Sequence[ChartRow], axis: Axis, *, title: str, heads: tuple[str, str, str], alt: str) -> str:
    """Return rows below each other over one axis; `title`: of the axis; `heads`: of names, answers and ranges."""
    name, number, ranges = (escape(head) for head in heads)
    lines = ",".join(f"linear-gradient(var(--rule) 0 0) {100 * at:.4g}% 0/1px 100% no-repeat" for at, _ in axis.ticks)
    ticks = "".join(f'<span style="left:{100 * at:.4g}%">{escape(text)}</span>' for at, text in axis.ticks)
    return (
        f'<div class="dpq-chart" role="img" aria-label="{escape(alt)}" style="--lines:{lines or "none"}">'
        f'<div class="dpq-row dpq-heads"><span>{name}</span><span>{number}</span><span>{ranges}</span></div>'
        f"{''.join(_row(row, axis) for row in rows)}"
        f'<div class="dpq-row dpq-axis"><div>{ticks}</div><div>{escape(title)}</div></div></div>'
    )


def _row(row: ChartRow, axis: Axis) -> str:
    if row.answer is None:
        return f'<div class="dpq-row dpq-heads"><span class="dpq-across">{escape(row.name)}</span></div>'
    look = " dpq-strong" * row.strong + " dpq-faint" * row.faint
    texts = "".join(f"<span>{escape(text)}</span>" for text in (row.name, row.number, row.range_text))
    return f'<div class="dpq-row{look}">{texts}<div class="dpq-plot">{_marks(row, row.answer, axis)}</div></div>'


def _marks(row: ChartRow, answer: float, axis: Axis) -> str:
    """Return the marks of a row. Noise moves no axis, and is not drawn where it is beyond."""
    if row.faint and not axis.low <= answer <= axis.high:
        return ""
    spans = [("box", *row.box)] if row.box else []
    spans += [("bar", *row.interval)] if row.interval else []  # type: ignore[list-item]
    drawn = "".join(
        f'<i class="dpq-{kind}" style="left:{_from(axis, low)};right:{_from(axis, high, end=True)}"></i>'
        for kind, low, high in spans
    )
    return f'{drawn}<i class="dpq-point" style="left:{_from(axis, answer)}"></i>'


def _from(axis: Axis, value: float | None, *, end: bool = False) -> str:
    """Return how far a value is from the start of a line, or from its end; None lies beyond that."""
    if value is None:
        return BEYOND
    return f"{100 * (1 - axis.share(value) if end else axis.share(value)):.4g}%"


def draw_guesses(right: int, *, alt: str) -> str:
    """Draw how many of a hundred guesses are right at most, on a scale from a coin toss to certainty.

    The scale is not divided into a hundred parts, which readers would take for people.
    """
    at = f"{100 * (min(max(right, COIN), CERTAIN) - COIN) / (CERTAIN - COIN):.4g}%"
    return (
        f'<div class="dpq-scale" role="img" aria-label="{escape(alt)}">'
        f'<b style="left:{at};translate:-{at}">at most {right}</b><div><i style="width:{at}"></i></div>'
        f"<small>{COIN}: a coin toss</small><small>{CERTAIN}: always right</small></div>"
    )


def draw_odds_bar(right: int, *, alt: str) -> str:
    """Draw a bar from 0 to 100 guesses: grey up to the coin's 50, blue up to `right`."""
    more = max(right - COIN, 0)
    return f'<span class="dpq-odds" role="img" aria-label="{escape(alt)}"><i></i><i style="width:{more}%"></i></span>'
