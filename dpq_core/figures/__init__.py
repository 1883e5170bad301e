"""`draw_*(plain numbers) -> plotly Figure`: no streamlit, no global state, no computing. Only here is plotly."""

from . import distributions, quantiles
from .axes import reach_of, value_range
from .boxes import Box, draw_boxes
from .cloud import MOST_LEVELS, RUNS, Cloud, draw_cloud
from .curves import MANY, Pinned
from .frame import plain, with_larger_texts
from .groups import GroupCurve, GroupRow, draw_curves, draw_groups
from .ladder import CHART_WIDTH, Rung, Scene, as_image, as_png, as_svg, axis_of, draw_ladder, stacked, titled
from .palette import ACCENT, MECHANISM_COLOURS, TRUE, colour_of
from .papers import PanelCurve, draw_panel, shared_range
from .quantiles import CONFIG
from .report import draw_guesses, draw_odds_bar
from .still import as_html
from .stream import draw_errors, draw_memory
from .studies import SMALLEST, draw_leaderboard, draw_search, draw_sweep

__all__ = [
    "ACCENT",
    "CHART_WIDTH",
    "CONFIG",
    "MANY",
    "MECHANISM_COLOURS",
    "MOST_LEVELS",
    "RUNS",
    "SMALLEST",
    "TRUE",
    "Box",
    "Cloud",
    "GroupCurve",
    "GroupRow",
    "PanelCurve",
    "Pinned",
    "Rung",
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
    "draw_ladder",
    "draw_leaderboard",
    "draw_memory",
    "draw_odds_bar",
    "draw_panel",
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
