"""ApproximateQuantiles: answer the middle quantile, split the data there, and go on in both halves."""

from . import mechanism
from .bound import added_up, bound_as_printed, proved
from .mechanism import AQParameters, with_root
from .recursion import Node, claim, halves, map_rates
from .trace import AQStep

__all__ = [
    "AQParameters",
    "AQStep",
    "Node",
    "added_up",
    "bound_as_printed",
    "claim",
    "halves",
    "map_rates",
    "mechanism",
    "proved",
    "with_root",
]
