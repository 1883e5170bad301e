"""Write a drawing as PNG, by Pillow and with the font of the package: no browser, and no font of the server.

Streamlit needs Pillow, so it is installed. Other libraries would need more: matplotlib six further packages, cairosvg a
library of the system, resvg fonts of the system, without which it leaves out all text. Pillow's own font lacks "€".
"""

from __future__ import annotations

from io import BytesIO

from .scene import COLOURS, Bar, Diamond, Scene, Words, font_of

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
