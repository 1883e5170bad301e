"""What data sets have spent: totals, history and an auditor's files. Nothing here is data, and neither an answer."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from ..mechanisms import MECHANISMS
from . import budget, pieces
from .exports import for_spreadsheets
from .page import complain, escape, term
from .settings import PREFIX, key

if TYPE_CHECKING:  # it needs SQLAlchemy, which the other pages do without
    from ..ledger import Account, Entry, Standing

NOTHING = (
    "Nothing has been released on this server yet. The first release of a column of your own opens an account for it, "
    "and from then on everything that is spent stands here."
)
STATES = {
    "charged": "no answer: being drawn, or the server stopped",
    "answered": "answered",
    "infeasible": "no sound answer; only finding out is counted",
    "failed": "no answer, counted in full",
    "cancelled": "no answer, nothing counted",
}
MOST_ENTRIES = 500
"""The newest ones on the screen; the files hold all."""


def choose_account() -> Standing | None:
    """What the chosen data set has spent, or None while there is none."""
    from ..ledger import standing

    ledger = budget.open_ledger()
    if isinstance(ledger, str):
        complain(ledger)
        return None
    accounts = {account.name: account for account in reversed(ledger.accounts())}
    if not accounts:
        with st.container(border=True):
            st.markdown("**Nothing spent yet.**")
            st.caption(NOTHING)
            pieces.page_link("quantiles", "Quantiles of a file of my own", {"data": "file"})
        return None
    name = st.selectbox(
        "Data set", list(accounts), key=key("data_set"), help=term("data set"), persist_state="session", width=420
    )
    return standing(accounts[name])


def about(account: Account) -> str:
    """The line under the question: whom the budget protects, and since when."""
    hides = account.adjacency.in_words.replace("one person", f"one {account.one_row_is}")
    closed = f" · closed on {account.closed[:10]}" if account.closed else ""
    return f":gray[{escape(account.name)} · {escape(hides)} · opened on {account.opened[:10]}{closed}]"


def show_totals(found: Standing) -> None:
    """Spent, left, and what it would have been with all plans made in advance."""
    with st.container(horizontal=True, gap="medium"):
        st.metric("Spent", budget.spent_in_words(found), help=term("spent"), width="stretch")
        left = f"{budget.unit_of(found.account)} = {budget.shown_down(found.remaining)}"
        st.metric("Left for the next release", left, help=term("left"), width="stretch")
        planned = found.planned
        if planned is not None:
            words = f"ε = {budget.shown_up(planned)}"
            st.metric("If planned in advance", words, help=term("planned in advance"), width="stretch")
        st.metric("Releases", f"{len(found.entries):,}", width="stretch")
    st.progress(budget.share_spent(found))
    st.caption(f"The budget is {found.account.budget}. {_decides(found)}")


def _decides(found: Standing) -> str:
    concentrated = found.concentrated_epsilon
    if concentrated is None:
        return "The plain sum of all releases decides."
    plain = budget.shown_up(found.plain_epsilon)
    return (
        f"The plain sum of all releases is ε = {plain}; the sum of their ρ gives ε = {budget.shown_up(concentrated)}. "
        "Both hold, so the smaller decides."
    )


def show_history(found: Standing) -> None:
    """Every release, the newest first: what was asked and what it cost, never an answer."""
    if not found.entries:
        st.caption("No release yet.")
        return
    shown = found.entries[: -MOST_ENTRIES - 1 : -1]
    columns: dict[str, list[Any]] = {
        "when (UTC)": [entry.charged[:16].replace("T", " ") for entry in shown],
        "asked": [_asked(entry) for entry in shown],
        "mechanism": [MECHANISMS[entry.plan.mechanism].LABEL for entry in shown],
        "budget": [str(entry.plan.privacy) for entry in shown],
        "counted": [_counted(entry) for entry in shown],
        "outcome": [STATES[entry.state.value] for entry in shown],
    }
    pieces.table(columns, "Every release of this data set with what it cost", left=len(columns))
    if len(found.entries) > MOST_ENTRIES:
        st.caption(f"The newest {MOST_ENTRIES:,} of {len(found.entries):,}; the files hold all.")


def _asked(entry: Entry) -> str:
    count = len(entry.plan.quantiles)
    if entry.size is not None:
        return f"a synthetic column of {entry.size:,}"
    return f"{count:,} quantile{'' if count == 1 else 's'}"


def _counted(entry: Entry) -> str:
    """What the release adds to the plain sum, or to that of ρ alone."""
    counted = entry.counted
    if not counted.epsilon.is_finite():
        return f"ρ = {budget.shown_up(float(counted.rho))}"
    delta = f", δ = {float(counted.delta):g}" if counted.delta else ""
    return f"ε = {budget.shown_up(float(counted.epsilon))}{delta}"


def show_files(found: Standing) -> None:
    """The history for an auditor, made when it is asked for."""
    from ..ledger import history_as_csv, history_as_json

    with st.container(horizontal=True, gap="small"):
        for label, content, icon in (
            ("CSV", history_as_csv, ":material/download:"), ("JSON", history_as_json, ":material/data_object:")
        ):  # fmt: skip
            made = partial(content, found)
            st.download_button(
                label, for_spreadsheets(made) if label == "CSV" else made, f"budget-history.{label.lower()}",
                key=f"{PREFIX}_history_{label}", icon=icon, on_click="ignore",
            )  # fmt: skip
    st.caption(
        "For an auditor: every release with its plan and its guarantee, exact sums, no data and no answer. Whoever "
        "can open this server can read it."
    )
