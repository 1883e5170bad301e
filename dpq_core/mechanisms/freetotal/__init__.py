"""JointExp with a free total: one draw of all quantiles, compared with the total that fits the answers best."""

from . import mechanism
from .nodes import TargetLevels, draw_parts, log_density_of_parts
from .totals import best_totals, counts_between, distances
from .trace import FreeTotalStep, Part

__all__ = [
    "FreeTotalStep",
    "Part",
    "TargetLevels",
    "best_totals",
    "counts_between",
    "distances",
    "draw_parts",
    "log_density_of_parts",
    "mechanism",
]
