"""What the form says once the answer is drawn, because it takes time: from public facts, or of public data."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from dpq_core.advice.choice import runs_of
from dpq_core.advice.errors import least_size_for_all
from dpq_core.advice.forecast import Forecast, forecast
from dpq_core.domain.finding import FindBounds
from dpq_core.errors import ParameterError
from dpq_core.question import Question
from dpq_core.schedule import Schedule
from dpq_core.texts import listed

from ..payment.account import PayingAccount
from ..server import work
from ..shell import screen
from ..shell.header import escape
from .bounds import show_errors
from .data import show_report
from .form import Form
from .people import offer_comparison
from .plan import explain_mechanisms
from .privacy import equivalents

ALL_OR_NONE = (
    "This mechanism needs about {} {} in every group. If one group has fewer, no group is answered, and the whole "
    "budget is charged."
)
TOO_FEW = "By your guess these have fewer: {}. Leave them out, raise the budget, ask for fewer quantiles, or choose AQ."
NOT_FORECAST = "What to expect of the answers cannot be worked out in advance."


def show(form: Form, payer: PayingAccount | None = None) -> None:
    """Show what was read, what each mechanism does, which groups are too small, and the budget in the other units."""
    with form.later["bounds"]:
        show_errors(form.plan, form.bounds, form.count, form.column.many if form.column else "records")
    with form.later["report"]:
        known = None if isinstance(form.bounds, FindBounds) else form.domain
        show_report(form.data, known)
        offer_comparison(form.data, known, form.levels)
    if "mechanisms" in form.later:
        with form.later["mechanisms"]:
            best = form.choice if form.domain else None
            with_error = not form.places.epsilon_first and form.groups is None
            explain_mechanisms(form.availability, best, form.data, better=form.better, with_error=with_error)
    screen.show_sought()
    if "forecast" in form.later and not form.several and isinstance(form.cost, Schedule):
        with form.later["forecast"]:
            _say_all_or_none(form)
            _say(form, payer)
    promised, availability = None, form.availability
    if form.plan is None or (availability is None and not isinstance(form.cost, Schedule)):
        return
    if form.groups and isinstance(form.cost, Schedule):
        promised = form.cost.guarantee
    elif availability and not availability.reason and form.plan.intervals is None:
        promised = availability.least_guarantee  # of the further levels of intervals only the press knows
    # Last of all, because the accountant takes a second to load.
    form.later["equivalents"].caption(equivalents(form.plan.privacy, promised))


def _say(form: Form, payer: PayingAccount | None) -> None:
    """Say what to expect of the listed groups; nothing where there is no list or a setting is missing."""
    question, count = form.question, form.count
    if question is None or question.groups is None or question.groups.listed is None or not count:
        return
    if (known := expected(question, count)) is None:
        return
    found = known.columns[0]
    if found.not_simulated:
        st.caption(f":material/info: {escape(f'{NOT_FORECAST} {found.not_simulated}')}")
        return
    icon = ":material/warning:" if found.small or found.too_wide else ":material/check:"
    short = payer.shortfall(found.budget) if payer and found.budget else ""
    st.caption(f"{icon} {escape(' '.join([*found.sentences, short]).strip())}")


def _say_all_or_none(form: Form) -> None:
    """Warn that one small group leaves all without an answer, where the mechanism finds that out after a draw."""
    least = _least(form)
    if least <= 1 or form.column is None:
        return
    names = map(str, (form.group_choice and form.group_choice.listed) or ())
    guesses = form.groups.guesses if form.groups else {}
    small = [name for name in names if guesses.get(name, form.count or 0) < least]
    said = ALL_OR_NONE.format(f"{least:,}", form.column.many)
    if small:
        st.warning(f"{said} {TOO_FEW.format(escape(listed(small)))}", icon=":material/warning:")
    else:
        st.caption(f":material/info: {said}")


def _least(form: Form) -> int:
    """Return about how many records every group needs; 1 where that is not known, or any number is enough."""
    if form.group_choice is None or form.chosen is None:
        return 1
    try:
        (run,) = runs_of(form.chosen.drawn).values()
        return work.know(least_size_for_all, run)
    except ParameterError:
        return 1


def expected(question: Question, count: int | None) -> Forecast | None:
    """Return what to expect of the answers; None where a budget is too small, of which the form says so.

    `count`: the guess of how many records there are.
    """
    given = {name: replace(each, about_n=each.about_n or count) for name, each in question.columns.items()}
    try:
        return work.know(forecast, replace(question, columns=given))
    except ParameterError:
        return None
