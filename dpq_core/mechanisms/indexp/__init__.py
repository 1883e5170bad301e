"""IndExp: every quantile by an exponential mechanism of its own."""

from . import mechanism
from .composition import epsilon_of_each, largest_each, one_by_one
from .mechanism import calibrate, log_sorted

__all__ = ["calibrate", "epsilon_of_each", "largest_each", "log_sorted", "mechanism", "one_by_one"]
