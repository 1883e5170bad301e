"""Warn the curator, above the answer, of files that look the same.

No file is compared before a charge (`ledger.files`). Until then the warning uses names of columns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpq_core.errors import LedgerError
from dpq_core.results.data_set import DataSet, PrivateData
from dpq_core.results.sealed import fingerprint_of

from .. import keys
from ..server import signin
from ..shell.header import escape
from .account import PayingAccount

if TYPE_CHECKING:  # it needs SQLAlchemy, which Explore does without
    from dpq_core.ledger.accounts import Account

NOT_COMPARED_NOW = "This file was not compared with those charged before: the ledger could not be reached for it."
_COMPARED = keys.state("compared")
Compared = tuple[str, str, tuple[str, ...]]
"""The identity of a column, the account that was charged for it, and what came of comparing its file."""


def compare_files(account: Account, data: PrivateData) -> None:
    """Compare the file of a release that was just charged with those of others, once for each column and account.

    A file that could not be compared then is tried again with the next release.
    """
    from dpq_core.ledger.files import NOT_COMPARED, compare_files

    stored = _stored()
    known = next((found for *of, found in stored if of == [data.identity, account.name]), (NOT_COMPARED,))
    if known not in {(NOT_COMPARED,), (NOT_COMPARED_NOW,)}:
        return
    try:
        found = compare_files(account, fingerprint_of(data.column, account.ledger))
    except LedgerError:  # the release itself is charged and answered
        found = (NOT_COMPARED_NOW,)
    others = tuple(each for each in stored if each[:2] != (data.identity, account.name))
    st.session_state[_COMPARED] = (*others, (data.identity, account.name, found))


def tell_of_release(place: DeltaGenerator, payer: PayingAccount | None, data: DataSet | None) -> None:
    """Show above the answer what is known about the file and the data set that pays, before and after the release."""
    if payer is None or data is None or signin.role() is not signin.Role.CURATOR:
        return
    own = [found for identity, name, found in _stored() if (identity, name) == (data.identity, payer.name)]
    with place:
        for sentence in (*_known(payer, data), *(sentence for found in own for sentence in found)):
            st.warning(escape(sentence), icon=":material/warning:")


def _known(payer: PayingAccount, data: DataSet) -> list[str]:
    from dpq_core.ledger.files import accounts_with_column

    try:
        names = () if payer.account is not None else accounts_with_column(payer.ledger, data.name)
    except LedgerError:
        return []
    if not names:
        return []
    return [
        f"A column called {data.name} was released before, for {', '.join(names)}. If the people are the same, choose "
        "that data set: they have one budget."
    ]


def _stored() -> tuple[Compared, ...]:
    found: tuple[Compared, ...] = st.session_state.get(_COMPARED, ())
    return found
