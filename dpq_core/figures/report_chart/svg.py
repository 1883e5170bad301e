"""Write a drawing as SVG: text remains text, and the colours fit a light or dark page."""

from __future__ import annotations

from base64 import b64encode
from html import escape

from .scene import COLOURS, Bar, Diamond, Mark, Scene, Words

FONT = "system-ui, 'Source Sans 3', 'DejaVu Sans', sans-serif"


def as_svg(scene: Scene, *, ground: bool = True) -> str:
    """Return a drawing as a complete file; without `ground` it shows the background of its page."""
    parts = [Bar(0, 0, scene.width, scene.height, "ground")] if ground else []
    size = f'width="{scene.width:g}" height="{scene.height:g}" viewBox="0 0 {scene.width:g} {scene.height:g}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{escape(scene.alt)}" '
        f'font-family="{FONT}"><title>{escape(scene.alt)}</title><style>{_style()}</style>'
        f"{''.join(map(_mark, [*parts, *scene.marks]))}</svg>\n"
    )


def as_image(scene: Scene, look: str = "") -> str:
    """Return a drawing as an HTML image, because Streamlit shows no SVG that is written into HTML."""
    coded = b64encode(as_svg(scene, ground=False).encode()).decode()
    style = f"width:100%;max-width:{scene.width:g}px;height:auto"
    named = f' class="{look}"' if look else ""
    return f'<img{named} src="data:image/svg+xml;base64,{coded}" alt="{escape(scene.alt)}" style="{style}">'


def _style() -> str:
    light = "".join(f".{role}{{fill:{colours[0]}}}" for role, colours in COLOURS.items())
    dark = "".join(f".{role}{{fill:{colours[1]}}}" for role, colours in COLOURS.items())
    return f"{light}@media (prefers-color-scheme:dark){{{dark}}}"


def _mark(mark: Mark) -> str:
    match mark:
        case Bar(x, y, width, height, role):
            return f'<rect class="{role}" x="{x:.4g}" y="{y:.4g}" width="{width:.4g}" height="{height:.4g}"/>'
        case Diamond(x, y, half, role):
            turned = f"M{x:.5g},{y - half:.5g}l{half:g},{half:g}l{-half:g},{half:g}l{-half:g},{-half:g}z"
            return f'<path class="{role}" d="{turned}"/>'
        case Words(x, y, text, size, anchor, role, bold):
            weight = ' font-weight="600"' if bold else ""
            place = f'x="{x:.5g}" y="{y:.5g}" font-size="{size:g}" text-anchor="{anchor}"'
            return f'<text class="{role}" {place}{weight}>{escape(text)}</text>'
