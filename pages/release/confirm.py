"""One question before anything is spent: it repeats the request, the bounds, the unit of protection and the cost."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count

import streamlit as st

from dpq_core.question import Question

from .. import keys
from ..form.inputs import Inputs
from ..form.several import Form
from ..payment.account import PayingAccount
from ..shell import screen
from ..shell.header import escape
from ..shell.state import ChosenTable
from .forecast import points_of
from .words import all_values_in_words, error_in_words, far_off_in_words, price_in_words, question_in_words

_SAID = keys.state("confirmed")
_TAKEN = keys.state("confirmations_taken")
_NUMBERS = count(1)
FINAL = "This cannot be undone: what is spent stays spent."

Wanted = tuple[object, ...]
"""All that a release depends on: a confirmation holds for nothing else."""


def confirmed(form: Form, payer: PayingAccount | None, *, pressed: bool) -> bool:
    """Return whether an answer is to be drawn now: a press asks first, and the answer to that counts once."""
    table, question = form.table, form.question
    if table is None or question is None:
        return False
    settings, paid = form.inputs.settings, payer and (payer.name, payer.budget)
    wanted: Wanted = (table.identity, table.one, settings, form.asked, paid)
    if pressed:
        _ask(next(_NUMBERS), wanted, _facts(form.inputs, table, question, payer))
        return False
    return _take(wanted)


def _take(wanted: Wanted) -> bool:
    """Return whether just this was confirmed since the last run; a second click on the same answer is none."""
    stored: tuple[int, Wanted] | None = st.session_state.get(_SAID)
    if stored is None:
        return False
    del st.session_state[_SAID]
    if stored[0] <= st.session_state.get(_TAKEN, 0):
        return False
    st.session_state[_TAKEN] = stored[0]
    return stored[1] == wanted


def _facts(inputs: Inputs, table: ChosenTable, question: Question, payer: PayingAccount | None) -> dict[str, str]:
    """Return what the question repeats. Public facts only."""
    together = ", for all columns together" if question.several else ""
    from_whom = f", from the budget of {payer.name}" if payer else ""
    points, many = points_of(question, inputs.count), table.column.many
    among = (
        f" on average among {inputs.count or 0:,} {many}{' of a group' if question.groups else ''}; more among fewer"
    )
    if inputs.groups and inputs.groups.guesses:
        among = " on average in groups of the sizes that you gave; more in smaller ones"
    far_off = far_off_in_words(question) if question.several else ""
    return {
        "You ask for": question_in_words(question),
        "Possible values": all_values_in_words(table, question),
        "It protects": f"whether {inputs.adjacency.of(table.protected)}",
        "It uses": f"{price_in_words(question.budget, payer)}{from_whom}{together}",
        "Expected error": error_in_words(points, among),
        **({"Often far off": far_off} if far_off else {}),
    }


@st.dialog("Release this?", width="medium", icon=":material/lock:")
def _ask(number: int, wanted: Wanted, facts: Mapping[str, str]) -> None:
    """Repeat the request, and ask for confirmation once."""
    if _SAID in st.session_state:  # the dialog closes, and the page draws what was confirmed
        st.rerun()
    rows = "  \n".join(f":gray[{label}] {escape(fact)}" for label, fact in facts.items())
    st.markdown(rows)
    st.caption(FINAL)
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
