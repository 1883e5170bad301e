"""The Inside page: one run, step by step."""

from .groups import choose_group
from .view import draw, is_live, may_look, run_to_draw, show, why_not

__all__ = ["choose_group", "draw", "is_live", "may_look", "run_to_draw", "show", "why_not"]
