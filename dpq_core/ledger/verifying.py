"""Verify a ledger as a whole, accept one that lacks charges, change its key."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, select, text

from ..errors import LedgerError, ParameterError
from .accounts import Ledger
from .checking import check
from .store.chain import KEYED, End, check_of, checked_key, hold_to_key, sign_anew
from .store.rollback import Known, ends_of, id_of, lost
from .store.schema import accounts, files, releases, versions

BROKEN = "The ledger's record of {} was changed: restore a backup that passes dpq ledger verify."
"""Of accounts, by name."""


@dataclass(frozen=True)
class Verified:
    """What was found about one account."""

    account: str
    charges: int
    without_key: int
    """Of them, those that were signed without this key: they show what is missing, not who wrote them."""
    problem: str
    """What is wrong with the first entry that is; empty where nothing is."""


def verify(ledger: Ledger) -> tuple[Verified, ...]:
    """Check the file and every account: that each entry is there as it was signed, and that charges fit. O(releases).

    Raises LedgerError where the file itself is damaged.
    """

    def found(connection: Connection) -> tuple[Verified, ...]:
        if connection.dialect.name == "sqlite":
            said = connection.execute(text("PRAGMA integrity_check")).scalars().all()
            if said != ["ok"]:
                raise LedgerError("The file of the ledger is damaged: put a copy back, and verify that.")
        chosen = select(releases.c.account).where(releases.c.account.not_in(select(accounts.c.number))).distinct()
        gone = connection.execute(chosen.order_by(releases.c.account)).scalars()
        return (
            *(_verified(connection, row, ledger.key, reading=True) for row in _accounts(connection)),
            *(Verified(f"account {number}", 0, 0, "it is missing, and has charges") for number in gone),
        )

    return ledger.read(found)


def _accounts(connection: Connection, *, lock: bool = False) -> Sequence[Mapping[str, Any]]:
    chosen = select(accounts).order_by(accounts.c.number)
    return [dict(row) for row in connection.execute(chosen.with_for_update() if lock else chosen).mappings()]


def _verified(connection: Connection, row: Mapping[str, Any], key: bytes | None, *, reading: bool) -> Verified:
    found = check(connection, row, key, reading=reading)
    without_key = row["unproven"] if row["link"].startswith(KEYED) else found.charges
    return Verified(row["name"], found.charges, min(without_key, found.charges), found.problem)


def heads_as_json(ledger: Ledger) -> str:
    """Return the last entry of every account, to be kept elsewhere: it has no name, no plan and no answer."""
    ends = ledger.read(ends_of)
    return json.dumps(
        {"ledger": ledger.read(id_of), "heads": {number: [*vars(end).values()] for number, end in ends.items()}}
    )


def entries_lost_since(ledger: Ledger, stored: str) -> int:
    """Return how many entries a ledger lacks, at least, of those that `heads_as_json` gave once.

    Raises ParameterError where the text is none of that.
    """
    try:
        found = json.loads(stored)
        heads = {int(number): End(int(place), str(link)) for number, (place, link) in found["heads"].items()}
        known = Known(found["ledger"] == ledger.read(id_of), heads)
    except (AttributeError, KeyError, TypeError, ValueError):
        raise ParameterError("heads", "must be what the command ledger heads wrote.") from None
    return ledger.read(lambda connection: lost(connection, known))


def entries_lost(ledger: Ledger) -> int:
    """Return how many entries are known that the ledger lacks, at least; 0 where its head is not stored."""
    return 0 if ledger.watch is None else ledger.watch.lacking(ledger.engine)


def accept(ledger: Ledger, entries: int) -> None:
    """Accept a ledger as it is, although it lacks this number of entries: their budget can be spent again.

    Raises ParameterError where it lacks another number, LedgerError.
    """
    if entries != entries_lost(ledger):
        raise ParameterError("--lost", "must be the number of entries that this ledger lacks.")
    if ledger.watch is not None:
        ledger.read(ledger.watch.accept)


def rekey(ledger: Ledger, old: str | None, new: str) -> None:
    """Sign every entry of a ledger again under a new key, once all of them verify under the old one.

    `ledger` is opened without a key. It happens in one transaction: charges meanwhile wait, and programs
    that have the old key are refused from then on. Accounts, charges, answers and heads stay. Fingerprints of files
    cannot be made again without the files, so they go: the ledger recognises no file before it is charged anew. `old`
    None: that key is lost. Nobody can tell then who wrote the charges so far, and `verify` says how many these are.
    Raises ParameterError, LedgerError; then nothing has changed.
    """
    old_key, new_key = checked_key(old, "old"), checked_key(new, "new")
    if new_key is None or new_key == old_key:
        raise ParameterError("new", "must be another key than the old one.")

    def sign(connection: Connection) -> None:
        found = connection.execute(select(versions).with_for_update()).one()  # nobody opens an account meanwhile
        rows = _accounts(connection, lock=True)
        if old_key is not None:
            hold_to_key(connection, old_key)
        checked = [_verified(connection, row, old_key, reading=old_key is None) for row in rows]
        if broken := [each.account for each in checked if each.problem]:
            raise LedgerError(f"{BROKEN.format(', '.join(broken))} The key was not changed.")
        for row, each in zip(rows, checked, strict=True):
            unproven = each.charges if old_key is None else None
            sign_anew(connection, row["number"], new_key, unproven=unproven, keep_files=False)
        connection.execute(files.delete())
        connection.execute(versions.update().values(key_check=check_of(found.ledger, new_key)))

    ledger.write(sign)
