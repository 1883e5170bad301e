"""The Learn page: a course of short lessons with live pictures."""

from .page import check, choose_lesson, more, move, predict, progress, show, tell, turn

__all__ = ["check", "choose_lesson", "more", "move", "predict", "progress", "show", "tell", "turn"]
