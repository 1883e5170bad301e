"""How often guesses are right, as a scale and as a bar: SVG in an HTML image, as Streamlit shows no other."""

from __future__ import annotations

from base64 import b64encode
from html import escape

from .frame import ACCENT, TRUE
from .report_chart.scene import Bar, Mark, Scene, Words, as_image, text_width

COIN, CERTAIN = 50, 100
"""Right guesses of a hundred by tossing a coin, and where nothing is protected."""
SCALE_WIDTH, SCALE_HEIGHT = 300.0, 66.0
SCALE_EDGE, SCALE_TOP, SCALE_THICK = 8.0, 26.0, 12.0
TEXT_SIZE = 13.0
BAR_WIDTH, BAR_HEIGHT = 150, 12


def draw_guesses(right: int, *, alt: str) -> str:
    """Draw how many of a hundred guesses are right at most, on a scale from a coin toss to certainty.

    The scale is not divided into a hundred parts, which readers would take for people.
    """
    room = SCALE_WIDTH - 2 * SCALE_EDGE
    end = SCALE_EDGE + room * (min(max(right, COIN), CERTAIN) - COIN) / (CERTAIN - COIN)
    below = SCALE_TOP + SCALE_THICK + 18
    number = f"at most {right}"
    half = text_width(number, TEXT_SIZE) / 2
    marks: tuple[Mark, ...] = (
        Bar(SCALE_EDGE, SCALE_TOP, room, SCALE_THICK, "rule"),
        Bar(SCALE_EDGE, SCALE_TOP, max(end - SCALE_EDGE, 1.0), SCALE_THICK, "interval"),
        Bar(end - 1.5, SCALE_TOP - 4, 3, SCALE_THICK + 8, "ink"),
        Words(min(max(end, half), SCALE_WIDTH - half), SCALE_TOP - 10, number, TEXT_SIZE, "middle", bold=True),
        Words(0, below, f"{COIN}: a coin toss", TEXT_SIZE, "start", "quiet"),
        Words(SCALE_WIDTH, below, f"{CERTAIN}: always right", TEXT_SIZE, "end", "quiet"),
    )
    return as_image(Scene(SCALE_WIDTH, SCALE_HEIGHT, marks, alt))


def draw_odds_bar(right: int, *, alt: str) -> str:
    """Draw a bar from 0 to 100 guesses: grey up to the coin's 50, blue up to `right`."""
    scale = BAR_WIDTH / 100
    parts = (
        f'<rect x="0" y="0" width="{BAR_WIDTH}" height="{BAR_HEIGHT}" fill="none" stroke="{TRUE}"/>'
        f'<rect x="0" y="0" width="{COIN * scale:g}" height="{BAR_HEIGHT}" fill="{TRUE}"/>'
        f'<rect x="{COIN * scale:g}" y="0" width="{max(right - COIN, 0) * scale:g}" height="{BAR_HEIGHT}" '
        f'fill="{ACCENT}"/>'
    )
    return _image(alt, parts)


def _image(alt: str, content: str) -> str:
    drawing = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{BAR_WIDTH}" height="{BAR_HEIGHT}" '
        f'viewBox="0 0 {BAR_WIDTH} {BAR_HEIGHT}">{content}</svg>'
    )
    coded = b64encode(drawing.encode()).decode()
    style = f"width:100%;max-width:{BAR_WIDTH}px;height:auto"
    return f'<img src="data:image/svg+xml;base64,{coded}" alt="{escape(alt)}" style="{style}">'
