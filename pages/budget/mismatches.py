"""What in a release does not fit the data set that pays, and the button that fixes it or leads to the question."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from dpq_core.privacy.budgets import Adjacency
from dpq_core.results.persons import person_in

from .. import keys
from ..frame.header import escape
from ..settings.table import key

if TYPE_CHECKING:  # it needs SQLAlchemy, which Explore does without
    from dpq_core.ledger.accounts import Account

PROTECT = {Adjacency.SUBSTITUTE: "Protect against replacement", Adjacency.ADD_REMOVE: "Protect who joins or leaves"}
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


def mismatch(account: Account, adjacency: Adjacency, one: str) -> Mismatch | None:
    """Return what does not fit an account about a release of this adjacency for one of these; None where all fits."""
    name, protected = account.name, account.one_row_is
    if account.closed is not None:
        return Mismatch(f"The data set {name} was closed on {account.closed[:10]}: nothing more can be released.")
    if account.adjacency is not adjacency:
        return Mismatch(
            f"The budget of {name} is counted where {account.adjacency.in_words}. Choose the same protection here.",
            adjacency=account.adjacency,
        )
    if protected == one:
        return None
    person, wanted = person_in(one), person_in(protected)
    start = f"The budget of {name} protects one {protected}, and this would be released for one {one}."
    if wanted and not person:
        return Mismatch(
            f"{start} Go back to “Who is one person?” and choose the column whose value is the same in all rows of one "
            f"{wanted}.",
            read_again=True,
        )
    if person and not wanted:
        return Mismatch(
            f"{start} Go back to “Who is one person?” and choose that every row is a different person.", read_again=True
        )
    return Mismatch(f"{start} Use the same word for one of them.", word=wanted or protected)


def before_reading(account: Account | None, *, of_person: bool) -> str:
    """Return what to choose at the question who is one person, so that the budget can pay; empty where that fits."""
    if account is None or bool(person_in(account.one_row_is)) is of_person:
        return ""
    wanted = person_in(account.one_row_is)
    choose = f"the column whose value is the same in all rows of one {wanted}" if wanted else "that every row counts"
    return f"The budget of {account.name} protects one {account.one_row_is}. Choose {choose}."


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
