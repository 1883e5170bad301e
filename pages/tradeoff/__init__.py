"""The Trade-off page: error over a swept setting, or the smallest budget for a wanted error."""

from . import results
from .questions import (
    SWEEP,
    WANTED,
    choose_measure,
    choose_mechanisms,
    choose_question,
    choose_sweep,
    choose_wanted,
    request_of,
    start_search,
    start_sweep,
)

__all__ = [
    "SWEEP",
    "WANTED",
    "choose_measure",
    "choose_mechanisms",
    "choose_question",
    "choose_sweep",
    "choose_wanted",
    "request_of",
    "results",
    "start_search",
    "start_sweep",
]
