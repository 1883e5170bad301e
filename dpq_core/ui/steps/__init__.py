"""A release in five numbered steps: their cards, what each still needs, the forecast and the confirmation."""

from .cards import Steps, draw, show
from .confirm import confirmed

__all__ = ["Steps", "confirmed", "draw", "show"]
