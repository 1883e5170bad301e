"""The Budget page: what a data set has spent, its history and an auditor's files, without data and answers."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from dpq_core.errors import LedgerError
from dpq_core.frames.rows import level_name
from dpq_core.mechanisms.registry import MECHANISMS
from dpq_core.plan import Plan
from dpq_core.privacy.budgets import ApproxDP
from dpq_core.release import now
from dpq_core.results.wording import count_in_words

from .. import keys
from ..frame import pieces
from ..frame.header import complain, escape, term
from ..server import downloads
from . import panel, underway

if TYPE_CHECKING:  # it needs SQLAlchemy, which the other pages do without
    from dpq_core.ledger.accounts import Account
    from dpq_core.ledger.history.entries import Entry, EntryGroups
    from dpq_core.ledger.history.statement import Statement, StatementLine

NOTHING = (
    "Nothing has been released on this server yet. The first release of a column of your own opens an account for it, "
    "and from then on this page lists everything that is spent."
)
STATES = {
    "charged": "no answer: being drawn by another process, or the server stopped",
    "answered": "answered",
    "infeasible": "no sound answer; only finding out is counted",
    "failed": "no answer, counted in full",
    "cancelled": "no answer, nothing counted",
}
IN_PROGRESS = "in progress: charged, and being drawn"
DETAILS = {
    "sum_of_prices": "What the releases cost one by one.",
    "saved_by_counting_together": "Sums of ρ grow more slowly than sums of ε, and hold although plans may follow "
    "earlier answers: so much more is left.",
    "guarantee_so_far": "All answers together keep this, with at most the δ of the budget.",
}
SUMS = {"delta": "δ", "rho": "Sum of ρ"}
NO_SUCH_NUMBER = "There is none: a release states only a ρ, or no finite number holds."
COUNTED_HELP = (
    "Price: what a release costs alone. Counted: what it took off the budget, which is its price or, where counting "
    "together saves, less. Left: what was left after it."
)
MOST_NAMED = 5
"""Levels, columns or groups of one release that are named one by one."""
MOST_ENTRIES = 500
"""The newest ones on the screen; the files hold all."""


def choose_history() -> Statement | None:
    """Ask for a data set, and return what it has spent; None while there is none."""
    ledger = panel.open_ledger()
    if isinstance(ledger, str):
        complain(ledger)
        return None
    try:
        return _chosen({account.name: account for account in reversed(ledger.accounts())})
    except LedgerError as error:
        complain(str(error))
        return None


def _chosen(accounts: dict[str, Account]) -> Statement | None:
    from dpq_core.ledger.history.entries import standing
    from dpq_core.ledger.history.statement import statement

    if not accounts:
        with st.container(border=True):
            st.markdown("**Nothing spent yet.**")
            st.caption(NOTHING)
            pieces.page_link("quantiles", "Quantiles of a file of my own", {"data": "file"})
        return None
    name = st.selectbox(
        "Data set",
        list(accounts),
        key=keys.widget("data_set"),
        help=term("data set"),
        persist_state="session",
        width=420,
    )
    return statement(standing(accounts[name]))


def about(account: Account) -> str:
    """Return the line under the question: whom the budget protects, and since when."""
    hides = account.adjacency.of(account.protected)
    closed = f" · closed on {account.closed[:10]}" if account.closed else ""
    return f":gray[{escape(account.name)} · {escape(hides)} · opened on {account.opened[:10]}{closed}]"


def show_totals(history: Statement) -> None:
    """Show total, spent and left, which add up, and the sums behind them under Details."""
    from dpq_core.ledger.history.entries import shown

    balance, letter = history.balance, history.balance.letter
    amounts = {"Total": balance.total, "Spent": balance.spent, "Left": balance.left}
    with st.container(horizontal=True, gap="medium"):
        for label, amount in amounts.items():
            st.metric(label, f"{letter} = {shown(amount)}", help=term(label.lower()), width="stretch")
        st.metric("Releases", f"{len(history.lines):,}", width="stretch")
    st.progress(float(balance.spent / balance.total))
    st.caption(f"The budget is {history.found.account.budget}. What is spent and what is left add up to it.")
    if isinstance(history.found.account.budget, ApproxDP):
        with st.expander("Details", type="compact"):
            _show_details(history.details())


def _show_details(details: dict[str, str | dict[str, str] | None]) -> None:
    """Show what composition saves and what else decides, by the names and numbers of the files."""
    for name, sentence in DETAILS.items():
        amount = details[name]
        st.caption(f"**{in_capitals(name)}** " + (f"ε = {amount}. {sentence}" if amount else NO_SUCH_NUMBER))
    for name, letter in SUMS.items():
        parts = details.get(name)
        if isinstance(parts, dict):
            sums = [f"{amount} {part.replace('_', ' ')}" for part, amount in parts.items() if part != "total"]
            st.caption(f"**{letter}** {' + '.join(sums)} = {parts['total']}.")


def in_capitals(name: str) -> str:
    """Return a name of the files as a label: `sum_of_prices` -> `Sum of prices`."""
    return name.replace("_", " ").capitalize()


def show_history(history: Statement) -> None:
    """Show every release, the newest first: what was asked, its price, and what it left; never an answer."""
    from dpq_core.ledger.history.entries import shown

    if not history.lines:
        st.caption("No release yet.")
        return
    lines, letter = history.lines[: -MOST_ENTRIES - 1 : -1], history.balance.letter
    columns: dict[str, list[Any]] = {
        "no.": [f"{line.entry.place:,}" for line in lines],
        "when (UTC)": [line.entry.charged[:16].replace("T", " ") for line in lines],
        **({"by": [line.entry.who or "–" for line in lines]} if any(line.entry.who for line in lines) else {}),
        "requested": [_requested(line.entry) for line in lines],
        "of": [", ".join(line.entry.names) or "–" for line in lines],
        **({"groups": [_groups(line.entry) for line in lines]} if any(line.entry.grouped for line in lines) else {}),
        "mechanism": [_mechanisms(line.entry) for line in lines],
        "outcome": [_outcome(line.entry) for line in lines],
        f"price ({letter})": [_price(line) for line in lines],
        f"counted ({letter})": [shown(line.counted) for line in lines],
        f"left ({letter})": [shown(line.left) for line in lines],
    }
    words = len(columns) - 3  # the amounts come last
    pieces.table(
        columns, "Every release of this data set with its price, what it counted and what was left", left=words
    )
    st.caption(COUNTED_HELP)
    if len(history.lines) > MOST_ENTRIES:
        st.caption(f"The newest {MOST_ENTRIES:,} of {len(history.lines):,}; the files hold all.")


def _requested(entry: Entry) -> str:
    if entry.size is not None:
        return f"a synthetic column of {entry.size:,}"
    if isinstance(entry.plan, Plan) or entry.quantiles:
        quantiles = levels_in_words(entry.quantiles)
        return quantiles if entry.columns == 1 else f"{quantiles} of {entry.columns:,} columns"
    if entry.columns > MOST_NAMED:
        return f"{count_in_words(entry.levels, 'quantile')} of {entry.columns:,} columns"
    each = zip(entry.plan.names, entry.plan.plans, strict=True)
    return "; ".join(f"{name}: {levels_in_words(plan.quantiles)}" for name, plan in each)


def _groups(entry: Entry) -> str:
    """Return the groups of a release: those of all columns together, or of each."""
    if entry.groups is not None:
        return _groups_in_words(entry.groups)
    if not entry.grouped:
        return "–"
    if entry.columns > MOST_NAMED:
        return "some columns in groups"
    each = zip(entry.names, entry.in_groups, strict=True)
    return "; ".join(f"{name}: {'no groups' if own is None else _groups_in_words(own)}" for name, own in each)


def _groups_in_words(groups: EntryGroups) -> str:
    """Return groups by their names, a few one by one; those that were found are part of the answer."""
    if groups.found:
        return "found by the release"
    if not groups.names:
        return "every group"
    few = len(groups.names) <= MOST_NAMED
    return ", ".join(groups.names) if few else count_in_words(len(groups.names), "group")


def levels_in_words(levels: Sequence[Fraction]) -> str:
    """Return levels by their shares, a few one by one: `25 %, 50 %, 75 %`; many by their number and their ends."""
    if len(levels) <= MOST_NAMED:
        return ", ".join(level_name(level).partition(" · ")[0] for level in levels)
    ends = (level_name(level).partition(" · ")[0] for level in (min(levels), max(levels)))
    return f"{count_in_words(len(levels), 'quantile')}, {' to '.join(ends)}"


def _outcome(entry: Entry) -> str:
    drawing = entry.finished is None and underway.is_underway(entry.release_id)
    return IN_PROGRESS if drawing else STATES[entry.state.value]


def _mechanisms(entry: Entry) -> str:
    return ", ".join(MECHANISMS[key].LABEL for key in entry.mechanisms)


def _price(line: StatementLine) -> str:
    from dpq_core.ledger.history.entries import shown

    if line.price is None:
        return f"ρ = {shown(line.entry.counted.rho)}"
    return shown(line.price) + (f", δ = {shown(line.delta)}" if line.delta else "")


def show_files(history: Statement) -> None:
    """Offer the history to an auditor as files, which are made on request."""
    from dpq_core.ledger.history.statement import history_as_csv, history_as_json

    files = {"CSV": partial(history_as_csv, history.found), "JSON": partial(history_as_json, history.found)}
    downloads.show(files, "budget-history", of=history.found.account.name, day=now())
    st.caption(
        "For an auditor: the numbers above and the exact sums behind them, every release with its plan and its "
        "guarantee, no data and no answer. Everyone who can open this server can read it."
    )
