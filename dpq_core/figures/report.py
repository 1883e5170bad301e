"""Pictures of the report, as SVG in an HTML image: the same on the screen, in the file and on paper, a few kilobytes.

No plotly here: a report is read without a program and printed. Streamlit shows no SVG written into HTML, but images;
so the words in a picture bring their own colour for light and for dark.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

from .palette import ACCENT, PRIVATE, TRUE

ACROSS = 10
"""Dots in a row, and rows."""
COIN = 50
"""Of a hundred guesses so many are right by tossing a coin."""
SPACING, RADIUS = 22, 8
WIDTH, HEIGHT = 440, 260
LEFT, RIGHT, TOP, BOTTOM = 52, 24, 14, 44
SMALL = 'class="word"'
WORDS = (
    "<style>.word{font:13px 'Source Sans 3',system-ui,sans-serif;fill:#5b6677}"
    "@media (prefers-color-scheme:dark){.word{fill:#a4afbf}}</style>"
)
BAR_WIDTH, BAR_HEIGHT = 150, 12
DIGIT = 8
"""Pixels of a character under the axis, at most."""
CLEAR = 12
"""Pixels that two numbers under the axis keep between them."""
Scale = Callable[[float], float]


@dataclass(frozen=True)
class Mark:
    """One released quantile: its level in [0, 1], where it stands, its text, and between which values the truth is."""

    level: float
    value: float
    text: str
    low: float | None = None
    high: float | None = None


def draw_guesses(right: int, *, alt: str) -> str:
    """A hundred guesses as dots: right by a coin (grey), right at most through the answers (blue), wrong (hollow)."""
    size = ACROSS * SPACING
    dots = []
    for at in range(ACROSS * ACROSS):
        x, y = SPACING * (at % ACROSS + 0.5), SPACING * (at // ACROSS + 0.5)
        if at < right:
            look = f'fill="{TRUE if at < COIN else ACCENT}"'
        else:
            look = f'fill="none" stroke="{TRUE}" stroke-width="1.2"'
        dots.append(f'<circle cx="{x:g}" cy="{y:g}" r="{RADIUS}" {look}/>')
    return _image(size, size, alt, "".join(dots), most=size)


def draw_odds_bar(right: int, *, alt: str) -> str:
    """A bar from 0 to 100 guesses: grey up to the coin's 50, blue up to `right`."""
    scale = BAR_WIDTH / 100
    parts = (
        f'<rect x="0" y="0" width="{BAR_WIDTH}" height="{BAR_HEIGHT}" fill="none" stroke="{TRUE}"/>'
        f'<rect x="0" y="0" width="{COIN * scale:g}" height="{BAR_HEIGHT}" fill="{TRUE}"/>'
        f'<rect x="{COIN * scale:g}" y="0" width="{max(right - COIN, 0) * scale:g}" height="{BAR_HEIGHT}" '
        f'fill="{ACCENT}"/>'
    )
    return _image(BAR_WIDTH, BAR_HEIGHT, alt, parts, most=BAR_WIDTH)


def draw_answers(marks: Sequence[Mark], *, axis: str, many: str, alt: str) -> str:
    """Released quantiles in order of their levels: value across, asked share upwards, with the bands around them.

    Every coordinate is an answer or an asked level. The axis ends at the outermost values.
    """
    values = [value for mark in marks for value in (mark.value, mark.low, mark.high) if value is not None]
    low, high = min(values, default=0.0), max(values, default=1.0)
    reach = (high - low) or 1.0

    def across(value: float) -> float:
        return round(LEFT + (value - low) / reach * (WIDTH - LEFT - RIGHT), 1)

    def up(level: float) -> float:
        return round(HEIGHT - BOTTOM - level * (HEIGHT - TOP - BOTTOM), 1)

    parts = [_shares(up), *(_band(mark, across, up) for mark in marks)]
    line = " ".join(f"{across(mark.value)},{up(mark.level)}" for mark in marks)
    parts.append(
        f'<polyline points="{line}" fill="none" stroke="{PRIVATE}" stroke-width="1.5" stroke-dasharray="2 4"/>'
    )
    parts += [_diamond(across(mark.value), up(mark.level)) for mark in marks]
    parts += _value_ticks(marks, across)
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(f'<text x="{middle:g}" y="{HEIGHT - 4}" text-anchor="middle" {SMALL}>{escape(axis)}</text>')
    parts.append(
        f'<text x="12" y="{HEIGHT / 2 - 10:g}" text-anchor="middle" {SMALL} '
        f'transform="rotate(-90 12 {HEIGHT / 2 - 10:g})">share of {escape(many)}</text>'
    )
    return _image(WIDTH, HEIGHT, alt, "".join(parts), most=WIDTH + 200)


def _shares(up: Scale) -> str:
    lines = []
    for level in (0.0, 0.25, 0.5, 0.75, 1.0):
        y = up(level)
        lines.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y}" y2="{y}" stroke="{TRUE}" stroke-opacity="0.3"/>')
        lines.append(f'<text x="{LEFT - 6}" y="{y + 4:g}" text-anchor="end" {SMALL}>{level:.0%}</text>')
    return "".join(lines)


def _band(mark: Mark, across: Scale, up: Scale) -> str:
    if mark.low is None or mark.high is None:
        return ""
    y, start, end = up(mark.level), across(mark.low), across(mark.high)
    return f'<line x1="{start}" x2="{end}" y1="{y}" y2="{y}" stroke="{ACCENT}" stroke-width="7" stroke-opacity="0.35"/>'


def _diamond(x: float, y: float) -> str:
    return f'<path d="M{x} {y - 6:g}l6 6-6 6-6-6z" fill="{PRIVATE}"/>'


def _value_ticks(marks: Sequence[Mark], across: Scale) -> list[str]:
    """The outermost values and the middle one; then as many others as have room."""
    if not marks:
        return []
    first_choices = [marks[0], marks[-1], marks[len(marks) // 2]]
    placed: dict[float, str] = {}
    for mark in [*first_choices, *marks]:
        half = DIGIT * len(mark.text) / 2
        x = min(max(across(mark.value), half), WIDTH - half)
        if all(abs(x - other) >= half + DIGIT * len(text) / 2 + CLEAR for other, text in placed.items()):
            placed[x] = mark.text
    y = HEIGHT - BOTTOM + 16
    return [f'<text x="{x}" y="{y}" text-anchor="middle" {SMALL}>{escape(text)}</text>' for x, text in placed.items()]


def _image(width: int, height: int, alt: str, content: str, *, most: int) -> str:
    drawing = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        f"{WORDS}{content}</svg>"
    )
    coded = b64encode(drawing.encode()).decode()
    style = f"width:100%;max-width:{most}px;height:auto"
    return f'<img src="data:image/svg+xml;base64,{coded}" alt="{escape(alt)}" style="{style}">'
