"""DPExpGK: the exponential mechanism on the rank bounds of a Greenwald-Khanna sketch."""

from . import mechanism
from .bound import error_of_one_level
from .error import error_parts, suggested_alpha
from .mechanism import GKParameters
from .trace import GKStep

__all__ = ["GKParameters", "GKStep", "error_of_one_level", "error_parts", "mechanism", "suggested_alpha"]
