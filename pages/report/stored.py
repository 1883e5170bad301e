"""Answers that the ledger of this server keeps."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, TypeAlias

from dpq_core.errors import LedgerError

from ..budget import panel

if TYPE_CHECKING:  # it needs SQLAlchemy, which Explore does without
    from dpq_core.ledger.history.entries import Stored

Kept: TypeAlias = "dict[str, Stored]"
"""Answers of a ledger by the number of their account and their id, as `2/june`: an id belongs to one account alone."""


def stored_answers(asked: str) -> Kept | str:
    """Return the last answers that the ledger keeps, newest first, and the one that is asked for; or why it has none.

    Where nothing was ever released here, no ledger is made for looking.
    """
    if not _has_ledger():
        return {}
    from dpq_core.ledger.history.entries import stored_releases

    ledger = panel.open_ledger()
    if isinstance(ledger, str):
        return ledger
    try:
        found = stored_releases(ledger)
        for release_id in {asked, asked.partition("/")[2]} - {""}:  # an id may hold a stroke, too
            found += stored_releases(ledger, release_id=release_id)
        return {name_of(stored): stored for stored in found}
    except LedgerError as error:
        return str(error)


def name_of(stored: Stored) -> str:
    """Return what a link calls an answer."""
    return f"{stored.account.number}/{stored.release.id}"


def named(asked: str, stored: Kept) -> list[str]:
    """Return the answers that a link means: the one of this name, or all of this id in several accounts."""
    return [asked] if asked in stored else [name for name, each in stored.items() if each.release.id == asked]


def _has_ledger() -> bool:
    if os.environ.get("DPQ_LEDGER_URL"):
        return True
    from dpq_core.ledger.accounts import DEFAULT_FILE

    return DEFAULT_FILE.expanduser().exists()
