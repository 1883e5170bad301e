"""JointExp with a free total: one draw of all quantiles, compared with the total that fits the answers best."""

from . import mechanism
from .nodes import TargetLevels, draw_parts, log_density_of_parts
from .trace import FreeTotalStep, Part

__all__ = ["FreeTotalStep", "Part", "TargetLevels", "draw_parts", "log_density_of_parts", "mechanism"]
