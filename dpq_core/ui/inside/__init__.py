"""The Inside page: one run, step by step."""

from .page import draw, may_look, seed_to_draw, show, tabs, why_not

__all__ = ["draw", "may_look", "seed_to_draw", "show", "tabs", "why_not"]
