"""The controls: each function draws widgets, says at once what is wrong beside them, and returns a value or None."""

from . import refusals
from .bounds import choose_domain
from .data import choose_data, choose_missing, example_data, report
from .plan import LABELS, LEVELS, choose_levels, choose_mechanism, choose_options, explain_mechanisms, make_plan
from .privacy import AMOUNTS, GENERIC_DELTA, choose_adjacency, choose_privacy, equivalents, nearest_stop

__all__ = [
    "AMOUNTS",
    "GENERIC_DELTA",
    "LABELS",
    "LEVELS",
    "choose_adjacency",
    "choose_data",
    "choose_domain",
    "choose_levels",
    "choose_mechanism",
    "choose_missing",
    "choose_options",
    "choose_privacy",
    "equivalents",
    "example_data",
    "explain_mechanisms",
    "make_plan",
    "nearest_stop",
    "refusals",
    "report",
]
