"""Hold a ledger to its key: it stores a check of the key, and refuses another one before that signs anything.

Links under two keys could never be verified together. The check is an HMAC, as links are, for a purpose of its own.
"""

from __future__ import annotations

import hmac

from sqlalchemy import Connection, select

from ...errors import LedgerError
from .chain import signature
from .schema import VERSION, versions

PURPOSE = "dpq ledger key 1"
OTHER_KEY = (
    "This ledger has another key, so it was not opened; nothing was charged. Set the ledger's own key: DPQ_LEDGER_KEY, "
    "or the file ~/.dpq/key. To change the key of the ledger, run dpq ledger rekey."
)
NO_KEY = (
    "This ledger has a key, and no key was given, so nothing was charged. Set the ledger's key: DPQ_LEDGER_KEY, or "
    "the file ~/.dpq/key. If the key is lost, run dpq ledger rekey --lost."
)

OTHER_VERSION = (
    "Another version of this program has changed the ledger since it was opened; nothing was charged. Start this "
    "program again."
)


def check_of(ledger: str, key: bytes) -> str:
    """Return what a ledger of this id stores to know its key again."""
    return signature(PURPOSE, [ledger], key)


def has_key(connection: Connection) -> bool:
    """Return whether a ledger has been given a key."""
    return connection.execute(select(versions.c.key_check)).scalar_one() is not None


def is_own_key(connection: Connection, key: bytes) -> bool:
    """Return whether a ledger has a check, and this key fits it."""
    row = connection.execute(select(versions)).one()
    return row.key_check is not None and hmac.compare_digest(row.key_check, check_of(row.ledger, key))


def hold_to_key(connection: Connection, key: bytes | None) -> None:
    """Raise LedgerError unless the key is the ledger's own, or neither the ledger nor the caller has one.

    Raises it, too, where another version has changed the ledger since it was opened.
    """
    if connection.execute(select(versions.c.version)).scalar_one() != VERSION:
        raise LedgerError(OTHER_VERSION)
    if key is None:
        if has_key(connection):
            raise LedgerError(NO_KEY)
    elif not is_own_key(connection, key):
        raise LedgerError(OTHER_KEY)
