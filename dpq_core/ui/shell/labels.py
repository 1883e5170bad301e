"""What the widgets of settings are called, and their usual values, for sentences about links."""

from __future__ import annotations

from ...mechanisms import MECHANISMS
from ...papers import FIGURES
from ...privacy import Adjacency
from ...sources.examples import EXAMPLES
from ...studies.streams import PATTERNS
from ..lessons import CONTROLS, text_of
from ..settings import SETTINGS
from .page import option_label

LABELS = {
    "data": "Data",
    "lower": "Lowest",
    "upper": "Highest",
    "step": "Step",
    "unit": "Unit",
    "column_unit": "Unit",
    "one": "One row is a",
    "quantiles": "Quantiles",
    "even": "How many",
    "own": "Shares",
    "mechanism": "Mechanism",
    "budget": "Budget",
    "epsilon": "Privacy loss ε",
    "delta": "Small probability δ",
    "rho": "Privacy loss ρ",
    "adjacency": "Protects",
    "missing": "Missing values count as",
    "show": "The open tab",
    "size": "How many values",
    "lesson": "Lesson",
    "learn_seed": "The seed",
    **{name: control.label for name, control in CONTROLS.items()},
    "seed": "The seed",
    "column_seed": "The seed of the column",
    "run_step": "Step of the run",
    "look": "The open tab",
    "tiny_show": "Show me",
    "tiny_state": "Variant",
    "tiny_mechanism": "Mechanism",
    "tiny_values": "People’s values",
    "tiny_highest": "Highest possible value",
    "tiny_change": "One person",
    "tiny_leaving": "Leaves",
    "tiny_joining": "Joins with",
    "tiny_quantiles": "Quantiles",
    "tiny_epsilon": "Privacy loss ε",
    "tiny_rho": "Privacy loss ρ",
    "records": "About how many people",
    "shape_size": "About how many people",
    "trials": "Simulated runs",
    "trouble": "Compare on",
    "ask": "What do you want to know?",
    "sweep": "Over",
    "swept": "Mechanism",
    "measure": "Rank error",
    "wanted": "Wanted error",
    "stream": "What streams in",
    "pattern": "Order and shape",
    "length": "Records",
    "stream_lower": "Lowest",
    "stream_upper": "Highest",
    "stream_step": "Step",
    "stream_quantiles": "Quantiles",
    "alpha": "Coarseness α",
    "n_max": "At most so many records",
    "batch": "Batch",
    "where": "Read it on",
    "answer": "Answer",
    "second": "Average with",
    "title": "What the values are",
    "written": "Values are",
    "present": "Present",
    "figure": "Figure or table",
}
"""By the names of settings in links; tests compare them with the pages."""
USUAL = {
    "quantiles": "Deciles",
    "budget": "ε",
    "tiny_show": "A sound mechanism",
    "tiny_state": "Broken",
    "trouble": "The data above",
    "ask": "Rank error",
    "sweep": "Privacy loss ε",
    "swept": "All mechanisms",
    "measure": "On average",
    "stream": "Made up",
    "stream_quantiles": "Median",
    "where": "This machine",
}
"""The labels of usual values that are keys of this page's own."""


def label_of(name: str) -> str:
    """Return the label of a setting's widget or an option's: `aq.calibration` -> `Calibration`; the name if neither."""
    mechanism, dot, option = name.partition(".")
    if dot and any(each.name == option for each in getattr(MECHANISMS.get(mechanism), "OPTIONS", ())):
        return option_label(option)
    return LABELS.get(name, name)


def usual_value(name: str) -> str:
    """Return the usual value of a setting as its widget shows it; empty where none stands there."""
    value = SETTINGS[name].default
    if name in USUAL:
        return USUAL[name]
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
