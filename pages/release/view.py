"""What stands around the answer of the page Release: which data, the way to try the question, and the last answer."""

from __future__ import annotations

import streamlit as st

from dpq_core.errors import LedgerError
from dpq_core.mechanisms.registry import MECHANISMS
from dpq_core.report.facts import Report
from dpq_core.typed import about_in

from ..answers import answers
from ..form import refusals
from ..form import table as settings
from ..form.form import Form
from ..form.table import MADE_UP, SETTINGS, text
from ..payment.account import PayingAccount, spent_of
from ..releases import choice, report
from ..shell import pieces, state
from ..shell.header import escape
from .questions import VERB

NOTHING = "Nothing released since this page was opened."
NOTHING_LEAVES = " Until then nothing of the data leaves the server."


def show_headline(form: Form) -> None:
    """Show which data these are, and that nothing exact of them is on the screen."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(pieces.headline(form.named, form.adjacency, pieces.PRIVATE_ONLY), width="content")
        with st.container(width="content"):
            pieces.page_link("explore", "Try this question on made-up data", question_on_made_up_data())


def question_on_made_up_data() -> dict[str, str]:
    """Return the settings with which Explore asks the same of made-up values: of the column on the screen, whole."""
    here = {*settings.PAGES["release"]} - {*settings.GROUPS, "weight"}
    asked = [name for name in settings.PAGES["explore"] if name in here]
    said = {name: text(name) for name in asked if text(name) != SETTINGS[name].default and settings.counts(name)}
    return said | {"data": MADE_UP, "intervals": text("release_intervals")}


def _show_again() -> bool:
    """Show the report of an answer that was released before the page was loaded again; return whether there is one."""
    try:
        stored = choice.last_released()
    except LedgerError as error:
        st.error(escape(str(error)))
        return True
    if stored is None:
        return False
    size = SETTINGS["shape_size"]
    guess = about_in(text("shape_size") if size.takes(text("shape_size")) else size.default)
    with st.container(border=True):
        st.markdown("**Released before this page was loaded again**")
        report.show(Report.of_stored(stored, guess))
        pieces.page_link("releases", "All that was released", {"answer": choice.name_of(stored)})
    return True


def show(form: Form, payer: PayingAccount | None, *, ready: bool) -> None:
    """Show the last answer, or that there is none yet; folded under a refusal, where there is one."""
    table = form.table
    refused = refusals.find("release", form)
    if refused:
        refusals.show("release", refused, payer)
    outcome = state.released(table.identity) if table else None
    if table is None or outcome is None:
        if not refused and not (table is None and _show_again()):
            with pieces.nothing_yet(VERB, ready, NOTHING, NOTHING_LEAVES):
                pieces.page_link("releases", "Answers from before, also before a reload", {})
        return
    changed = "" if form.made(outcome) else f"Settings changed: press {VERB}"
    if not refused:
        answers.show(outcome, changed, spent_of(outcome.release.account))
        return
    earlier = f"The release before: {escape(MECHANISMS[outcome.plan.mechanism].LABEL)}, {outcome.plan.privacy}"
    with st.expander(earlier, icon=":material/history:"):
        answers.show(outcome, "", spent_of(outcome.release.account))
