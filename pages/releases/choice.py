"""Which data set, and which of its releases: those that the ledger of this server keeps."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import streamlit as st

from dpq_core.frame import COLUMN
from dpq_core.results.wording import count_in_words

from .. import keys
from ..form.table import SETTINGS, key, text
from ..payment.ledger import key_problem, open_ledger
from ..shell import fields, pieces
from ..shell.header import escape, term

if TYPE_CHECKING:  # it needs SQLAlchemy, which Explore does without
    from dpq_core.ledger.accounts import Account, Ledger
    from dpq_core.ledger.history.entries import Stored

ABOUT = ":gray[Every release of every data set on this server, and a one-page report for each]"
NOTHING = "The first release of your own data opens its account. This page then shows all that is released and spent."
NO_ANSWER = "The answer in this link is not in the ledger of this server."
SEVERAL = "Several data sets have a release with the id in this link. Choose one of them."
WORDS = ("title", "unit", "records")
"""What is typed about one release."""
_DATA_SET = keys.widget("data_set")


def data_set(*, curator: bool) -> tuple[Account | None, dict[str, Stored]]:
    """Ask for a data set; return its account and its answers, the newest first, by what links call them.

    Where nothing was ever released here, no ledger is made for looking. Raises LedgerError.
    """
    ledger = open_ledger() if _has_ledger() else None
    accounts = {} if ledger is None else _accounts(ledger, curator=curator)
    if ledger is None or not accounts:
        with st.container(border=True):
            st.markdown("**Nothing released yet.**")
            if curator:
                st.caption(NOTHING)
                pieces.page_link("release", "Release from own data", {})
        return None, {}
    from dpq_core.ledger.history.entries import stored_releases

    linked = _linked(ledger)
    newest = linked or stored_releases(ledger, 1)
    if linked or st.session_state.get(_DATA_SET) not in accounts:
        st.session_state[_DATA_SET] = newest[0].account.name if newest else next(iter(accounts))
    name = st.selectbox(
        "Data set", list(accounts), key=_DATA_SET, help=term("data set"), persist_state="session", width=420,
        on_change=_turn,
    )  # fmt: skip
    found = stored_releases(ledger, account=accounts[name])
    return accounts[name], {name_of(stored): stored for stored in (*found, *linked)}


def _accounts(ledger: Ledger, *, curator: bool) -> dict[str, Account]:
    """Return the accounts of a curator by name, the newest first; of others those that have an answer."""
    if curator:
        return {account.name: account for account in reversed(ledger.accounts())}
    from dpq_core.ledger.history.entries import stored_releases

    return {each.account.name: each.account for each in (*stored_releases(ledger), *meant(ledger, text("answer")))}


def _linked(ledger: Ledger) -> list[Stored]:
    """Return the answer that the link asks for; none, with a message, where it is not one."""
    found = meant(ledger, text("answer"))
    if len(found) != 1 and text("answer"):
        st.info(SEVERAL if found else NO_ANSWER, icon=":material/link_off:")
    if len(found) != 1:
        st.session_state[key("answer")] = ""
        return []
    st.session_state[key("answer")] = name_of(found[0])
    return found


def last_released() -> Stored | None:
    """Return the last answer of the page Release, which its address names, after a reload. Raises LedgerError."""
    found = meant(open_ledger(), text("last")) if text("last") and _has_ledger() else []
    return found[0] if len(found) == 1 else None


def meant(ledger: Ledger, asked: str) -> list[Stored]:
    """Return the answers that a link means: `2/june` is that of an account, and `june` all with this id."""
    from dpq_core.ledger.history.entries import stored_releases

    of_id = {each: stored_releases(ledger, release_id=each) for each in {asked, asked.partition("/")[2]} - {""}}
    found = [stored for each in of_id.values() for stored in each]
    return [stored for stored in found if name_of(stored) == asked] or of_id.get(asked, [])


def name_of(stored: Stored) -> str:
    """Return what a link calls an answer: by its account and its id, as an id belongs to one account alone."""
    return f"{stored.account.number}/{stored.release.id}"


def release(releases: dict[str, Stored]) -> Stored:
    """Ask for one of the releases of a data set, at first the newest."""
    if text("answer") not in releases:
        st.session_state[key("answer")] = next(iter(releases))
    chosen = fields.selectbox(
        "answer", list(releases), lambda name: _in_words(releases[name]), help=term("kept answer"), on_change=_forget
    )
    return releases[chosen]


def _in_words(stored: Stored) -> str:
    release = stored.release
    what, cells = "", release.cells
    if len(cells) > 1:
        what = f" · {count_in_words(len(cells), 'column')}"
    elif cells[0].column != COLUMN:
        what = f" · {cells[0].column}"
    return f"no. {stored.place:,}{what} · {release.made[:10]} · {release.plan.privacy}"


def about(account: Account) -> str:
    """Return the line under the question: whom the budget protects, and since when."""
    hides = account.adjacency.of(account.protected)
    closed = f" · closed on {account.closed[:10]}" if account.closed else ""
    return f":gray[{escape(account.name)} · {escape(hides)} · opened on {account.opened[:10]}{closed}]"


def _turn() -> None:
    """Turn to the newest release of another data set."""
    st.session_state[key("answer")] = ""
    _forget()


def _forget() -> None:
    """Forget what was typed about one release: it is not said of another."""
    for name in WORDS:
        st.session_state[key(name)] = SETTINGS[name].default


def _has_ledger() -> bool:
    if os.environ.get("DPQ_LEDGER_URL") or key_problem():
        return True
    from dpq_core.ledger.accounts import DEFAULT_FILE

    return DEFAULT_FILE.expanduser().exists()
