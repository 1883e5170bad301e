"""SliceQuantiles: thin slices of the sorted data at noisy ranks, and one value out of each."""

from . import mechanism
from .draws import bisection, slice_aim, slice_parts
from .layout import MIXTURE_BITS, layout_delta, mixture, ranks_of, target_delta
from .setup import SliceParameters, public_layout
from .trace import SliceStep

__all__ = [
    "MIXTURE_BITS",
    "SliceParameters",
    "SliceStep",
    "bisection",
    "layout_delta",
    "mechanism",
    "mixture",
    "public_layout",
    "ranks_of",
    "slice_aim",
    "slice_parts",
    "target_delta",
]
