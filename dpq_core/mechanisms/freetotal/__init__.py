"""JointExp with a free total: one draw of all quantiles, compared with the total that fits the answers best."""

from . import mechanism
from .totals import best_totals, counts_between, distances
from .trace import FreeTotalStep, Part

__all__ = ["FreeTotalStep", "Part", "best_totals", "counts_between", "distances", "mechanism"]
