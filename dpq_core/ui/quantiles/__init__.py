"""The Quantiles page, with its tab for a synthetic column."""

from . import drawing, synthetic
from .drawing import attempt
from .page import (
    answer_tabs,
    not_paid,
    refusal,
    run_button,
    seed_to_draw,
    show,
    show_equivalents,
    show_link,
    show_notes,
    shown_seed,
    why_not,
)

__all__ = [
    "answer_tabs",
    "attempt",
    "drawing",
    "not_paid",
    "refusal",
    "run_button",
    "seed_to_draw",
    "show",
    "show_equivalents",
    "show_link",
    "show_notes",
    "shown_seed",
    "synthetic",
    "why_not",
]
