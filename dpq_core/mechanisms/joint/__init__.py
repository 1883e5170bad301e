"""JointExp: all quantiles in one draw of the exponential mechanism."""

from . import mechanism
from .mechanism import LARGEST_RATE, LOG_2_ABOVE, JointParameters, JointStep, budget_of, claim
from .numbers import NOTHING, RATE_BITS, Wide, power, scaled
from .recursion import LOSS_OF_ROUNDING, Messages, Recursion, weigh
from .sampling import choose, distance_of, draw_inside, multisets

__all__ = [
    "LARGEST_RATE",
    "LOG_2_ABOVE",
    "LOSS_OF_ROUNDING",
    "NOTHING",
    "RATE_BITS",
    "JointParameters",
    "JointStep",
    "Messages",
    "Recursion",
    "Wide",
    "budget_of",
    "choose",
    "claim",
    "distance_of",
    "draw_inside",
    "mechanism",
    "multisets",
    "power",
    "scaled",
    "weigh",
]
