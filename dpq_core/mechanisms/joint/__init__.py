"""JointExp: all quantiles in one draw of the exponential mechanism."""

from . import mechanism
from .mechanism import LARGEST_RATE, LOG_2_ABOVE, JointParameters, JointStep, claim, half_range
from .numbers import NOTHING, RATE_BITS, Wide, power, scaled
from .recursion import (
    LOSS_OF_ROUNDING,
    Messages,
    Recursion,
    counts_of,
    distance,
    distance_of,
    in_common_unit,
    in_window,
    proportions_of,
    weigh,
)
from .sampling import choose, draw_inside, multisets
from .shares import Coarse, CoarseDraws, attempts_for, coarse_records

__all__ = [
    "LARGEST_RATE",
    "LOG_2_ABOVE",
    "LOSS_OF_ROUNDING",
    "NOTHING",
    "RATE_BITS",
    "Coarse",
    "CoarseDraws",
    "JointParameters",
    "JointStep",
    "Messages",
    "Recursion",
    "Wide",
    "attempts_for",
    "choose",
    "claim",
    "coarse_records",
    "counts_of",
    "distance",
    "distance_of",
    "draw_inside",
    "half_range",
    "in_common_unit",
    "in_window",
    "mechanism",
    "multisets",
    "power",
    "proportions_of",
    "scaled",
    "weigh",
]
