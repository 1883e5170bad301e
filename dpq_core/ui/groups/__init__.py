"""Every group of a column on the page Quantiles: drawn in one press, shown in rows."""

from . import drawing, forecast
from .page import seed_to_draw, show, why_not

__all__ = ["drawing", "forecast", "seed_to_draw", "show", "why_not"]
