"""SliceQuantiles: thin slices of the sorted data at noisy ranks, and one value out of each."""

from . import mechanism
from .draws import bisection, slice_parts, slice_target_level
from .layout import ranks_of
from .setup import SliceParameters, public_layout
from .trace import SliceStep

__all__ = [
    "SliceParameters",
    "SliceStep",
    "bisection",
    "mechanism",
    "public_layout",
    "ranks_of",
    "slice_parts",
    "slice_target_level",
]
