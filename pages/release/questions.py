"""What is asked before anything is spent: beside the button, and once more after a press; and why the button waits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from itertools import count

import streamlit as st

from dpq_core.errors import ParameterError
from dpq_core.privacy.budgets import ApproxDP, Guarantee, Privacy, PureDP, budget_in_digits
from dpq_core.question import Question
from dpq_core.results.kinds import Released
from dpq_core.results.odds import right_guesses

from .. import keys
from ..files import reading
from ..form import refusals
from ..form.form import Form
from ..form.privacy import GENERIC_DELTA
from ..payment.account import PayingAccount
from ..shell import pieces, screen
from ..shell.header import escape, in_label
from ..shell.state import ChosenTable
from . import forecast

WEAK_PROTECTION = PureDP(10.0)
"""From here on an observer's guess about one person can be right 9,999 times of 10,000 and more."""
VERB = "Release"
_SAID = keys.state("confirmed")
_TAKEN = keys.state("confirmations_taken")
_NUMBERS = count(1)

Wanted = tuple[object, ...]
"""All that a release depends on: a confirmation holds for nothing else."""


def confirmed(form: Form, payer: PayingAccount | None, *, pressed: bool) -> bool:
    """Return whether an answer is to be drawn now: a press asks first, and the answer to that counts once."""
    table, question = form.table, form.question
    if table is None or question is None:
        return False
    wanted: Wanted = (table.identity, table.one, form.chosen, payer and (payer.name, payer.budget))
    if pressed:
        _ask(next(_NUMBERS), wanted, _facts(form, table, question, payer))
        return False
    stored: tuple[int, Wanted] | None = st.session_state.get(_SAID)  # a second click on the same answer is none
    if stored is None:
        return False
    del st.session_state[_SAID]
    if stored[0] <= st.session_state.get(_TAKEN, 0):
        return False
    st.session_state[_TAKEN] = stored[0]
    return stored[1] == wanted


def _facts(form: Form, table: ChosenTable, question: Question, payer: PayingAccount | None) -> dict[str, str]:
    """Return what the question repeats. Public facts only."""
    together = ", for all columns together" if question.several else ""
    from_whom = f", from the budget of {payer.name}" if payer else ""
    points, many = forecast.points_of(question, form.count), table.column.many
    among = f" on average among {form.count or 0:,} {many}{' of a group' if question.groups else ''}; more among fewer"
    if form.groups and form.groups.guesses:
        among = " on average in groups of the sizes that you gave; more in smaller ones"
    error = forecast.points_in_words(points, "percentage points of rank")
    far_off = forecast.far_off_in_words(form.chosen) if form.chosen and form.several else ""
    return {
        "You ask for": forecast.question_in_words(question),
        "Possible values": forecast.all_values_in_words(table, question),
        "It protects": f"whether {form.adjacency.of(table.protected)}",
        "It uses": f"{forecast.price_in_words(question.budget, payer)}{from_whom}{together}",
        "Expected error": error + among * bool(points),
        **({"Often far off": far_off} if far_off else {}),
    }


@st.dialog("Release this?", width="medium", icon=":material/lock:")
def _ask(number: int, wanted: Wanted, facts: Mapping[str, str]) -> None:
    """Repeat the request, and ask for confirmation once."""
    if _SAID in st.session_state:  # the dialog closes, and the page draws what was confirmed
        st.rerun()
    rows = "  \n".join(f":gray[{label}] {escape(fact)}" for label, fact in facts.items())
    st.markdown(rows)
    st.caption("This cannot be undone: what is spent stays spent.")
    with st.container(horizontal=True, gap="small"):
        st.button(
            "Yes, release", key=keys.widget("confirm"), type="primary", icon=":material/lock:", on_click=_say,
            args=(number, wanted),
        )  # fmt: skip
        if st.button("Not yet", key=keys.widget("not_yet")):
            st.rerun()


def _say(number: int, wanted: Wanted) -> None:
    st.session_state[_SAID] = (number, wanted)
    screen.note_press()


def button(reason: str, payer: PayingAccount | None, budget: Privacy | None) -> bool:
    """Draw the primary button, under what has to be answered first; while it is disabled a line says why.

    Returns whether it was pressed just now.
    """
    return pieces.primary_button(
        VERB, pieces.RUN, ":material/lock:", reason, otherwise="You are asked once more before anything is spent.",
        questions=partial(_ask_of_doubts, budget, payer),
    )  # fmt: skip


def why_not(form: Form, payer: PayingAccount | None) -> str:
    """Return why the button cannot be pressed; empty where it can."""
    if refused := refusals.why_not(form):
        return refused
    availability, chosen = form.availability, form.chosen
    if isinstance(form.cost, ParameterError) or chosen is None:
        return ""
    budget = chosen.question.budget
    if form.several:
        least = Guarantee.of(budget, chosen.question.adjacency)  # whether a delta is spent, the press decides
        return _not_charged(payer, replace(least, delta=0.0), budget)
    if availability is None:
        return "" if form.cost is None else _not_charged(payer, form.cost.guarantee, budget)
    found = availability.least_guarantee if form.cost is None else availability.at_least(form.cost.guarantee)
    return _not_charged(payer, found, budget)


def _ask_of_doubts(budget: Privacy | None, payer: PayingAccount | None) -> None:
    """Draw a box to tick for a new data set beside others, and for each budget that protects almost no one."""
    if budget is None or payer is None:
        return
    for doubt in _doubts(budget, payer):
        st.checkbox(in_label(doubt), key=_key(doubt))


def _not_charged(payer: PayingAccount | None, guarantee: Guarantee, budget: Privacy) -> str:
    """Return why no budget pays for a release, or why its press has to wait; empty where it can be pressed."""
    if payer is None:
        return "Say first whose budget this spends, or correct the fields in red."
    waits = any(st.session_state.get(_key(doubt)) is not True for doubt in _doubts(budget, payer))
    return payer.why_not(guarantee) or ("Confirm the sentence above the button first." if waits else "")


def protects_hardly(privacy: Privacy) -> bool:
    """Return whether an observer's guess about one person can be right as often as at ε = 10, or more often."""
    return right_guesses(privacy) >= right_guesses(WEAK_PROTECTION)


def _doubts(budget: Privacy, payer: PayingAccount) -> list[str]:
    """Return what has to be said of a new data set and of its total, and of so large a budget. Public facts only."""
    found = _of(budget, "")
    if payer.account is not None:
        return found
    # It names none of the others: where another visitor opens one meanwhile, what was confirmed stays confirmed.
    of_new = [f"{payer.name} is a new data set: nobody in it is in another data set of this server"]
    return [*(of_new if payer.others else []), *found, *_of(payer.budget, "The total ")]


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
