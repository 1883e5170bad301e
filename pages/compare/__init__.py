"""The Compare page: a leaderboard of mechanisms."""

from . import advice
from .leaderboard import DOING, NAME, choose_trouble, draw, request_of, show

__all__ = ["DOING", "NAME", "advice", "choose_trouble", "draw", "request_of", "show"]
