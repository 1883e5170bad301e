"""The lessons of the Learn page: their order, what can be moved in each, and the live figure of each."""

from .controls import CONTROLS, LESSONS, Control
from .texts import LessonText, Quiz, text_of

__all__ = ["CONTROLS", "LESSONS", "Control", "LessonText", "Quiz", "text_of"]
