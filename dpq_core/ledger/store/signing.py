"""Sign all entries of an account anew, in their order; and hold a ledger to its key.

The ledger stores a check of its key, and refuses another one before that signs anything: links under two keys could
never be verified together. The check is an HMAC, as links are, for a purpose of its own.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, select

from ...errors import LedgerError
from .chain import CHARGED, CLOSED, ENDED, OPENED, Kind, digest_of, is_linked, link_of, signature
from .schema import VERSION, accounts, releases, versions

OF_KEY = "dpq ledger key 1"
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
_CHANGED = ("place", "link", "end_place", "end_link", "earlier_links", "file")


def sign_anew(
    connection: Connection, number: int, key: bytes | None, *, unproven: int | None = None, keep_files: bool = True
) -> None:
    """Sign all entries of an account with this key, and keep their earlier links for heads.

    `unproven`: how many charges nobody could check before, where it is another number than so far. Not `keep_files`
    takes the fingerprints of files away, which are under the earlier key.
    """
    account = dict(connection.execute(select(accounts).where(accounts.c.number == number)).mappings().one())
    chosen = select(releases).where(releases.c.account == number).order_by(releases.c.place)
    rows = [dict(row) for row in connection.execute(chosen).mappings()]
    for row in (account, *rows):
        earlier = (row["earlier_links"], row["link"], row.get("end_link"), row.get("closed_link"))
        row["earlier_links"] = " ".join(link for link in earlier if link) or None
    for row in rows if not keep_files else ():
        row["file"] = None
    account["unproven"] = account["unproven"] if unproven is None else unproven
    entries = [(row["place"], Kind.CHARGED, CHARGED, row, "link") for row in rows]
    entries += [(row["end_place"], Kind.ENDED, ENDED, row, "end_link") for row in rows if row["end_place"] is not None]
    if account["closed_place"] is not None:
        entries.append((account["closed_place"], Kind.CLOSED, CLOSED, account, "closed_link"))
    link = ""
    for _, kind, names, row, place in [(0, Kind.OPENED, OPENED, account, "link"), *sorted(entries, key=_place)]:
        link = row[place] = link_of(link, kind, digest_of(row[name] for name in names), key)
    connection.execute(accounts.update().where(accounts.c.number == number).values(account))
    for row in rows:
        changed = {name: row[name] for name in _CHANGED}
        connection.execute(releases.update().where(releases.c.number == row["number"]).values(changed))


def _place(entry: tuple[Any, ...]) -> int:
    return int(entry[0])


def is_signed_release(connection: Connection, row: Mapping[Any, Any], key: bytes | None) -> bool:
    """Return whether a charge, and how it ended, are what was signed; the entries before them are taken as they are."""
    entries = [(row["place"], Kind.CHARGED, CHARGED, row["link"])]
    if row["end_place"] is not None:
        entries.append((row["end_place"], Kind.ENDED, ENDED, str(row["end_link"])))
    elif row["finished"] is not None or row["answer"] is not None:
        return False
    return all(
        is_linked(link, _link_at(connection, row["account"], place - 1), kind, digest_of(row[n] for n in names), key)
        for place, kind, names, link in entries
    )


def _link_at(connection: Connection, number: int, place: int) -> str:
    """Return the link of the entry at a place of an account; empty where there is none."""
    own = releases.c.account == number
    closed = select(accounts.c.closed_link).where(accounts.c.number == number, accounts.c.closed_place == place)
    chosen = [
        select(releases.c.link).where(own, releases.c.place == place),
        select(releases.c.end_link).where(own, releases.c.end_place == place),
        select(accounts.c.link).where(accounts.c.number == number) if place == 0 else closed,
    ]
    return next((str(link) for each in chosen for link in connection.execute(each).scalars()), "")


def check_of(ledger: str, key: bytes) -> str:
    """Return what a ledger of this id stores to know its key again."""
    return signature(OF_KEY, [ledger], key)


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
