"""The page between its controls and its results: whether it can draw, and what it shows."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from dpq_core.plan import Plan
from dpq_core.results import TableRequest, expected_points, level_name
from dpq_core.results.groups.choice import GroupChoice

from .. import steps
from ..budget import PayingAccount
from ..frame import Mode, complain, escape, pieces, sentence_of
from ..quantiles import questions
from . import drawing, results
from .data import ChosenTable, mode_of

MODE_LABEL = "One release of all columns. You are asked once more before anything is spent."
MOST_NAMED = 5
"""Quantiles of one column that are named one by one."""


def why_not(table: ChosenTable | None, request: TableRequest | None, payer: PayingAccount | None) -> str:
    """Return why the button cannot be pressed; empty where it can."""
    if table is None:
        return questions.NO_DATA
    if request is None:
        return "A setting of a column, of groups or of the budget needs another value first."
    if drawing.refused(request) is not None:
        return "These settings do not go together: what is wrong stands under the columns."
    return drawing.not_paid(payer, table, request)


def button(table: ChosenTable | None, request: TableRequest | None, payer: PayingAccount | None, reason: str) -> bool:
    """Draw the primary button, under what has to be answered first; while it is disabled a line says why."""
    mode = mode_of(table)
    icon = ":material/casino:" if mode is Mode.EXPLORE else ":material/lock:"
    ask_first = partial(questions.ask, drawing.as_one(request) if request else None, payer)
    price = "" if mode is Mode.EXPLORE else MODE_LABEL
    return pieces.primary_button(mode.verb, "run_columns", icon, reason, otherwise=price, questions=ask_first)


def confirmed(
    table: ChosenTable | None, request: TableRequest | None, payer: PayingAccount | None, *, pressed: bool
) -> bool:
    """Return whether all columns are to be drawn now: in Release a press asks first, and the answer counts once."""
    if table is None or request is None:
        return False
    wanted = (table.identity, table.one, request, payer and (payer.name, payer.budget))
    return steps.confirmed_with(
        "run_columns", table.mode, wanted, lambda: facts_of(table, request, payer), pressed=pressed
    )


def facts_of(table: ChosenTable, request: TableRequest, payer: PayingAccount | None) -> dict[str, str]:
    """Return what the question before a release repeats. Public facts only."""
    columns = [column for column in table.columns if column.name in request.plans]
    whole = drawing.as_one(request)
    levels = {each.name: f"{levels_in_words(request.plans[each.name])} of " for each in columns}
    values = {each.name: f"{steps.values_in_words(each, request.bounds[each.name])} for " for each in columns}
    far_off = drawing.far_off_in_words(request)
    in_groups = groups_in_words(request.groups)
    among = f"{request.about_n:,} {columns[0].many}{' of a group' * bool(in_groups)}"
    return {
        "You ask for": f"{_each_said_once(levels)}{intervals_in_words(whole)}{in_groups}",
        "Possible values": _each_said_once(values),
        "It protects": f"whether {whole.adjacency.of(table.protected)}",
        "It uses": f"{steps.cost_in_words(whole, payer)}, for all columns together",
        "Expected error": steps.error_in_words(
            expected_points(request),
            f" on average among {among}; more among fewer",
        ),
        **({"Often far off": far_off} if far_off else {}),
        **steps.read_otherwise(payer, {name: said for each in columns for name, said in each.said.items()}),
    }


def intervals_in_words(plan: Plan) -> str:
    """Return that intervals are asked for; empty where none are."""
    return "" if plan.intervals is None else f", with {plan.intervals.percent} intervals"


def groups_in_words(groups: GroupChoice | None) -> str:
    """Return for which groups: `, for each of 12 groups of region and sex`; empty for one answer of each column."""
    if groups is None:
        return ""
    answered, by = groups.answered, " and ".join(groups.columns)
    return f", for every group found of {by}" if answered is None else f", for each of {len(answered):,} groups of {by}"


def say_refusal(request: TableRequest | None) -> None:
    """Say under the columns why they cannot be answered as is asked, in the library's own words."""
    refused = drawing.refused(request) if request else None
    if refused is not None:
        complain(sentence_of(refused))


def levels_in_words(plan: Plan) -> str:
    """Return which quantiles are asked: a few by their shares, many by their number."""
    levels = [level_name(level).partition(" · ")[0] for level in plan.quantiles]
    return ", ".join(levels) if len(levels) <= MOST_NAMED else f"{len(levels):,} quantiles"


def _each_said_once(said: Mapping[str, str]) -> str:
    """Return what is said of each column, in one breath where it is the same."""
    return "; ".join(
        words + ", ".join(name for name in said if said[name] == words) for words in dict.fromkeys(said.values())
    )


def headline(table: ChosenTable | None, request: TableRequest | None) -> str:
    """Return the line under the page's question."""
    if table is None:
        return pieces.badge_of(mode_of(None))
    protected = f" · {drawing.as_one(request).adjacency.of(table.protected)}" if request else ""
    return f":gray[Chosen now: {escape(table.about)}{escape(protected)}] {pieces.badge_of(table.mode)}"


def show(table: ChosenTable | None, request: TableRequest | None, *, ready: bool) -> None:
    """Show the last outcome of these columns, or that there is none yet."""
    mode = mode_of(table)
    outcome = drawing.outcome_of(table)
    if table is None or outcome is None:
        pieces.nothing_yet(mode, mode.verb, ready)
        return
    changed = "" if drawing.is_current(table, request) else f"Settings changed: press {mode.verb}"
    with pieces.result("columns"):
        results.show(outcome, changed, drawing.spent_of(outcome))
