"""The Quantiles page, with its tab for a synthetic column."""

from . import attempts, drawing, live, pins, questions, synthetic
from .view import (
    missing,
    not_paid,
    refusal,
    run_button,
    seed_to_draw,
    show,
    show_equivalents,
    shown_seed,
    why_not,
)

__all__ = [
    "attempts",
    "drawing",
    "live",
    "missing",
    "not_paid",
    "pins",
    "questions",
    "refusal",
    "run_button",
    "seed_to_draw",
    "show",
    "show_equivalents",
    "shown_seed",
    "synthetic",
    "why_not",
]
