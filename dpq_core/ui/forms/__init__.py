"""The controls: each function draws widgets, says at once what is wrong beside them, and returns a value or None."""

from . import refusals
from .bounds import choose_domain, domain_between, presets_of
from .data import ask_if_public, asks_in_steps, choose_data, example_data, mode_to_come, own_identity, read_again
from .inputs import NOT_OF_SHARES, Inputs, choose_inputs, show_details, why_incomplete
from .people import choose_take
from .places import ONE_FORM, Places
from .plan import LABELS, announce_change, choose_count
from .privacy import AMOUNTS, GENERIC_DELTA, choose_adjacency, choose_privacy, equivalents, nearest_stop
from .ways import choose_digits, choose_way

__all__ = [
    "AMOUNTS",
    "GENERIC_DELTA",
    "LABELS",
    "NOT_OF_SHARES",
    "ONE_FORM",
    "Inputs",
    "Places",
    "announce_change",
    "ask_if_public",
    "asks_in_steps",
    "choose_adjacency",
    "choose_count",
    "choose_data",
    "choose_digits",
    "choose_domain",
    "choose_inputs",
    "choose_privacy",
    "choose_take",
    "choose_way",
    "domain_between",
    "equivalents",
    "example_data",
    "mode_to_come",
    "nearest_stop",
    "own_identity",
    "presets_of",
    "read_again",
    "refusals",
    "show_details",
    "why_incomplete",
]
