"""Hold a ledger to its key: it stores a check of the key, and refuses another one before that signs anything.

Links under two keys could never be verified together. The check is an HMAC, as links are, for a purpose of its own. A
ledger from before there were checks takes the key that its last keyed link was made with.
"""

from __future__ import annotations

import hmac

from sqlalchemy import Connection, select

from ...errors import LedgerError
from .chain import KEYED, beginning, is_linked, signature
from .schema import UNCHECKED, accounts, releases, versions

PURPOSE = "dpq ledger key 1"
OTHER_KEY = (
    "This ledger has another key, so it was not opened; nothing was charged. Set the ledger's own key: DPQ_LEDGER_KEY, "
    "or the file ~/.dpq/key. To change the key of the ledger, run dpq ledger rekey."
)
NO_KEY = (
    "This ledger has a key, and no key was given, so nothing was charged. Set the ledger's key: DPQ_LEDGER_KEY, or "
    "the file ~/.dpq/key. If the key is lost, run dpq ledger rekey --lost."
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
    """Raise LedgerError unless the key is the ledger's own; one that has no check yet stores that of this key.

    For a transaction that writes.
    """
    if key is None:
        if has_key(connection):
            raise LedgerError(NO_KEY)
    elif not is_own_key(connection, key):
        row = connection.execute(select(versions).with_for_update()).one()  # two that begin at once take turns
        own = check_of(row.ledger, key)
        if row.key_check not in {None, UNCHECKED, own} or not _made_last_link(connection, key):
            raise LedgerError(OTHER_KEY)
        connection.execute(versions.update().values(key_check=own))


def _made_last_link(connection: Connection, key: bytes) -> bool:
    """Return whether the last keyed link was made with this key, or there is none."""
    last = select(releases).where(releases.c.link.startswith(KEYED)).order_by(releases.c.number.desc()).limit(1)
    charge = connection.execute(last).mappings().one_or_none()
    if charge is None:
        return True
    before = (releases.c.account == charge["account"]) & (releases.c.place == charge["place"] - 1)
    previous = connection.execute(select(releases.c.link).where(before)).scalar_one_or_none()
    if previous is None:
        account = connection.execute(select(accounts).where(accounts.c.number == charge["account"])).mappings().one()
        previous = beginning(dict(account)).link
    return is_linked(previous, dict(charge), key)
