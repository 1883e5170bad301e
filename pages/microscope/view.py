"""The microscope: both exact distributions of a tiny pair of neighbours, and the exact loss against the claim.

It computes at once, because nothing is drawn at random and the data are made up: nothing is spent.
"""

from __future__ import annotations

from fractions import Fraction

import streamlit as st

from dpq_core.audit.broken import BROKEN
from dpq_core.audit.variants import Broken, BrokenAtScale
from dpq_core.errors import ParameterError
from dpq_core.privacy.budgets import PureDP

from ..frame import links, screen
from ..frame.header import complain, escape, sentence_of, term
from ..settings import microscope
from ..settings.table import SETTINGS
from .forms import CHANGE, choose_amount, choose_pair_and_plan, choose_view
from .results import show_comparison, show_sizes


def show() -> None:
    """Draw the microscope: controls beside the outcome, and for a broken variant what is wrong and its fix.

    Draw it only while its tab is open. `links.begin` comes before it, `links.write_link` after it.
    """
    st.caption(
        "Made-up people: everything may be shown, nothing is spent. Type other values, or break a mechanism.",
        help=term("neighbour"),
    )
    form, answer = screen.halves()
    with form, screen.controls():
        view = choose_view()
        microscope.begin(view)
        variant = BROKEN.get(view)
        if isinstance(variant, BrokenAtScale):
            privacy = choose_amount(view, variant.privacy, variant.least_epsilon)
            comparison = None
        else:
            comparison = choose_pair_and_plan(view)
        links.show_link("Its people are made up.", of_a_draw=False)
    with answer:
        if isinstance(variant, BrokenAtScale):
            assert isinstance(privacy, PureDP), "it is stated for a pure budget"
            _explain(variant)
            show_sizes(variant, Fraction(privacy.epsilon))
            return
        if variant:
            _explain(variant)
        if comparison:
            try:
                pair = comparison.compared()
            except ParameterError as error:  # the protection is called otherwise here
                complain(sentence_of(error).replace(f"“{SETTINGS['adjacency'].label}”", f"“{CHANGE}”"))
            else:
                show_comparison(comparison, pair)


def _explain(variant: Broken | BrokenAtScale) -> None:
    """Show what is done wrong, why it breaks, and the fix."""
    rows = {"What is done": variant.printed, "Why it breaks": variant.reason, "Fix": variant.fix}
    with st.container(border=True, gap="xsmall"):
        for label, sentence in rows.items():
            st.markdown(f":gray[{label}:] {escape(sentence)}")
