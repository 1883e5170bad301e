"""Verify a ledger as a whole, back it up, accept one that lacks charges."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import Connection, select, text

from ..errors import LedgerError, ParameterError
from ..privacy import Adjacency, Guarantee
from .accounts import Ledger
from .charging import State
from .filters import ReleaseCost, ways_to_count
from .store import KEYED, accounts, beginning, is_linked, lost, releases


@dataclass(frozen=True)
class Verified:
    """What was found about the charges of one account."""

    account: str
    charges: int
    without_key: int
    """Of them, those that are linked without a key: they show what is missing, not who wrote them."""
    problem: str
    """What is wrong with the first charge that is; empty where nothing is."""


def verify(ledger: Ledger) -> tuple[Verified, ...]:
    """Check the file, the chain of every account, and that each release counts what it says. O(releases).

    Raises LedgerError where the file itself is damaged.
    """

    def found(connection: Connection) -> tuple[Verified, ...]:
        if connection.dialect.name == "sqlite":
            said = connection.execute(text("PRAGMA integrity_check")).scalars().all()
            if said != ["ok"]:
                raise LedgerError("The file of the ledger is damaged: restore a backup, and verify that.")
        rows = connection.execute(select(accounts).order_by(accounts.c.number)).mappings().all()
        return tuple(_verified(connection, dict(row), ledger.key) for row in rows)

    return ledger.read(found)


def _verified(connection: Connection, account: Mapping[str, Any], key: bytes | None) -> Verified:
    chosen = select(releases).where(releases.c.account == account["number"]).order_by(releases.c.place)
    link, number, without_key = beginning(account).link, 0, 0
    for row in connection.execute(chosen).mappings():
        number += 1
        charge = dict(row)
        if charge["place"] != number or not is_linked(link, charge, key):
            return Verified(account["name"], number - 1, without_key, f"charge {number} is missing or was changed")
        if not _counts_what_it_says(charge, Adjacency(account["adjacency"])):
            return Verified(account["name"], number - 1, without_key, f"charge {number} does not count what it says")
        link, without_key = charge["link"], without_key + (not charge["link"].startswith(KEYED))
    return Verified(account["name"], number, without_key, "")


def _counts_what_it_says(charge: Mapping[str, Any], adjacency: Adjacency) -> bool:
    """Return whether a charge adds to the sums what `filters` allows for its guarantee and for how it ended."""
    names = ("epsilon", "delta", "rho")
    epsilon, delta, rho = (None if charge[name] is None else float(charge[name]) for name in names)
    assert epsilon is not None, "every release has them"
    assert delta is not None, "every release has them"
    ways = ways_to_count(Guarantee(epsilon=epsilon, delta=delta, rho=rho, adjacency=adjacency))
    counted = ReleaseCost(*(Decimal(charge[f"counted_{name}"]) for name in names))
    match State(charge["state"]):
        case State.CANCELLED:
            return counted == ReleaseCost()
        case State.INFEASIBLE:
            return any(
                (counted.delta, counted.rho) == (way.delta, way.rho) and counted.epsilon <= way.epsilon for way in ways
            )
    return counted in ways


def backup(ledger: Ledger, target: Path) -> None:
    """Copy a ledger into one new file that needs no other, at one moment, while it is in use; SQLite only.

    Raises ParameterError, LedgerError, OSError.
    """
    if ledger.engine.dialect.name != "sqlite":
        raise ParameterError("ledger", "must be a SQLite file for a backup: PostgreSQL has its own pg_dump.")
    os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))  # never over another one
    source = f"file:{quote(str(Path(str(ledger.engine.url.database)).absolute()))}?mode=ro"
    try:
        with closing(sqlite3.connect(source, uri=True)) as copied, closing(sqlite3.connect(target)) as copy:
            copied.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
    except BaseException as error:
        target.unlink(missing_ok=True)
        if isinstance(error, sqlite3.Error):
            raise LedgerError("The ledger cannot be copied; no backup was made.") from None
        raise


def charges_lost(ledger: Ledger) -> int:
    """Return how many charges are known that the ledger lacks, at least; 0 where its head is not stored."""
    if ledger.watch is None:
        return 0
    known = ledger.watch.known()
    return ledger.read(lambda connection: lost(connection, known))


def accept(ledger: Ledger, charges: int) -> None:
    """Take a ledger as it stands, although it lacks so many charges: their budget can be spent again.

    Raises ParameterError where it lacks another number, LedgerError.
    """
    if charges != charges_lost(ledger):
        raise ParameterError("--lost", "must be the number of charges that this ledger lacks.")
    if ledger.watch is not None:
        ledger.read(ledger.watch.accept)
