"""`draw_*(plain numbers) -> plotly Figure`: no streamlit, no global state, no computing. Only here is plotly."""

from . import distributions, quantiles
from .axes import reach_of, value_range
from .boxes import Box, draw_boxes
from .cloud import MOST_LEVELS, RUNS, Cloud, draw_cloud
from .curves import MOST_MARKED_QUANTILES
from .frame import ACCENT, MECHANISM_COLOURS, TRUE, colour_of, plain, with_larger_texts
from .groups import GroupCurve, GroupRow, draw_curves, draw_groups
from .papers import PanelCurve, draw_panel, shared_range
from .quantiles import CONFIG
from .report import draw_guesses, draw_odds_bar
from .report_chart import CHART_WIDTH, ChartRow, Scene, as_image, as_png, as_svg, axis_of, draw_rows, stacked, titled
from .stream import draw_errors, draw_memory
from .studies import SMALLEST, draw_leaderboard, draw_search, draw_sweep
from .svg_export import as_html

__all__ = [
    "ACCENT",
    "CHART_WIDTH",
    "CONFIG",
    "MECHANISM_COLOURS",
    "MOST_LEVELS",
    "MOST_MARKED_QUANTILES",
    "RUNS",
    "SMALLEST",
    "TRUE",
    "Box",
    "ChartRow",
    "Cloud",
    "GroupCurve",
    "GroupRow",
    "PanelCurve",
    "Scene",
    "as_html",
    "as_image",
    "as_png",
    "as_svg",
    "axis_of",
    "colour_of",
    "distributions",
    "draw_boxes",
    "draw_cloud",
    "draw_curves",
    "draw_errors",
    "draw_groups",
    "draw_guesses",
    "draw_leaderboard",
    "draw_memory",
    "draw_odds_bar",
    "draw_panel",
    "draw_rows",
    "draw_search",
    "draw_sweep",
    "plain",
    "quantiles",
    "reach_of",
    "shared_range",
    "stacked",
    "titled",
    "value_range",
    "with_larger_texts",
]
