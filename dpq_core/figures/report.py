"""Pictures of the report: the same on the screen, in the file and on paper, a few kilobytes and no program.

Dots and bars of guesses are SVG in an HTML image, because Streamlit shows no SVG written into HTML. The ladder of
answers is HTML, drawn with borders, which are printed where a background would not be.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from .decades import Decades, decades_of
from .palette import ACCENT, PRIVATE, TRUE

ACROSS = 10
"""Dots in a row, and rows."""
COIN = 50
"""Of a hundred guesses so many are right by tossing a coin."""
SPACING, RADIUS = 22, 8
BAR_WIDTH, BAR_HEIGHT = 150, 12
BAR = "rgba(69, 119, 198, 0.5)"
"""The accent, so light that a diamond on it stands out."""
OPEN = 0.6
"""Of a line's height: how far a bar without an end runs beyond the outermost answer."""
LADDER = """
.dpq-rung { position: relative; height: 1.2em; margin: 0 .7em; }
.dpq-bar { position: absolute; top: .35em; height: 0; box-sizing: border-box; }
.dpq-diamond { position: absolute; top: .6em; width: 0; height: 0; transform: translate(-50%, -50%) rotate(45deg); }
"""
"""The style that `draw_range` needs."""


@dataclass(frozen=True)
class Axis:
    """The values at the left and the right end of a ladder."""

    low: float
    high: float
    decades: Decades | None = None
    """Where the answers lie many decades apart."""

    def percent(self, value: float) -> float:
        """Return the place of a value from 0 to 100, rounded to a tenth; beyond the ends, that end's."""
        low, high, at = (
            each if self.decades is None else self.decades.at(each) for each in (self.low, self.high, value)
        )
        return round(100 * min(max((at - low) / (high - low), 0.0), 1.0), 1)


def axis_of(answers: Sequence[float], bounds: tuple[float, float], *, wide: bool = False) -> Axis:
    """Return the axis from the least to the largest answer; from bound to bound where these are one value or none.

    `wide`: answers may lie many decades apart.
    """
    low, high = min(answers, default=0.0), max(answers, default=0.0)
    return Axis(low, high, decades_of(answers) if wide else None) if low < high else Axis(*bounds)


def draw_guesses(right: int, *, alt: str) -> str:
    """Draw a hundred guesses as dots: right by a coin (grey), at most by the answers (blue), wrong (hollow)."""
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
    """Draw a bar from 0 to 100 guesses: grey up to the coin's 50, blue up to `right`."""
    scale = BAR_WIDTH / 100
    parts = (
        f'<rect x="0" y="0" width="{BAR_WIDTH}" height="{BAR_HEIGHT}" fill="none" stroke="{TRUE}"/>'
        f'<rect x="0" y="0" width="{COIN * scale:g}" height="{BAR_HEIGHT}" fill="{TRUE}"/>'
        f'<rect x="{COIN * scale:g}" y="0" width="{max(right - COIN, 0) * scale:g}" height="{BAR_HEIGHT}" '
        f'fill="{ACCENT}"/>'
    )
    return _image(BAR_WIDTH, BAR_HEIGHT, alt, parts, most=BAR_WIDTH)


def draw_range(answer: float, bar: tuple[float | None, float | None] | None, axis: Axis) -> str:
    """Return one rung of a ladder: the answer as a diamond on a bar between two values; of these None is an open end.

    Every length is an answer or a public bound. The numbers stand beside it as text, so it has no words of its own.
    """
    drawn = "" if bar is None else f'<div class="dpq-bar" style="{_bar_style(*bar, axis)}"></div>'
    diamond = f"left:{axis.percent(answer):g}%;border:.28em solid {PRIVATE}"
    return f'<div class="dpq-rung" aria-hidden="true">{drawn}<div class="dpq-diamond" style="{diamond}"></div></div>'


def _bar_style(low: float | None, high: float | None, axis: Axis) -> str:
    start, end = (0.0 if low is None else axis.percent(low)), (100.0 if high is None else axis.percent(high))
    before, behind = (OPEN if low is None else 0.0), (OPEN if high is None else 0.0)
    return (
        f"left:calc({start:g}% - {before:g}em);width:calc({end - start:g}% + {before + behind:g}em);"
        f"border-top:.5em solid {BAR}"
    )


def _image(width: int, height: int, alt: str, content: str, *, most: int) -> str:
    drawing = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        f"{content}</svg>"
    )
    coded = b64encode(drawing.encode()).decode()
    style = f"width:100%;max-width:{most}px;height:auto"
    return f'<img src="data:image/svg+xml;base64,{coded}" alt="{escape(alt)}" style="{style}">'
