"""The ways to say what answers there can be without bounds: significant digits, or bounds found from the budget."""

from __future__ import annotations

import streamlit as st

from dpq_core.advice import BOUNDS_WHILE_UNKNOWN, error_of_way
from dpq_core.domain import Domain, FindBounds
from dpq_core.errors import ParameterError
from dpq_core.mechanisms import MECHANISMS
from dpq_core.plan import Plan
from dpq_core.results import Bounds, error_in_words
from dpq_core.studies import USUAL_SIZE

from ..frame import NARROWEST, complain, fields, sentence_of, term
from ..settings import key, table, text
from .requests import bounds_of, typed_column

WAYS = {"known": "I know them", "digits": "Significant digits", "find": "Find them"}
REMARKS = {
    "known": "The smallest error if they are right. A value beyond a bound counts as the bound.",
    "digits": "You need to know nothing. Answers are rounded, so records that differ by little count as equal.",
    "find": "A part of the budget finds them. With few records or a small budget they may be too narrow.",
}
SIGNS = {"yes": "Yes", "no": "No"}


def choose_way(*, may_find: bool) -> str:
    """Ask how the grid of all answers is defined, and return one of `table.BOUNDS`.

    `may_find`: whether the page can find bounds; if it cannot and another page was set to find them, it shows digits.
    """
    offered = table.BOUNDS if may_find else table.BOUNDS[:2]
    if text("bounds") not in offered:
        st.session_state[key("bounds")] = "digits"
    return fields.pills("bounds", offered, WAYS.__getitem__, help=term("ways to bounds"))


def choose_digits() -> Domain | None:
    """Ask for digits and for the range that they cover, and return the grid; None while they make none."""
    with st.grid(2, min_column_width=NARROWEST, gap="small"):
        digits = fields.segmented_control("digits", table.DIGITS, help=term("significant digits"))
        _choose_range()
    domain = _bounds()
    if not isinstance(domain, Domain):
        return None
    numbers = f"0 and {domain.cells - 1:,} numbers of {digits} digits"
    st.caption(f"No bounds needed: {numbers}. An answer is rounded to them.")
    return domain


def choose_finding() -> FindBounds | None:
    """Ask for the share of the budget that finds the bounds, and where they may lie; None while that makes none."""
    with st.grid(2, min_column_width=NARROWEST, gap="small"):
        fields.selectbox("share", table.SHARES)
        fields.text_input("step", placeholder="finest")
        _choose_range()
    found = _bounds()
    return found if isinstance(found, FindBounds) else None


def _bounds() -> Bounds | None:
    """Return the numbers in the fields; None, with a message, while a field has no number."""
    try:
        return bounds_of(typed_column(text, "number"))
    except ParameterError as error:
        complain(sentence_of(error))
    return None


def show_errors(plan: Plan | None, bounds: Domain | FindBounds | None, count: int | None, many: str) -> None:
    """Offer to show the expected rank error of each way, at the public guess of the number of records."""
    if plan is None or bounds is None:
        return
    if st.button("Help me choose bounds", key=key("which_way"), icon=":material/help:", type="tertiary"):
        _errors(plan, bounds, count or USUAL_SIZE, many)


@st.dialog("Which way to bounds?", width="medium")
def _errors(plan: Plan, bounds: Domain | FindBounds, count: int, many: str) -> None:
    """Show the three ways side by side, in a dialog, so that they are simulated only when the visitor opens it."""
    st.caption(
        f"{MECHANISMS[plan.mechanism].LABEL}, {plan.privacy}, among {count:,} made-up {many} of seven shapes; "
        "this does not use your data. Rounding to digits and values beyond found bounds count as errors."
    )
    known = bounds if isinstance(bounds, Domain) and bounds.has_even_steps else BOUNDS_WHILE_UNKNOWN
    digits = bounds if isinstance(bounds, Domain) and not bounds.has_even_steps else Domain.significant(2)
    finding = bounds if isinstance(bounds, FindBounds) else FindBounds()
    with st.spinner("Simulating …"):
        for way, each in {"known": known, "digits": digits, "find": finding}.items():
            error = error_of_way(plan, each, known, count)
            expected = "not available" if error is None else f"expect {error_in_words(error, 'record', many)}"
            st.markdown(f"**{WAYS[way]}**: {expected}  \n:small[{REMARKS[way]}]")


def _choose_range() -> None:
    """Ask whether there are negative numbers, and for the smallest and the largest size."""
    fields.segmented_control("negative", tuple(SIGNS), SIGNS.__getitem__)
    for name in ("smallest", "largest"):
        fields.text_input(name)
