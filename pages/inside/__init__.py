"""The Inside page: one run, step by step."""

from .groups import choose_group
from .splits import choose_splits, set_here
from .view import draw, is_live, may_look, run_to_draw, show, why_not

__all__ = ["choose_group", "choose_splits", "draw", "is_live", "may_look", "run_to_draw", "set_here", "show", "why_not"]
