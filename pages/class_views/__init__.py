"""What a room of a class looks like: the lecturer's and the students' line, and the wall."""

from . import numbers
from .bar import bar
from .students import ask_for_code, hand_in

__all__ = ["ask_for_code", "bar", "hand_in", "numbers"]
