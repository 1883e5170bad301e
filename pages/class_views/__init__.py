"""What a room of a class looks like: the lecturer's and the students' line, and the wall."""

from . import numbers
from .bar import bar
from .students import ask_for_code, ask_for_code_here, hand_in

__all__ = ["ask_for_code", "ask_for_code_here", "bar", "hand_in", "numbers"]
