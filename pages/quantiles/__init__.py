"""The Quantiles page, with its tab for a synthetic column."""

from . import attempts, drawing, live, presenting, questions, synthetic
from .view import (
    WHAT_THIS_IS,
    has_picture,
    missing,
    not_paid,
    refusal,
    run_button,
    seed_to_draw,
    show,
    show_equivalents,
    show_headline,
    shown_seed,
    why_not,
)

__all__ = [
    "WHAT_THIS_IS",
    "attempts",
    "drawing",
    "has_picture",
    "live",
    "missing",
    "not_paid",
    "presenting",
    "questions",
    "refusal",
    "run_button",
    "seed_to_draw",
    "show",
    "show_equivalents",
    "show_headline",
    "shown_seed",
    "synthetic",
    "why_not",
]
