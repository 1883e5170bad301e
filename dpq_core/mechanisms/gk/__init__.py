"""DPExpGK: the exponential mechanism on the rank bounds of a Greenwald-Khanna sketch."""

from . import mechanism
from .classes import error_of_one_level
from .error import error_parts, suggested_alpha
from .mechanism import GKParameters
from .trace import GKClass, GKStep

__all__ = ["GKClass", "GKParameters", "GKStep", "error_of_one_level", "error_parts", "mechanism", "suggested_alpha"]
