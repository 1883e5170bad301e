"""What this page asks besides the form: how splitting is shown, whose run, and an example for a mechanism."""

from __future__ import annotations

import streamlit as st

from dpq_core.domain.finding import FindBounds
from dpq_core.groups.names import names_in
from dpq_core.mechanisms.registry import MECHANISMS
from dpq_core.plan import Plan
from dpq_core.privacy.budgets import Adjacency
from dpq_core.results.data_set import DataSet, PublicData

from .. import keys
from ..form.form import Form
from ..form.table import key, text
from ..shell import fields
from ..shell.header import escape

SPLITS_HELP = (
    "The mechanism draws several quantiles at once where that errs less. It then needs fewer rounds, which are hard to "
    "see. With one quantile a draw every round cuts each part in two, as in the paper. Only this page has this setting."
)
EXAMPLES: dict[str, dict[str, str]] = {
    "slice": {"data": "adult-age-full"},
    "gkexp": {"data": "adult-age", "adjacency": "replace_one"},
    "normal": {
        "data": "adult-age",
        "adjacency": "replace_one",
        "option_normal.sigma": "15",
        "option_normal.mean_bound": "120",
    },
}
"""Settings with which a mechanism shows its structure, where it is not available for the example on the screen."""
EXAMPLES_IN_WORDS = {
    "slice": "It needs many people: the ages of all 48,842 people take the place of the data above.",
    "gkexp": "It needs a bound on the number of people: with one person replaced by another that number is public.",
    "normal": "It needs public facts about ages: a standard deviation of 15 years, and a mean between -120 and 120.",
}
GROUPS_NOT_LISTED = "Groups that are found with noise have no run to show. Choose those in the data, or a list."
BOUNDS_NOT_KNOWN = "The run of one group needs known bounds. Enter them, or choose significant digits."


def choose_splits(plan: Plan | None) -> None:
    """Ask how splitting in halves is shown, where the mechanism may draw several quantiles at once."""
    if _may_draw_several(plan):
        fields.segmented_control("splits", help=SPLITS_HELP)


def is_one_a_draw(plan: Plan | None) -> bool:
    """Return whether a run of this plan is shown with one quantile a draw."""
    return _may_draw_several(plan) and text("splits") == "one"


def _may_draw_several(plan: Plan | None) -> bool:
    return plan is not None and plan.mechanism == "aq" and plan.adjacency is Adjacency.ADD_REMOVE


def choose_group(form: Form) -> str:
    """Ask whose run is shown, where every group is answered; empty where there is one answer for all."""
    choice, data = form.group_choice, form.explored
    if choice is None or not isinstance(data, PublicData) or not data.groups:
        return ""
    if choice.listed is None or isinstance(form.bounds, FindBounds):
        st.caption(f":material/block: {GROUPS_NOT_LISTED if choice.listed is None else BOUNDS_NOT_KNOWN}")
        return ""
    names = list(map(str, choice.answered or ()))
    there = set(map(str, names_in(data.groups[0])))
    first = next((at for at, name in enumerate(names) if name in there), 0)
    widget = keys.widget("group_run", data.identity, hash(tuple(names)))
    return str(st.selectbox("Whose run", names, index=first, key=widget))


def offer_example(mechanism: str, data: DataSet | None) -> None:
    """Offer to show a mechanism with settings that it can serve, where the data is an example."""
    if mechanism not in EXAMPLES or data is None or not data.is_example:
        return
    label = f"Show {MECHANISMS[mechanism].LABEL} on an example"
    st.button(escape(label), key=keys.widget("show_example"), type="primary", on_click=_show, args=(mechanism,))
    st.caption(EXAMPLES_IN_WORDS[mechanism])


def _show(mechanism: str) -> None:
    for name, value in {"mechanism": mechanism, **EXAMPLES[mechanism]}.items():
        st.session_state[key(name)] = value
