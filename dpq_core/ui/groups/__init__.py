"""Every group of a column on the page Quantiles: drawn in one press, shown in rows."""

from . import drawing
from .page import seed_to_draw, show, show_forecast, why_not

__all__ = ["drawing", "seed_to_draw", "show", "show_forecast", "why_not"]
