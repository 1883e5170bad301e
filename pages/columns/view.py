"""The page between its controls and its results: whether it can draw, and what it shows."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import streamlit as st

from dpq_core.errors import Infeasible, ParameterError
from dpq_core.privacy.budgets import Guarantee
from dpq_core.results.data_set import PrivateData
from dpq_core.results.kinds import Answered, Released, Simulated
from dpq_core.results.tables.expected import resolved
from dpq_core.results.tables.kinds import TableRequest
from pages.budget import panel
from pages.steps import confirm

from .. import keys
from ..budget.panel import PayingAccount
from ..form.data import mode_to_come
from ..form.requests import plan_of_whole
from ..frame import links, pieces, state
from ..frame.header import complain, escape, sentence_of
from ..frame.state import ChosenTable, Mode
from ..quantiles import questions
from ..server import work
from ..settings.table import text
from . import results
from .words import facts_of

_JUDGED = keys.state("table_judged")
MODE_LABEL = "One release of all columns. You are asked once more before anything is spent."


def _mode(table: ChosenTable | None) -> Mode:
    """Return what the screen may show; before there is a table, by what was said of it."""
    return mode_to_come() if table is None else table.mode


def outcome_of(table: ChosenTable | None) -> Answered | None:
    """Return the last outcome that may stand beside these columns."""
    if table is None:
        return None
    if table.mode is Mode.RELEASE:
        state.forget_explored(table.identity)
    return state.table_of(table.identity, table.mode)


def seed_to_draw(table: ChosenTable | None, request: TableRequest | None, *, pressed: bool, ready: bool) -> int | None:
    """Return the seed of the simulation that is due now, if one is: at a press, from a link, or as first picture."""
    ready = ready and table is not None and table.mode is Mode.EXPLORE
    opens = table is not None and table.columns[0].is_example and not state.has_simulated(table.identity)
    outcome = outcome_of(table) if table is not None and is_current(table, request) else None
    shown = outcome.seed if isinstance(outcome, Simulated) else None
    wanted = int(text("seed")) if opens else None
    return links.due_seed("seed", shown, pressed=pressed, ready=ready, wanted=wanted)


def is_current(table: ChosenTable, request: TableRequest | None) -> bool:
    """Return whether the page still asks for what the outcome was made from."""
    found = state.table_of(table.identity, table.mode)
    return found is not None and request is not None and (found.one, found.request.asked) == (table.one, request)


def not_paid(payer: PayingAccount | None, table: ChosenTable, request: TableRequest) -> str:
    """Return why no budget pays for a release; empty where one does, and in Explore."""
    if table.mode is Mode.EXPLORE:
        return ""
    plan = plan_of_whole(request)
    least = Guarantee.of(plan.privacy, plan.adjacency)  # whether a delta is spent, the press decides
    return questions.not_paid(payer, replace(least, delta=0.0), plan)


def refused(request: TableRequest) -> ParameterError | None:
    """Return why the columns cannot be answered as is asked, from public facts; None where they can.

    What depends on the number of records, the press decides. Kept for the next run of the page.
    """
    stored: tuple[TableRequest, ParameterError | None] | None = st.session_state.get(_JUDGED)
    if stored is not None and stored[0] == request:
        return stored[1]
    found: ParameterError | None = None
    try:
        work.know(resolved, request).calibrated()
    except Infeasible:
        pass
    except ParameterError as error:
        found = error.with_traceback(None)
    st.session_state[_JUDGED] = (request, found)
    return found


def payer_data(table: ChosenTable | None) -> PrivateData | None:
    """Return what the account that pays is chosen for: the file, by one of its columns."""
    return table.private[0] if table is not None and table.private else None


def why_not(table: ChosenTable | None, request: TableRequest | None, payer: PayingAccount | None) -> str:
    """Return why the button cannot be pressed; empty where it can."""
    if table is None:
        return questions.NO_DATA
    if request is None:
        return "A setting of a column, of groups or of the budget needs another value first."
    if refused(request) is not None:
        return "These settings do not go together. The message under the columns says why."
    return not_paid(payer, table, request)


def button(table: ChosenTable | None, request: TableRequest | None, payer: PayingAccount | None, reason: str) -> bool:
    """Draw the primary button, under what has to be answered first; while it is disabled a line says why."""
    mode = _mode(table)
    icon = ":material/casino:" if mode is Mode.EXPLORE else ":material/lock:"
    ask_first = partial(questions.ask, plan_of_whole(request) if request else None, payer)
    price = "" if mode is Mode.EXPLORE else MODE_LABEL
    return pieces.primary_button(
        mode.verb, keys.widget("run_columns"), icon, reason, otherwise=price, questions=ask_first
    )


def confirmed(
    table: ChosenTable | None, request: TableRequest | None, payer: PayingAccount | None, *, pressed: bool
) -> bool:
    """Return whether all columns are to be drawn now: in Release a press asks first, and the answer counts once."""
    if table is None or request is None:
        return False
    wanted = (table.identity, table.one, request, payer and (payer.name, payer.budget))
    return confirm.confirmed_with(
        "run_columns", table.mode, wanted, lambda: facts_of(table, request, payer), pressed=pressed
    )


def say_refusal(request: TableRequest | None) -> None:
    """Say under the columns why they cannot be answered as is asked, in the library's own words."""
    found = refused(request) if request else None
    if found is not None:
        complain(sentence_of(found))


def headline(table: ChosenTable | None, request: TableRequest | None) -> str:
    """Return the line under the page's question."""
    if table is None:
        return pieces.badge_of(mode_to_come())
    protected = f" · {plan_of_whole(request).adjacency.of(table.protected)}" if request else ""
    return f":gray[Now showing: {escape(table.about)}{escape(protected)}] {pieces.badge_of(table.mode)}"


def show(table: ChosenTable | None, request: TableRequest | None, *, ready: bool) -> None:
    """Show the last outcome of these columns, or that there is none yet."""
    mode = _mode(table)
    outcome = outcome_of(table)
    if table is None or outcome is None:
        pieces.nothing_yet(mode, mode.verb, ready)
        return
    changed = "" if is_current(table, request) else f"Settings changed: press {mode.verb}"
    with pieces.result("columns"):
        spent = panel.spent_of(outcome.account) if isinstance(outcome, Released) else ""
        results.show(outcome, changed, spent)
