"""The Learn page: a course of short lessons with live pictures."""

from . import closing, exercises
from .course import COURSE
from .lesson import check, choose_lesson, lesson_now, more, move, predict, progress, show, tell, turn

__all__ = [
    "COURSE", "check", "choose_lesson", "closing", "exercises", "lesson_now", "more", "move", "predict", "progress",
    "show", "tell", "turn",
]  # fmt: skip
