"""What in a release does not fit the data set that pays, and the button that fixes it or leads to the question."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from dpq_core.privacy.budgets import Adjacency, Protects, with_all_rows

from .. import keys
from ..form.table import key
from ..shell.header import escape

if TYPE_CHECKING:  # it needs SQLAlchemy, which Explore does without
    from dpq_core.ledger.accounts import Account

PROTECT = {Adjacency.REPLACE_ONE: "Protect against replacement", Adjacency.ADD_REMOVE: "Protect who joins or leaves"}
"""What a button says that chooses an adjacency."""


@dataclass(frozen=True)
class Mismatch:
    """What does not fit an account at any cost of the release, and what would make it fit: one of three, or none."""

    sentence: str
    adjacency: Adjacency | None = None
    word: str = ""
    """The word to use for one row."""
    read_again: bool = False
    """Whether the file has to be read again, with another answer to "Who is one person?"."""


def mismatch(account: Account, adjacency: Adjacency, one: str, protects: Protects) -> Mismatch | None:
    """Return what does not fit an account about a release of this adjacency for one of these; None where all fits."""
    name, whom = account.name, account.protected
    if account.closed is not None:
        return Mismatch(f"The data set {name} was closed on {account.closed[:10]}: nothing more can be released.")
    if account.adjacency is not adjacency:
        return Mismatch(
            f"The budget of {name} is counted where {account.adjacency.in_words}. Choose the same protection here.",
            adjacency=account.adjacency,
        )
    asked = with_all_rows(one) if protects == "person" else one
    start = f"The budget of {name} protects one {whom}, and this would be released for one {asked}."
    if account.protects not in {None, protects}:
        choose = f"choose {_who(account)}."
        return Mismatch(f"{start} Go back to “Who is one person?” and {choose}", read_again=True)
    if account.one_row_is != one:
        return Mismatch(f"{start} Use the same word for one of them.", word=account.one_row_is)
    return None


def before_reading(account: Account | None, *, of_person: bool) -> str:
    """Return what to choose at the question who is one person, so that the budget can pay; empty where that fits."""
    if account is None or account.protects in {None, "person" if of_person else "record"}:
        return ""
    return f"The budget of {account.name} protects one {account.protected}. Choose {_who(account)}."


def _who(account: Account) -> str:
    if account.protects == "record":
        return "that every row is a different person"
    return f"the column whose value is the same in all rows of one {account.one_row_is}"


def offer_remedy(found: Mismatch, read_again: Callable[[], None] | None) -> None:
    """Draw the button that makes a release fit the account, as if it had been typed."""
    if found.adjacency is not None:
        _button(PROTECT[found.adjacency], partial(_set, "adjacency", found.adjacency.value))
    elif found.word:
        _button(f"Call it “{found.word}”", partial(_set, "one", found.word))
    elif found.read_again and read_again is not None:
        _button("Back to “Who is one person?”", read_again)
        st.caption("Your file and your settings are kept: read the column once more there.")


def _button(label: str, then: Callable[[], None]) -> None:
    st.button(escape(label), key=keys.widget("remedy"), icon=":material/arrow_back:", on_click=then)


def _set(setting: str, value: str) -> None:
    st.session_state[key(setting)] = value
