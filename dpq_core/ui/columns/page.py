"""The page between its controls and its results: whether it can draw, and what it shows."""

from __future__ import annotations

from functools import partial

from ...results import TableRequest
from ..budget import PayingAccount
from ..quantiles import questions
from ..shell import Mode, escape, pieces
from . import drawing, results
from .data import ChosenTable

MODE_LABEL = "Each press is one new release of all columns and spends the budget again."


def why_not(table: ChosenTable | None, request: TableRequest | None, payer: PayingAccount | None) -> str:
    """Return why the button cannot be pressed; empty where it can."""
    if table is None:
        return "First bring data, or correct the fields in red."
    if request is None:
        return "A setting of a column or of the budget needs another value first."
    return drawing.not_paid(payer, table, request)


def button(table: ChosenTable | None, request: TableRequest | None, payer: PayingAccount | None, reason: str) -> bool:
    """Draw the primary button, under what has to be answered first; while it is disabled a line says why."""
    mode = table.mode if table else Mode.RELEASE
    icon = ":material/casino:" if mode is Mode.EXPLORE else ":material/lock:"
    ask_first = partial(questions.ask, drawing.as_one(request) if request else None, payer)
    price = "" if mode is Mode.EXPLORE else MODE_LABEL
    return pieces.primary_button(mode.verb, "run_columns", icon, reason, otherwise=price, questions=ask_first)


def headline(table: ChosenTable | None, request: TableRequest | None) -> str:
    """Return the line under the page's question."""
    if table is None:
        return pieces.badge_of(Mode.RELEASE)
    protected = f" · {drawing.as_one(request).adjacency.of(table.protected)}" if request else ""
    return f":gray[Chosen now: {escape(table.about)}{escape(protected)}] {pieces.badge_of(table.mode)}"


def show(table: ChosenTable | None, request: TableRequest | None, *, ready: bool) -> None:
    """Show the last outcome of these columns, or that there is none yet."""
    mode = table.mode if table else Mode.RELEASE
    outcome = drawing.outcome_of(table)
    if table is None or outcome is None:
        pieces.nothing_yet(mode.verb, mode.verb, ready, pieces.note(mode))
        return
    changed = "" if drawing.is_current(table, request) else f"Settings changed: press {mode.verb}"
    with pieces.result("columns"):
        results.show(outcome, changed, drawing.spent_of(outcome))
