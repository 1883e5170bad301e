"""What a data set has spent, every release of it, and an auditor's files: no data and no answers."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from dpq_core.mechanisms.registry import MECHANISMS
from dpq_core.privacy.budgets import ApproxDP
from dpq_core.release import now

from ..payment.ledger import is_underway
from ..server import downloads
from ..shell import pieces
from ..shell.header import term

if TYPE_CHECKING:  # it needs SQLAlchemy, which the other pages do without
    from dpq_core.ledger.accounts import Account
    from dpq_core.ledger.history.entries import Entry, Line, Standing

STATES = {
    "charged": "no answer: being drawn by another process, or the server stopped",
    "answered": "answered",
    "infeasible": "no sound answer; only finding out is counted",
    "failed": "no answer, counted in full",
    "cancelled": "no answer, nothing counted",
}
DETAILS = {
    "sum_of_prices": "What the releases cost one by one.",
    "saved_by_counting_together": "Sums of ρ grow more slowly than sums of ε, so this much more is left.",
    "guarantee_so_far": "All answers together guarantee this, with at most the δ of the budget.",
}
SUMS = {"delta": "δ", "rho": "Sum of ρ"}
NO_SUCH_NUMBER = "There is none: a release states only a ρ, or no finite number holds."
COUNTED_HELP = (
    "Price: what the release would cost alone. Counted: how much it took off the budget, which is less than the price "
    "where counting releases together saves. Left: what remained after it."
)
MOST_ENTRIES = 500
"""The newest ones on the screen; the files hold all."""
NONE = "–"


def read(account: Account) -> Standing:
    """Return what an account has spent, and every release of it. Raises LedgerError."""
    from dpq_core.ledger.history.entries import standing

    return standing(account)


def show_totals(history: Standing) -> None:
    """Show total, spent and left, which add up, and the sums behind them under Details."""
    from dpq_core.ledger.history.amounts import shown

    balance, budget = history.balance, history.account.budget
    amounts = {"Total": balance.total, "Spent": balance.spent, "Left": balance.left}
    with st.container(horizontal=True, gap="medium"):
        for label, amount in amounts.items():
            st.metric(label, f"{balance.letter} = {shown(amount)}", help=term(label.lower()), width="stretch")
        st.metric("Releases", f"{len(history.lines):,}", width="stretch")
    st.progress(float(balance.spent / balance.total))
    st.caption(f"The budget is {budget}. What is spent and what is left add up to it.")
    if isinstance(budget, ApproxDP):
        with st.expander("Details", type="compact"):
            details = history.details()
            for name, sentence in DETAILS.items():
                number = details[name]
                st.caption(f"**{in_capitals(name)}** " + (f"ε = {number}. {sentence}" if number else NO_SUCH_NUMBER))
            for name, letter in SUMS.items():
                parts = details.get(name)
                if isinstance(parts, dict):
                    sums = [f"{amount} {part.replace('_', ' ')}" for part, amount in parts.items() if part != "total"]
                    st.caption(f"**{letter}** {' + '.join(sums)} = {parts['total']}.")


def in_capitals(name: str) -> str:
    """Return a name of the files as a label: `sum_of_prices` -> `Sum of prices`."""
    return name.replace("_", " ").capitalize()


def show(history: Standing) -> None:
    """Show every release, the newest first: what was asked, its price, and what it left; and files with all of them."""
    from dpq_core.ledger.history.amounts import shown
    from dpq_core.ledger.history.statement import history_as_csv, history_as_json

    account, letter = history.account, history.balance.letter
    st.subheader("All releases", anchor=False)
    lines = history.lines[: -MOST_ENTRIES - 1 : -1]
    columns: dict[str, list[Any]] = {
        "no.": [f"{line.entry.place:,}" for line in lines],
        "when (UTC)": [line.entry.charged[:16].replace("T", " ") for line in lines],
        "by": [line.entry.who or NONE for line in lines],
        "requested": [line.entry.requested for line in lines],
        "of": [", ".join(line.entry.names) or NONE for line in lines],
        "groups": [line.entry.groups or NONE for line in lines],
        "mechanism": [", ".join(MECHANISMS[key].LABEL for key in line.entry.plan.mechanisms) for line in lines],
        "outcome": [_outcome(line.entry) for line in lines],
        f"price ({letter})": [_price(line) for line in lines],
        f"counted ({letter})": [shown(line.counted) for line in lines],
        f"left ({letter})": [shown(line.left) for line in lines],
    }
    columns = {name: cells for name, cells in columns.items() if name not in ("by", "groups") or {*cells} - {NONE}}
    words = len(columns) - 3  # the amounts come last
    pieces.table(
        columns, "Every release of this data set with its price, what it counted and what was left", left=words
    )
    newest = f" These are the newest {MOST_ENTRIES:,} of {len(history.lines):,} releases; the files hold all."
    st.caption(COUNTED_HELP + newest * (len(history.lines) > MOST_ENTRIES))
    files = {"CSV": partial(history_as_csv, history), "JSON": partial(history_as_json, history)}
    downloads.show(files, "budget-history", of=account.name, day=now())
    st.caption(
        "For an auditor: the numbers above with the exact sums behind them, and every release with its plan and its "
        "guarantee. The files hold no data and no answer."
    )


def _outcome(entry: Entry) -> str:
    drawing = entry.finished is None and is_underway(entry.release_id)
    return "in progress: charged, and being drawn" if drawing else STATES[entry.state.value]


def _price(line: Line) -> str:
    from dpq_core.ledger.history.amounts import shown

    if line.price is None:
        return f"ρ = {shown(line.entry.counted.rho)}"
    return shown(line.price) + (f", δ = {shown(line.delta)}" if line.delta else "")
