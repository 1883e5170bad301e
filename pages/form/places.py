"""The places of a page's controls: one below the other, each in its step, or beside a live picture, where they fold."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpq_core.privacy.budgets import Adjacency
from dpq_core.sources.examples import Example

from .. import keys
from ..shell import links
from .table import BUDGET_LABELS, INTERVALS, examples, text

Place = AbstractContextManager[object]
"""A container, or wherever the page is drawing just now."""
HERE: Place = nullcontext()


@dataclass(frozen=True)
class Places:
    """The place of each group of controls. Without steps, controls are in the order in which they are drawn."""

    file: Place = HERE
    """The data: an example, a file and its column, pasted values."""
    person: Place = HERE
    """Who is one person, what counts of each, and what one person can change."""
    values: Place = HERE
    """What values are possible."""
    question: Place = HERE
    """The quantiles, their intervals, the groups and the mechanism."""
    cost: Place = HERE
    """The budget, and what it buys."""
    epsilon: Place = HERE
    """The size of the budget."""
    kind: Place = HERE
    """Its kind, and what it is in the other kinds."""
    further: Place = HERE
    """Groups, and intervals around the answers."""
    in_steps: bool = False
    epsilon_first: bool = False
    """Whether the size of the budget is first, with what it means."""


ONE_FORM = Places()


def epsilon_first() -> Places:
    """Draw the empty places, in the order of how often they are used; each fold says what is chosen inside.

    The bounds of an example are known. The fields for those of an own column do not fold.
    """
    example = examples().get(text("data"))
    epsilon = st.container(gap="xsmall")
    file = st.container()
    if example is None:
        person, values, question, further = (st.container() for _ in range(4))
        kind = _fold("kind", f"Kind of budget: {BUDGET_LABELS[text('budget')]}")
    else:
        question = st.container()
        values = _fold("values", _values_label(example))
        groups = f"by {example.group}" if text("each") != "all" else "none"
        said = {
            "Groups": groups if example.group else "",
            "Intervals": INTERVALS[text("intervals")] if links.asks("intervals") else "",
        }
        label = " · ".join(f"{name}: {value}" for name, value in said.items() if value)
        further = _fold("further", label, opened=text("each") != "all") if label else st.container()
        adjacency = Adjacency(text("adjacency")).of(example.one_row)
        person = kind = _fold("person", f"Protects: {adjacency} · {BUDGET_LABELS[text('budget')]}")
    return Places(file, person, values, question, epsilon=epsilon, kind=kind, further=further, epsilon_first=True)


def _fold(name: str, label: str, *, opened: bool = False) -> DeltaGenerator:
    return st.expander(label, key=keys.widget("fold", name), type="compact", expanded=opened)


def _values_label(example: Example) -> str:
    match text("bounds"):
        case "digits":
            return f"Possible values: {text('digits')} significant digits"
        case "find":
            return "Possible values: found from the budget"
    unit = f" {example.unit}" if example.unit else ""
    return f"Possible values: {text('lower')} to {text('upper')}{unit}"
