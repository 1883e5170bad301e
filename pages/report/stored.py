"""Answers that the ledger of this server keeps."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, TypeAlias

from dpq_core.errors import LedgerError

from .. import budget

if TYPE_CHECKING:  # it needs SQLAlchemy, which Explore does without
    from dpq_core.ledger.history import StoredAnswer, StoredTable

Kept: TypeAlias = "dict[str, StoredAnswer | StoredTable]"
"""The answers of a ledger by their ids."""


def stored_answers() -> Kept | str:
    """Return the answers that the ledger keeps, newest first, by their ids; or why they cannot be read.

    Where nothing was ever released here, no ledger is made for looking.
    """
    if not _has_ledger():
        return {}
    from dpq_core.ledger.history import stored_releases

    ledger = budget.open_ledger()
    if isinstance(ledger, str):
        return ledger
    try:
        return {stored.release_id: stored for stored in stored_releases(ledger)}
    except LedgerError as error:
        return str(error)


def _has_ledger() -> bool:
    if os.environ.get("DPQ_LEDGER_URL"):
        return True
    from dpq_core.ledger import DEFAULT_FILE

    return DEFAULT_FILE.expanduser().exists()
