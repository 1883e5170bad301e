"""The chart of a report: rows of answers with their intervals, drawn once and written as SVG or as PNG."""

from .png import as_png
from .rows import CHART_WIDTH, Axis, Rung, axis_of, draw_ladder
from .scene import Scene, stacked, titled
from .svg import as_image, as_svg

__all__ = [
    "CHART_WIDTH",
    "Axis",
    "Rung",
    "Scene",
    "as_image",
    "as_png",
    "as_svg",
    "axis_of",
    "draw_ladder",
    "stacked",
    "titled",
]
