"""The controls: each function draws widgets, says at once what is wrong beside them, and returns a value or None."""

from . import refusals
from .bounds import choose_digits, choose_domain, choose_way, presets_of
from .data import (
    ask_public,
    asks_in_steps,
    box_is_ticked,
    choose_data,
    choose_more,
    choose_source,
    example_data,
    keep_said,
    mode_to_come,
    one_to_come,
    own_identity,
    read_again,
    read_so,
    show_brought,
)
from .folds import epsilon_first
from .groups import LISTS, GroupsAsked, choose_groups
from .inputs import Inputs, choose_inputs, show_details, why_incomplete
from .people import choose_take
from .places import Place, Places
from .plan import LABELS, Asking, announce_change, choose_count, choose_counting, choose_intervals
from .privacy import AMOUNTS, GENERIC_DELTA, choose_adjacency, choose_privacy, equivalents, nearest_stop
from .requests import (
    TypedColumn,
    TypedTable,
    WrongColumn,
    of_column,
    plan_of_whole,
    request_of,
    typed_table,
)

__all__ = [
    "AMOUNTS",
    "GENERIC_DELTA",
    "LABELS",
    "LISTS",
    "Asking",
    "GroupsAsked",
    "Inputs",
    "Place",
    "Places",
    "TypedColumn",
    "TypedTable",
    "WrongColumn",
    "announce_change",
    "ask_public",
    "asks_in_steps",
    "box_is_ticked",
    "choose_adjacency",
    "choose_count",
    "choose_counting",
    "choose_data",
    "choose_digits",
    "choose_domain",
    "choose_groups",
    "choose_inputs",
    "choose_intervals",
    "choose_more",
    "choose_privacy",
    "choose_source",
    "choose_take",
    "choose_way",
    "epsilon_first",
    "equivalents",
    "example_data",
    "keep_said",
    "mode_to_come",
    "nearest_stop",
    "of_column",
    "one_to_come",
    "own_identity",
    "plan_of_whole",
    "presets_of",
    "read_again",
    "read_so",
    "refusals",
    "request_of",
    "show_brought",
    "show_details",
    "typed_table",
    "why_incomplete",
]
