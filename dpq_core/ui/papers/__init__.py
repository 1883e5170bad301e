"""The Papers page: a figure, its verdict, and recomputing it at reduced size."""

from .page import (
    about,
    choose_figure,
    headline,
    recompute,
    recompute_button,
    show_all,
    show_downloads,
    show_numbers,
    show_panels,
    show_recomputed,
    show_verdict,
    stored_result,
)

__all__ = [
    "about",
    "choose_figure",
    "headline",
    "recompute",
    "recompute_button",
    "show_all",
    "show_downloads",
    "show_numbers",
    "show_panels",
    "show_recomputed",
    "show_verdict",
    "stored_result",
]
