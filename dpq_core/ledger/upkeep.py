"""Verify a ledger as a whole, back it up and restore it, accept one that lacks charges, change its key."""

from __future__ import annotations

import json
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
from .accounts import Ledger, State
from .filters import ReleaseCost, ways_to_count
from .fingerprints import checked_key
from .requests import request_is_signed, signed_request
from .store import (
    KEYED,
    TABLES,
    End,
    Known,
    accounts,
    beginning,
    check_of,
    ends_of,
    files,
    hold_to_key,
    is_linked,
    link_of,
    lost,
    releases,
    versions,
)

_COUNT_ON = (
    "SELECT setval(pg_get_serial_sequence('{table}', 'number'), coalesce(max(number), 1), max(number) IS NOT NULL) "
    "FROM {table}"
)
"""PostgreSQL goes on after the largest number of a table."""


BROKEN = "The charges of {} were changed: restore a backup that passes dpq ledger verify."
"""Of accounts, by name."""


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
        if charge["place"] != number or not is_linked(link, charge, key) or not request_is_signed(charge, key):
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
    """Copy a ledger into one new SQLite file that needs no other, at one moment, while it is in use.

    From PostgreSQL row by row, in memory meanwhile. Raises ParameterError, LedgerError, OSError.
    """
    os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))  # never over another one
    try:
        if ledger.engine.dialect.name == "sqlite":
            _copy_file(ledger, target)
        else:
            copy = Ledger.at(target)
            try:
                _copy_rows(ledger, copy)
            finally:
                copy.engine.dispose()
        with closing(sqlite3.connect(target)) as copied:
            copied.execute("PRAGMA journal_mode = DELETE")
    except BaseException as error:
        target.unlink(missing_ok=True)
        if isinstance(error, sqlite3.Error):
            raise LedgerError("The ledger cannot be copied; no backup was made.") from None
        raise


def restore(copy: Ledger, ledger: Ledger) -> None:
    """Put a backup into a ledger that has no account: the same ledger again, which its heads know.

    Afterwards `ledger` must be opened anew. Raises ParameterError where it has one, LedgerError.
    """
    _copy_rows(copy, ledger)


def _copy_file(ledger: Ledger, target: Path) -> None:
    source = f"file:{quote(str(Path(str(ledger.engine.url.database)).absolute()))}?mode=ro"
    with closing(sqlite3.connect(source, uri=True)) as copied, closing(sqlite3.connect(target)) as copy:
        copied.backup(copy)


def _copy_rows(source: Ledger, target: Ledger) -> None:
    """Copy every row, as it is at one moment, into a ledger without accounts; it takes over the id, too."""

    def taken(connection: Connection) -> list[list[dict[str, Any]]]:
        return [[dict(row) for row in connection.execute(select(table)).mappings()] for table in TABLES]

    rows = source.read(taken)

    def put(connection: Connection) -> None:
        connection.execute(select(versions).with_for_update())  # two that restore at once take turns
        if connection.execute(select(accounts.c.number)).first() is not None:
            raise ParameterError("ledger", "must have no account yet for a backup to go into it.")
        connection.execute(versions.delete())
        for table, found in zip(TABLES, rows, strict=True):
            if found:
                connection.execute(table.insert(), found)
        if connection.dialect.name == "postgresql":
            for table in TABLES[1:]:
                connection.execute(text(_COUNT_ON.format(table=table.name)))

    target.write(put)


def heads_as_json(ledger: Ledger) -> str:
    """Return the last charge of every account, to be kept elsewhere: it has no name, no plan and no answer."""
    ends = ledger.read(ends_of)
    return json.dumps(
        {"ledger": _id_of(ledger), "heads": {number: [*vars(end).values()] for number, end in ends.items()}}
    )


def charges_lost_since(ledger: Ledger, stored: str) -> int:
    """Return how many charges a ledger lacks, at least, of those that `heads_as_json` gave once.

    Raises ParameterError where the text is none of that.
    """
    try:
        found = json.loads(stored)
        heads = {int(number): End(int(place), str(link)) for number, (place, link) in found["heads"].items()}
        known = Known(found["ledger"] == _id_of(ledger), heads)
    except (AttributeError, KeyError, TypeError, ValueError):
        raise ParameterError("heads", "must be what the command ledger heads wrote.") from None
    return ledger.read(lambda connection: lost(connection, known))


def _id_of(ledger: Ledger) -> str:
    return ledger.read(lambda connection: str(connection.execute(select(versions.c.ledger)).scalar_one()))


def charges_lost(ledger: Ledger) -> int:
    """Return how many charges are known that the ledger lacks, at least; 0 where its head is not stored."""
    if ledger.watch is None:
        return 0
    known = ledger.watch.known()
    return ledger.read(lambda connection: lost(connection, known))


def accept(ledger: Ledger, charges: int) -> None:
    """Accept a ledger as it is, although it lacks `lost` charges: their budget can be spent again.

    Raises ParameterError where it lacks another number, LedgerError.
    """
    if charges != charges_lost(ledger):
        raise ParameterError("--lost", "must be the number of charges that this ledger lacks.")
    if ledger.watch is not None:
        ledger.read(ledger.watch.accept)


def rekey(ledger: Ledger, old: str | None, new: str) -> None:
    """Link every charge of a ledger again under a new key, once all of them verify under the old one.

    `ledger` is opened without a key. It happens in one transaction: charges meanwhile wait, and programs
    that have the old key are refused from then on. Accounts, charges, answers and heads stay. Fingerprints of files
    cannot be made again without the files, so they go: the ledger recognises no file before it is charged anew. `old`
    None: that key is lost. Nobody can tell then who wrote the links, so they are made again without a key. Raises
    ParameterError, LedgerError; then nothing has changed.
    """
    old_key, new_key = checked_key(old, "old"), checked_key(new, "new")
    if new_key is None or new_key == old_key:
        raise ParameterError("new", "must be another key than the old one.")

    def relink(connection: Connection) -> None:
        found = connection.execute(select(versions).with_for_update()).one()  # nobody opens an account meanwhile
        rows = connection.execute(select(accounts).order_by(accounts.c.number).with_for_update()).mappings().all()
        if old_key is not None:
            hold_to_key(connection, old_key)
        broken = [
            each.account for each in (_verified(connection, row, old_key) for row in map(dict, rows)) if each.problem
        ]
        if broken:
            raise LedgerError(f"{BROKEN.format(', '.join(broken))} The key was not changed.")
        for row in map(dict, rows):
            _relink(connection, row, None if old_key is None else new_key)
        connection.execute(files.delete())
        connection.execute(versions.update().values(key_check=check_of(found.ledger, new_key)))

    ledger.write(relink)


def _relink(connection: Connection, account: Mapping[str, Any], key: bytes | None) -> None:
    """Sign the charges of an account again: with this key those that were signed with one, where it is not None."""
    columns = [column for column in releases.c if column.name != "answer"]
    chosen = select(*columns).where(releases.c.account == account["number"]).order_by(releases.c.place)
    link = beginning(account).link
    for row in map(dict, connection.execute(chosen).mappings().all()):
        own = key if row["link"].startswith(KEYED) else None
        row |= {"file": None, "earlier_links": f"{row['earlier_links'] or ''} {row['link']}".strip()}
        if row["request"] is not None:
            row["request_mark"] = signed_request(row, own)
        link = row["link"] = link_of(link, row, own)
        changed = {name: row[name] for name in ("file", "earlier_links", "request_mark", "link")}
        connection.execute(releases.update().where(releases.c.number == row["number"]).values(changed))
