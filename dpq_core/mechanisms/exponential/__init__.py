"""The exponential mechanism on the intervals between sorted records: its output distribution and exact samplers."""

from .density import Pieces, condensed, distribution_pieces, log_density, runs_of_intervals
from .distribution import (
    Partitions,
    Rate,
    TargetLevel,
    check_positive,
    count_below,
    error_of_one_draw,
    guarded,
    left_edges,
    range_of_draw,
    sensitivity,
)
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
