"""Dots and bars of guesses: SVG in an HTML image, because Streamlit shows no SVG written into HTML."""

from __future__ import annotations

from base64 import b64encode
from html import escape

from .palette import ACCENT, TRUE

ACROSS = 10
"""Dots in a row, and rows."""
COIN = 50
"""Of a hundred guesses so many are right by tossing a coin."""
SPACING, RADIUS = 22, 8
BAR_WIDTH, BAR_HEIGHT = 150, 12


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


def _image(width: int, height: int, alt: str, content: str, *, most: int) -> str:
    drawing = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        f"{content}</svg>"
    )
    coded = b64encode(drawing.encode()).decode()
    style = f"width:100%;max-width:{most}px;height:auto"
    return f'<img src="data:image/svg+xml;base64,{coded}" alt="{escape(alt)}" style="{style}">'
