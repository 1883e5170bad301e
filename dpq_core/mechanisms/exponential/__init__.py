"""The exponential mechanism on the intervals between sorted records: its output distribution and exact samplers."""

from .density import log_density
from .distribution import (
    Partitions,
    Rate,
    TargetLevel,
    count_below,
    guarded,
    left_edges,
    range_of_draw,
    sensitivity,
)
from .error import check_positive, error_of_one_draw
from .pieces import Pieces, condensed, distribution_pieces, runs_of_intervals
from .sampling import draw

__all__ = [
    "Partitions",
    "Pieces",
    "Rate",
    "TargetLevel",
    "check_positive",
    "condensed",
    "count_below",
    "distribution_pieces",
    "draw",
    "error_of_one_draw",
    "guarded",
    "left_edges",
    "log_density",
    "range_of_draw",
    "runs_of_intervals",
    "sensitivity",
]
