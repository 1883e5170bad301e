"""IndExp: every quantile by an exponential mechanism of its own."""

from . import mechanism
from .bound import epsilon_of_each, one_by_one
from .composition import largest_each
from .mechanism import calibrate
from .sorted_answers import log_sorted

__all__ = ["calibrate", "epsilon_of_each", "largest_each", "log_sorted", "mechanism", "one_by_one"]
