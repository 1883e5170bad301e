"""Settings and their default values in the words of their widgets, for sentences about links."""

from __future__ import annotations

from dpq_core.advice import BEST_LABEL
from dpq_core.mechanisms import MECHANISMS
from dpq_core.papers import FIGURES
from dpq_core.privacy import Adjacency
from dpq_core.sources.examples import EXAMPLES
from dpq_core.studies.streams import PATTERNS

from ..lessons import text_of
from ..settings import SETTINGS, options
from .header import option_label

COMMON_LABELS = {
    "quantiles": "Deciles",
    "mechanism": BEST_LABEL,
    "each": "One answer for all",
    "group_way": "Those in the data",
    "group_fixed": "No",
    "bounds": "I know them",
    "negative": "Yes",
    "budget": "ε",
    "tiny_show": "A sound mechanism",
    "tiny_state": "Broken",
    "trouble": "The data above",
    "ask": "Rank error",
    "sweep": "Privacy loss ε",
    "swept": "All mechanisms",
    "measure": "On average",
    "stream": "Made up",
    "more": "None",
    "stream_quantiles": "Median",
    "where": "This machine",
}
"""Default values that are keys of one page, as its widgets show them."""


def label_of(name: str) -> str:
    """Return the label of a setting's widget or an option's: `aq.calibration` -> `Calibration`; the name if neither."""
    option = options.option_of(name)
    if option is not None:
        return option_label(option.name)
    return SETTINGS[name].label if name in SETTINGS else name


def usual_value(name: str) -> str:
    """Return the usual value of a setting as its widget shows it; empty where the widget shows none."""
    value = SETTINGS[name].default
    if name in COMMON_LABELS:
        return COMMON_LABELS[name]
    if name == "lesson":
        return text_of(value).title
    for known in (EXAMPLES, PATTERNS):
        if value in known:
            return known[value].label
    if value in MECHANISMS:
        return MECHANISMS[value].LABEL
    if name == "adjacency":
        return Adjacency(value).in_words
    if name == "figure":
        return f"{FIGURES[value].place} · {FIGURES[value].paper}"
    return f"{int(value):,}" if value.isdigit() else value
