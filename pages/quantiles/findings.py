"""The sentence above the picture of a simulation: how far its answers are off, at which budget."""

from __future__ import annotations

from fractions import Fraction

import streamlit as st

from dpq_core.plan import NAMED_LEVELS, levels_of
from dpq_core.results.kinds import Simulation
from dpq_core.results.wording import count_in_words, two_digits

from ..frame import pieces
from ..frame.header import escape
from ..frame.style import SMALL_PRINT

LEAST = 1
"""A smaller error is shown as "under 1 person"."""


def show(outcome: Simulation, changed: str) -> None:
    """Say what the picture shows."""
    runs = f"Mean over {outcome.draws:,} simulated runs. The picture shows one of them."
    st.header(f"{escape(sentence(outcome))}{pieces.changed_badge(changed)}", anchor=False)
    with st.container(key=SMALL_PRINT):
        st.markdown(f":small[:gray[{runs}]]")


def sentence(outcome: Simulation) -> str:
    """Return the finding: `At ε = 0.1 the private deciles are off by about 19 of 1,000 people on average.`"""
    if not outcome.values:
        return f"At {outcome.plan.privacy} nothing was asked for."
    words, name = outcome.wording, name_of(outcome.plan.quantiles)
    error = outcome.usual_error
    far = f"about {two_digits(error)}" if error >= LEAST else f"less than 1 {words.one}"
    of = f"{outcome.n:,} {words.many}" if error >= LEAST else f"{outcome.n:,}"
    is_off = "is" if len(outcome.values) == 1 else "are"
    return f"At {outcome.plan.privacy} the private {name} {is_off} off by {far} of {of} on average."


def name_of(levels: tuple[Fraction, ...]) -> str:
    """Return what a list of levels is called: `deciles`, `12 quantiles`."""
    named = next((name for name in NAMED_LEVELS if levels_of(name) == levels), "")
    return named or count_in_words(len(levels), "quantile")
