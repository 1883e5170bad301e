"""Every group of a column on the page Quantiles: drawn in one press, shown in rows."""

from . import forecast
from .results import MOST_ROWS, ask_for_group, finding, in_view, ranked, reading_help, rows_figure
from .view import seed_to_draw, show, why_not

__all__ = [
    "MOST_ROWS",
    "ask_for_group",
    "finding",
    "forecast",
    "in_view",
    "ranked",
    "reading_help",
    "rows_figure",
    "seed_to_draw",
    "show",
    "why_not",
]
