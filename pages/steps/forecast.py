"""The forecast: the error to expect and the budget it takes, from public facts, before anything is spent."""

from __future__ import annotations

from dataclasses import replace
from html import escape as html_escape

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpq_core.advice.forecast import least_budget
from dpq_core.domain.finding import FindBounds
from dpq_core.plan import Plan
from dpq_core.privacy.budgets import ZCDP, Privacy
from dpq_core.results.persons import unit_for

from .. import keys
from ..budget.panel import PayingAccount
from ..form.inputs import Inputs
from ..form.privacy import AMOUNTS
from ..frame.header import escape
from ..server import work
from ..settings.table import key, text
from .states import expected_points, points_in_words, total_in_words

LATER = "The forecast appears here once steps 1 to 4 are done."
ABOUT = (
    "Simulated on made-up data of several shapes among the possible values, for about {count} {many} as you guess. "
    "This does not use your data."
)
ABOUT_GROUPS = "Simulated for groups as large as you guess. This does not use your data."
NOT_SIMULATED = "This does not use your data."
ACCEPTED = ("0.5", "1", "2", "5", "10")
"""Errors that a visitor may accept, in points of rank."""


def show(place: DeltaGenerator, inputs: Inputs, payer: PayingAccount | None) -> None:
    """Show the two numbers, what they rest on, and how another error would change the budget."""
    with place:
        if inputs.plan is None or inputs.domain is None or inputs.data is None:
            st.caption(LATER)
            return
        points = expected_points(inputs)
        show_numbers(points, inputs.plan, payer)
        if inputs.intervals is not None and inputs.intervals_place is not None:
            chosen = inputs.best.plan if inputs.best and not inputs.groups else inputs.plan
            plain = replace(inputs, plan=replace(chosen, intervals=None, about_n=None), best=None)
            inputs.intervals_place.caption(cost_of_intervals(points, expected_points(plain)))
        about = ABOUT_GROUPS if inputs.groups else ABOUT.format(count=f"{inputs.count or 0:,}", many=inputs.data.many)
        st.caption(escape(about if points else NOT_SIMULATED))
        if not inputs.groups and not isinstance(inputs.bounds, FindBounds):
            _offer_errors(inputs, inputs.plan, payer)


def show_numbers(points: tuple[float, ...], plan: Plan, payer: PayingAccount | None) -> None:
    """Show the error to expect, in points of rank, and the budget that it takes."""
    numbers = (
        ("Expected error", points_in_words(points), "of rank, on average" if points else ""),
        ("Budget", html_escape(str(plan.privacy)), html_escape(total_in_words(plan, payer))),
    )
    rows = "".join(f"<div><dt>{label}</dt><dd>{value}</dd><dd>{more}</dd></div>" for label, value, more in numbers)
    st.html(f'<dl class="dpq-forecast">{rows}</dl>')


def cost_of_intervals(points: tuple[float, ...], without: tuple[float, ...]) -> str:
    """Return what intervals cost in accuracy, by the expected errors with them and without them."""
    said, otherwise = (points_in_words(each).replace("± ", "±\u00a0") for each in (points, without))
    if not points or not without:
        return "What intervals cost in accuracy is not known in advance."
    if said == otherwise or max(points) <= max(without):
        return "Intervals cost little or no accuracy here, by the forecast."
    return f"Intervals cost accuracy: an expected error of {said} of rank in place of {otherwise}."


def _offer_errors(inputs: Inputs, plan: Plan, payer: PayingAccount | None) -> None:
    """Offer errors that would be accepted, and for the chosen one the budget that it takes."""
    chosen = st.pills(
        "Which error would you accept?", ACCEPTED, format_func=lambda error: f"± {error}", key=keys.widget("accepted"),
        help="In points of rank: with ± 1 the median may come out as the 49 % or the 51 % point.",
    )  # fmt: skip
    if chosen is None or inputs.domain is None or not inputs.count:
        return
    name = "rho" if isinstance(plan.privacy, ZCDP) else "epsilon"
    person = inputs.column.person if inputs.column else None
    wanted = float(chosen) / 100 * inputs.count
    found = work.know(
        least_budget, plan, inputs.domain, inputs.count, wanted, [float(amount) for amount in AMOUNTS[name]],
        unit_for(person, plan),
    )  # fmt: skip
    _offer_budget(chosen, name, found, AMOUNTS[name][-1], payer)


def _offer_budget(accepted: str, name: str, found: Privacy | None, most: str, payer: PayingAccount | None) -> None:
    letter = "ρ" if name == "rho" else "ε"
    if found is None:
        st.caption(f"For ± {accepted} even {letter} = {most} is too little: ask fewer quantiles, or of more records.")
        return
    amount = f"{found.rho if isinstance(found, ZCDP) else found.epsilon:g}"
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if amount == text(name):
            st.caption(f"± {accepted} takes {letter} = {amount}, which is set.")
            return
        short = payer.shortfall(found) if payer else ""
        if short:
            st.caption(escape(f"± {accepted} takes about {letter} = {amount}. {short}"))
            return
        st.caption(f"± {accepted} takes about {letter} = {amount}.", width="content")
        st.button(
            f"Apply {letter} = {amount}", key=keys.widget("apply_budget"), icon=":material/check:", on_click=_apply,
            args=(name, amount),
        )  # fmt: skip


def _apply(name: str, amount: str) -> None:
    st.session_state[key(name)] = amount
