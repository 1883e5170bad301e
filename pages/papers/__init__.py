"""The Papers page: a figure, its verdict, and recomputing it at reduced size."""

from .view import choose_figure, headline, recompute, recompute_button, show, show_all, show_recomputed, stored_result

__all__ = [
    "choose_figure",
    "headline",
    "recompute",
    "recompute_button",
    "show",
    "show_all",
    "show_recomputed",
    "stored_result",
]
