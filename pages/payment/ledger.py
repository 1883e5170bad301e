"""The ledger of this server: opened when a page needs it, or the sentence that says why it cannot be; and what is
being charged to it.

Explore does not need this and opens no ledger.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING

import streamlit as st

from dpq_core.errors import LedgerError, ParameterError
from dpq_core.mode import releases_only

from ..server import signin
from ..shell.header import escape, sentence_of
from ..shell.waiting import watch

if TYPE_CHECKING:  # it needs SQLAlchemy, which Explore does without
    from dpq_core.ledger.accounts import Ledger

NO_KEY, SHORT_KEY = (
    f"This server{problem}, so nothing can be released. Its administrator sets DPQ_LEDGER_KEY to a secret text of at "
    "least 16 characters (openssl rand -hex 32 prints one), keeps it, and starts the server again."
    for problem in (" has no ledger key", "’s ledger key is too short")
)
SHORTEST_KEY = 16
"""Characters, as the chain of entries has it, which is not loaded for this."""


def open_ledger() -> Ledger:
    """Return the ledger of this server. Raises LedgerError, with a sentence for people, where there is none.

    A server that also explores uploads is a visitor's own machine: it makes a key on first use. A server for releases
    only gets its key from its environment, so that nothing is lost when it moves to another machine.
    """
    if problem := key_problem():
        raise LedgerError(problem)
    where = os.environ.get("DPQ_LEDGER_URL"), os.environ.get("DPQ_LEDGER_KEY"), not releases_only()
    try:
        ledger = _ledger(*where)
        ledger.reach()
        return ledger
    except LedgerError:
        raise
    except ParameterError as error:
        raise LedgerError(sentence_of(error)) from None
    except Exception as error:  # a message of the database might quote its address
        logging.getLogger(__name__).error("Opening the ledger ended with %s.", type(error).__name__)
        raise LedgerError("The ledger of this server cannot be opened, so nothing can be released.") from None


def key_problem(environment: Mapping[str, str] = os.environ) -> str:
    """Return what is wrong with the ledger key of a server that was started for releases only; empty where nothing."""
    key = environment.get("DPQ_LEDGER_KEY", "")
    if not releases_only(environment) or len(key) >= SHORTEST_KEY:
        return ""
    return SHORT_KEY if key else NO_KEY


def say_if_closed() -> None:
    """Say at the top of a page why this server cannot release anything, where no setting can change that."""
    if problem := key_problem():
        st.error(problem, icon=":material/key_off:")


def log_if_closed() -> None:
    """Log, as the server starts, why nobody can release anything here: its sign-in, its key or its ledger."""
    if problem := signin.problem():
        logging.getLogger(__name__).error(problem)
    if releases_only():  # any other server opens its ledger at its first release
        try:
            open_ledger()
        except LedgerError as error:
            logging.getLogger(__name__).error("Nothing can be released. %s", error)


@lru_cache(maxsize=4)
def _ledger(_url: str | None, _key: str | None, makes_key: bool) -> Ledger:
    """Return a ledger with one connection pool for all visitors, as long as the environment stays the same."""
    from dpq_core.ledger.accounts import Ledger

    return Ledger.from_environment(make_key=makes_key)


_underway: dict[str, tuple[str, str]] = {}
"""Releases of this process without an answer yet: by id the data set that pays, and since when: UTC, to the minute."""


@contextmanager
def underway(account: str, release_id: str) -> Iterator[None]:
    """Note a release as in progress while it is prepared, charged and drawn."""
    _underway[release_id] = account, datetime.now(UTC).strftime("%H:%M")
    try:
        yield
    finally:
        _underway.pop(release_id, None)


def is_underway(release_id: str) -> bool:
    """Return whether a release is being drawn by this process."""
    return release_id in _underway


def show_underway() -> None:
    """Say which data sets have a release in progress; when one of them ends the page runs once more."""
    found = sorted(_underway.values())
    if not found:
        return
    said = ", ".join(f"{escape(account)} since {since} UTC" for account, since in found)
    st.info(
        f"In progress: {said}. Until it is charged its price is not in the numbers below.", icon=":material/pending:"
    )
    before = set(_underway)
    watch(lambda: set(_underway) != before)
