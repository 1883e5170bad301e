"""The Inside page: one run, step by step."""

from .page import draw, may_look, run_to_draw, show, why_not

__all__ = ["draw", "may_look", "run_to_draw", "show", "why_not"]
