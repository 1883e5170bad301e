"""`draw_*(plain numbers) -> plotly Figure`: no streamlit, no global state, no computing. Only here is plotly."""

from . import distributions, quantiles
from .boxes import Box, draw_boxes
from .cloud import MOST_LEVELS, RUNS, Cloud, draw_cloud
from .curves import MANY, Pinned
from .palette import ACCENT, MECHANISM_COLOURS, TRUE, colour_of
from .papers import PanelCurve, draw_panel, shared_range
from .quantiles import CONFIG, as_html
from .report import LADDER, Axis, axis_of, draw_guesses, draw_odds_bar, draw_range
from .stream import draw_errors, draw_memory
from .studies import draw_leaderboard, draw_search, draw_sweep

__all__ = [
    "ACCENT",
    "CONFIG",
    "LADDER",
    "MANY",
    "MECHANISM_COLOURS",
    "MOST_LEVELS",
    "RUNS",
    "TRUE",
    "Axis",
    "Box",
    "Cloud",
    "PanelCurve",
    "Pinned",
    "as_html",
    "axis_of",
    "colour_of",
    "distributions",
    "draw_boxes",
    "draw_cloud",
    "draw_errors",
    "draw_guesses",
    "draw_leaderboard",
    "draw_memory",
    "draw_odds_bar",
    "draw_panel",
    "draw_range",
    "draw_search",
    "draw_sweep",
    "quantiles",
    "shared_range",
]
