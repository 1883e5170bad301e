"""The button, what is asked beside it before anything is spent, and why it waits."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import streamlit as st

from dpq_core.domain.finding import FindBounds
from dpq_core.errors import ParameterError
from dpq_core.privacy.budgets import ApproxDP, Guarantee, Privacy, PureDP, budget_in_digits
from dpq_core.question import Question
from dpq_core.results.kinds import Released
from dpq_core.results.odds import right_guesses

from .. import keys
from ..files import reading
from ..form import refusals
from ..form.privacy import GENERIC_DELTA
from ..form.several import Form
from ..payment import counts
from ..payment.account import PayingAccount
from ..shell import pieces
from ..shell.header import in_label

WEAK_PROTECTION = PureDP(10.0)
"""From here on an observer's guess about one person can be right 9,999 times of 10,000 and more."""
VERB = "Release"
ONCE_MORE = "You are asked once more before anything is spent."
NO_PAYER = "Say first whose budget this spends, or correct the fields in red."
UNANSWERED = "Confirm the sentence above the button first."


def button(reason: str, payer: PayingAccount | None, budget: Privacy | None) -> bool:
    """Draw the primary button, under what has to be answered first; while it is disabled a line says why.

    Returns whether it was pressed just now.
    """
    return pieces.primary_button(
        VERB, pieces.RUN, ":material/lock:", reason, otherwise=ONCE_MORE,
        questions=partial(_ask, budget, payer),
    )  # fmt: skip


def why_not(form: Form, payer: PayingAccount | None) -> str:
    """Return why the button cannot be pressed; empty where it can."""
    return refusals.why_not(form.inputs, form.asked) or _not_paid(form, payer)


def _not_paid(form: Form, payer: PayingAccount | None) -> str:
    """Return why no budget pays for a release of an available plan; empty where one does."""
    inputs, judged, availability = form.inputs, form.inputs.judged_groups, form.inputs.availability
    if isinstance(judged, ParameterError):
        return ""
    if isinstance(form.asked, Question):
        least = Guarantee.of(form.asked.budget, form.asked.adjacency)  # whether a delta is spent, the press decides
        return _not_charged(payer, replace(least, delta=0.0), form.asked.budget)
    if inputs.plan is not None and judged is not None:
        return _not_charged(payer, judged.guarantee, inputs.plan.privacy)
    if availability is None:
        return ""
    guarantee = availability.least_guarantee
    if isinstance(inputs.bounds, FindBounds):
        guarantee = counts.guarantee_with_bounds(availability, inputs.column, inputs.bounds)
    return _not_charged(payer, guarantee, availability.plan.privacy)


def _ask(budget: Privacy | None, payer: PayingAccount | None) -> None:
    """Draw a box to tick for a new data set beside others, and for each budget that protects almost no one."""
    if budget is None or payer is None:
        return
    for doubt in _doubts(budget, payer):
        st.checkbox(in_label(doubt), key=_key(doubt))


def _not_charged(payer: PayingAccount | None, guarantee: Guarantee, budget: Privacy) -> str:
    """Return why no budget pays for a release, or why its press has to wait; empty where it can be pressed."""
    if payer is None:
        return NO_PAYER
    waits = any(st.session_state.get(_key(doubt)) is not True for doubt in _doubts(budget, payer))
    return payer.why_not(guarantee) or (UNANSWERED if waits else "")


def protects_hardly(privacy: Privacy) -> bool:
    """Return whether an observer's guess about one person can be right as often as at ε = 10, or more often."""
    return right_guesses(privacy) >= right_guesses(WEAK_PROTECTION)


def _doubts(budget: Privacy, payer: PayingAccount) -> list[str]:
    """Return what has to be said of a new data set and of its total, and of so large a budget. Public facts only."""
    found = _of(budget, "")
    return [*_of_new(payer), *found, *_of(payer.budget, "The total ")] if payer.account is None else found


def _of_new(payer: PayingAccount) -> list[str]:
    """Return what must hold of a new data set, where the server has others: nobody in it is in one of those.

    The sentence names none of them: where another visitor opens one meanwhile, what was confirmed stays confirmed.
    """
    if not payer.others:
        return []
    return [f"{payer.name} is a new data set: nobody in it is in another data set of this server"]


def _of(privacy: Privacy, what: str) -> list[str]:
    delta = privacy.delta if isinstance(privacy, ApproxDP) else 0.0
    found = [f"{what}{privacy} protects almost no one"] if protects_hardly(privacy) else []
    if delta > GENERIC_DELTA:
        one_in = f"one person in {1 / delta:,.0f}"
        found.append(f"{what}δ = {budget_in_digits(delta)} allows {one_in} to be revealed outright")
    return [f"{doubt}: release anyway" for doubt in found]


def _key(doubt: str) -> str:
    """Return the key of a box: another budget, another column or another release is another question."""
    answers = (value for value in st.session_state.values() if isinstance(value, Released))
    released = sorted(answer.release.id for answer in answers)
    return keys.widget("sure", reading.generation(), *released, doubt)
