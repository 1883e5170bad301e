"""The chart of a report: rows of answers with their intervals, drawn once and written as SVG or as PNG."""

from .png import as_png
from .rows import CHART_WIDTH, Axis, ChartRow, axis_of, draw_rows
from .scene import Bar, Mark, Scene, Words, stacked, text_width, titled
from .svg import as_image, as_svg

__all__ = [
    "CHART_WIDTH",
    "Axis",
    "Bar",
    "ChartRow",
    "Mark",
    "Scene",
    "Words",
    "as_image",
    "as_png",
    "as_svg",
    "axis_of",
    "draw_rows",
    "stacked",
    "text_width",
    "titled",
]
