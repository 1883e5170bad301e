"""The chart of a report: rows of answers with their intervals, drawn once and written as SVG or as PNG."""

from .rows import CHART_WIDTH, Axis, ChartRow, axis_of, draw_rows
from .scene import Bar, Mark, Scene, Words, as_image, as_png, as_svg, stacked, text_width, titled

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
