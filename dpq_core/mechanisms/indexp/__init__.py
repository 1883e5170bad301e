"""IndExp: every quantile by an exponential mechanism of its own."""

from . import mechanism
from .composition import largest_each
from .mechanism import calibrate
from .sorted_answers import log_sorted

__all__ = ["calibrate", "largest_each", "log_sorted", "mechanism"]
