"""A drawing as a list of marks, in pixels from the upper left corner; SVG and PNG are written from it.

PNG. Pillow writes it with the font of the package: no browser, and no font of the server. Streamlit needs Pillow, so it
is installed. Other libraries would need more: matplotlib six further packages, cairosvg a library of the system, resvg
fonts of the system, without which it leaves out all text. Pillow's own font lacks "€".

SVG. Text remains text, and the colours fit a light or dark page.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from html import escape
from importlib.resources import files
from io import BytesIO
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont

Role: TypeAlias = Literal["ink", "quiet", "private", "interval", "box", "faint", "rule", "ground"]
Anchor: TypeAlias = Literal["start", "middle", "end"]
COLOURS: dict[Role, tuple[str, str]] = {
    "ink": ("#0e1828", "#e7ebf2"),
    "quiet": ("#5b6677", "#a4afbf"),
    "private": ("#dd7f1f", "#dd7f1f"),
    "interval": ("#a2bbe2", "#3a5a8f"),
    "box": ("#f3d9bc", "#6b4a28"),
    "faint": ("#b4bcc8", "#5b6677"),
    "rule": ("#d9dfe8", "#364152"),
    "ground": ("#ffffff", "#12161d"),
}
"""On a light and on a dark ground; opaque, so that a picture looks the same wherever it is pasted."""
TITLE, FOOT = 18.0, 11.0
LINE = 1.4
"""Between lines of text, in their size."""
PADDING = 16.0


@dataclass(frozen=True)
class Bar:
    """A filled rectangle."""

    x: float
    y: float
    width: float
    height: float
    role: Role


@dataclass(frozen=True)
class Diamond:
    """A diamond around its middle."""

    x: float
    y: float
    half: float
    role: Role


@dataclass(frozen=True)
class Words:
    """One line of text; `y` is its baseline."""

    x: float
    y: float
    text: str
    size: float
    anchor: Anchor = "start"
    role: Role = "ink"
    bold: bool = False


Mark: TypeAlias = Bar | Diamond | Words


@dataclass(frozen=True)
class Scene:
    """Marks on a background of this size; `alt` describes them for people who cannot see them."""

    width: float
    height: float
    marks: tuple[Mark, ...]
    alt: str


def titled(scene: Scene, title: str, foot: str) -> Scene:
    """Return a drawing that can be shown alone: its finding above, and below what it is and how it may be used."""
    above, below = wrapped(title, TITLE, scene.width), wrapped(foot, FOOT, scene.width)
    top = PADDING + len(above) * TITLE * LINE + PADDING / 2
    marks: list[Mark] = [
        Words(PADDING, PADDING + TITLE + at * TITLE * LINE, line, TITLE, bold=True) for at, line in enumerate(above)
    ]
    marks += [replace(mark, x=mark.x + PADDING, y=mark.y + top) for mark in scene.marks]
    end = top + scene.height + PADDING / 2
    marks += [Words(PADDING, end + FOOT + at * FOOT * LINE, line, FOOT, role="quiet") for at, line in enumerate(below)]
    height = end + len(below) * FOOT * LINE + PADDING
    return Scene(scene.width + 2 * PADDING, height, tuple(marks), f"{title} {scene.alt}")


def stacked(scenes: Sequence[Scene]) -> Scene:
    """Return drawings below each other."""
    marks: list[Mark] = []
    height = 0.0
    for scene in scenes:
        marks += [replace(mark, y=mark.y + height) for mark in scene.marks]
        height += scene.height
    return Scene(max(scene.width for scene in scenes), height, tuple(marks), " ".join(scene.alt for scene in scenes))


def wrapped(text: str, size: float, room: float) -> list[str]:
    """Return a text in lines that fit the room; a longer word is cut."""
    lines: list[str] = []
    for word in filter(None, text.split(" ")):  # no line ends at a space of another kind
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(longer, size) <= room:
            lines[-1] = longer
        else:
            lines.append(shortened(word, size, room))
    return lines


def shortened(text: str, size: float, room: float) -> str:
    """Return as much of a text as fits the room."""
    if text_width(text, size) <= room:
        return text
    kept = text
    while kept and text_width(f"{kept}…", size) > room:
        kept = kept[:-1]
    return f"{kept.rstrip()}…"


def text_width(text: str, size: float) -> float:
    """Return how wide a text is in the font of the PNG, which is wider than what browsers take for the SVG."""
    return _font().getlength(text) * size / _MEASURED


_MEASURED = 100


@lru_cache(maxsize=1)
def _font() -> FreeTypeFont:
    return font_of(_MEASURED)


def font_of(size: int) -> FreeTypeFont:
    """Return the font that comes with the package, in pixels: DejaVu Sans, for Latin, Greek and Cyrillic letters."""
    from PIL import ImageFont  # for charts only

    return ImageFont.truetype(BytesIO(_font_file()), size)


@lru_cache(maxsize=1)
def _font_file() -> bytes:
    return files("dpq_core").joinpath("figures", "report_chart", "fonts", "DejaVuSans.ttf").read_bytes()


SCALE = 2
"""Pixels of the file for one of the drawing."""
FINER = 2
"""The picture is drawn this many times as large and then reduced, so that edges are smooth."""
ANCHORS = {"start": "ls", "middle": "ms", "end": "rs"}


def as_png(scene: Scene) -> bytes:
    """Return a drawing on a white ground, twice as large as its numbers say. Some tens of milliseconds."""
    from PIL import Image, ImageDraw  # for charts only

    times = SCALE * FINER
    image = Image.new("RGB", (round(scene.width * times), round(scene.height * times)), COLOURS["ground"][0])
    draw = ImageDraw.Draw(image)
    for mark in scene.marks:
        colour = COLOURS[mark.role][0]
        x, y = mark.x * times, mark.y * times
        match mark:
            case Bar():
                draw.rectangle((x, y, x + mark.width * times, y + mark.height * times), colour)
            case Diamond():
                half = mark.half * times
                draw.polygon([(x, y - half), (x + half, y), (x, y + half), (x - half, y)], colour)
            case Words():
                font, thick = font_of(round(mark.size * times)), FINER / 2 if mark.bold else 0
                draw.text((x, y), mark.text, colour, font, ANCHORS[mark.anchor], stroke_width=thick)
    smooth = image.resize((image.width // FINER, image.height // FINER), Image.Resampling.LANCZOS)
    out = BytesIO()
    smooth.quantize(256).save(out, "PNG", optimize=True)
    return out.getvalue()


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
