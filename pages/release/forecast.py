"""The forecast: the error to expect and the budget it takes, from public facts, before anything is spent."""

from __future__ import annotations

from html import escape as html_escape

import streamlit as st

from dpq_core.advice.errors import least_budget
from dpq_core.advice.simulation import Range
from dpq_core.domain.domain import Domain
from dpq_core.domain.finding import FindBounds
from dpq_core.privacy.budgets import ZCDP, Privacy
from dpq_core.question import Question
from dpq_core.results.chosen import without_intervals
from dpq_core.results.data_set import DataSet
from dpq_core.results.wording import two_digits

from .. import keys
from ..form.details import expected
from ..form.form import Form
from ..form.privacy import AMOUNTS
from ..form.table import key, text
from ..payment.account import PayingAccount
from ..server import work
from ..shell.header import escape
from ..shell.state import ChosenTable
from .words import far_off_in_words, points_in_words, total_in_words

LATER = "The forecast appears here once steps 1 to 4 are done."
ABOUT = (
    "Simulated on made-up data of several shapes among the possible values, for about {count} {many} as you guess. "
    "This does not use your data."
)
ABOUT_GROUPS = "Simulated for groups as large as you guess. This does not use your data."
NOT_SIMULATED = "This does not use your data."
UNITS, LEAST = ("number", "money", "percent"), 0.01
"""Kinds of values whose differences are amounts in their unit, and the least amount that a sentence names."""
ACCEPTED = ("0.5", "1", "2", "5", "10")
"""Errors that a visitor may accept, in points of rank."""


def show(form: Form, payer: PayingAccount | None) -> None:
    """Show the two numbers, what they rest on, and how another error would change the budget."""
    table, question = form.table, form.question
    if table is None or question is None:
        st.caption(LATER)
        return
    points = points_of(question, form.count)
    _show_numbers(points, question, payer)
    if form.intervals is not None:
        without = points_of(without_intervals(question), form.count)
        form.later["intervals"].caption(cost_of_intervals(points, without))
    for sentence in _in_unit(table, question, form.count):
        st.caption(escape(sentence))
    about = ABOUT_GROUPS if question.groups else ABOUT.format(count=f"{form.count or 0:,}", many=table.column.many)
    st.caption(escape(about if points else NOT_SIMULATED))
    if form.several and form.chosen and (far_off := far_off_in_words(form.chosen)):
        st.caption(escape(f"Often far off: {far_off}."))
    if table.bare and not question.groups and not isinstance(form.bounds, FindBounds):
        _offer_errors(question, form.count, payer)


def points_of(question: Question, count: int | None) -> tuple[float, ...]:
    """Return the error to expect in each column, or in each of its listed groups, in points of rank.

    `count`: about how many records there are. Where it cannot be simulated it is left out.
    """
    found = expected(question, count)
    if found is None or (question.groups is not None and question.groups.answered is None):
        return ()
    return tuple(100 * row.share for row in found.rows if row.share is not None)


def _in_unit(table: ChosenTable, question: Question, count: int | None) -> list[str]:
    """Return for each whole column between known bounds how far its answers are off in its unit, and its intervals."""
    found, said = expected(question, count), []
    for data, each in zip(table.columns, found.columns if found and question.groups is None else (), strict=False):
        (row,), possible = each.rows, question.possible[data.name]
        known = isinstance(possible, Domain) and possible.has_even_steps and data.kind in UNITS
        if not known or row.in_unit is None:
            continue
        wide = f", intervals {_amount(row.interval_in_unit, data)} wide" if row.interval_in_unit else ""
        of = f" of {data.name}" if question.several else ""
        said.append(f"Answers{of} are off by {_amount(row.in_unit, data)} on average{wide}.")
    return said


def _amount(found: Range, data: DataSet) -> str:
    number = f"about {two_digits(found.typical)}" if found.typical >= LEAST else f"under {LEAST}"
    return f"{number} {data.unit}".strip()


def _show_numbers(points: tuple[float, ...], question: Question, payer: PayingAccount | None) -> None:
    """Show the error to expect, in points of rank, and the budget that it takes."""
    budget = question.budget
    numbers = (
        ("Expected error", points_in_words(points), "percentage points of rank, on average" if points else ""),
        ("Budget", html_escape(str(budget)), html_escape(total_in_words(budget, payer))),
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
    return f"Intervals cost accuracy: an expected error of {said} in place of {otherwise}, in percent of ranks."


def _offer_errors(question: Question, count: int | None, payer: PayingAccount | None) -> None:
    """Offer errors that would be accepted, and for the chosen one the budget that it takes."""
    chosen = st.pills(
        "Which error would you accept?", ACCEPTED, format_func=lambda error: f"± {error}", key=keys.widget("accepted"),
        help="In percentage points of rank: with ± 1 the median may come out as the 49 % or the 51 % point.",
    )  # fmt: skip
    if chosen is None or not count:
        return
    name = "rho" if isinstance(question.budget, ZCDP) else "epsilon"
    amounts = [float(amount) for amount in AMOUNTS[name]]
    found = work.know(least_budget, question, dict.fromkeys(question.columns, count), float(chosen) / 100, amounts)
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
