"""Check that a ledger is the newest that was seen: its entries against the heads stored beside the key.

Heads. The head of a ledger, the last entry of every account, is stored apart from the ledger itself. A ledger that was
rolled back to an older state has budgets that are spent already, and does not know it; its head does. A head is written
after a charge or a closing is on disk: it may lag behind, and is never ahead of the ledger. How a charge ended waits
for the next head, because a ledger without it has spent no less. A head only ever moves forward, for every writer.
Where it cannot be written, that is logged, and charging goes on.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, select

from ...errors import LedgerError
from .chain import KEYED, End, links_at
from .database import make_private, read
from .schema import accounts, releases, versions

FILE = "heads"
WAIT_SECONDS = 1.0
UNREADABLE = (
    "The file of the ledger's heads cannot be read, so the server cannot tell whether this ledger is the newest; "
    "nothing was charged. The administrator can repair the file, or remove it to begin anew."
)
FAILURES = (sqlite3.Error, OSError)
_TABLES = (
    "CREATE TABLE IF NOT EXISTS heads (ledger TEXT NOT NULL, account INTEGER NOT NULL, place INTEGER NOT NULL, "
    "link TEXT NOT NULL, PRIMARY KEY (ledger, account))",
    "CREATE TABLE IF NOT EXISTS places (location TEXT PRIMARY KEY, ledger TEXT NOT NULL)",
)
_KEEP = """
INSERT INTO heads VALUES (?, ?, ?, ?) ON CONFLICT (ledger, account)
DO UPDATE SET place = excluded.place, link = excluded.link WHERE excluded.place > heads.place
"""


OLDER = (
    "This ledger is older than what was charged to it, or another one: spent budgets would be available again. So "
    "nothing can be released, and nothing was charged. The administrator can put the newest ledger back, or "
    "accept this one (dpq ledger accept)."
)


@dataclass(frozen=True)
class Known:
    """What the heads record of the ledger that was last at a place."""

    same: bool
    """Whether that was this one."""
    heads: dict[int, End]
    """Of its accounts, by their numbers."""


@dataclass(frozen=True)
class Heads:
    """The heads of one ledger, among those of all that are used with a folder: one small SQLite file there."""

    folder: Path
    location: str
    """The path or the address of the ledger, without a password."""
    ledger: str
    """Its own id."""

    @property
    def file(self) -> Path:
        """Return the path of the file."""
        return self.folder / FILE

    def known(self) -> Known:
        """Return what is known."""
        found = self._read("SELECT ledger FROM places WHERE location = ?", self.location)
        before = found[0][0] if found else None
        rows = self._read("SELECT account, place, link FROM heads WHERE ledger = ?", before or self.ledger)
        return Known(before in {None, self.ledger}, {account: End(place, link) for account, place, link in rows})

    def lacking(self, engine: Engine) -> int:
        """Return how many entries are known that the ledger lacks, at least; all where another one takes its place."""
        known = self.known()  # before the ledger is read, because it grows meanwhile
        return read(engine, lambda connection: lost(connection, known))

    def check_account(self, connection: Connection, number: int) -> None:
        """Raise LedgerError where one account lacks entries. Its row must be locked, so that none comes meanwhile."""
        rows = self._read("SELECT place, link FROM heads WHERE ledger = ? AND account = ?", self.ledger, number)
        if rows and missing(connection, number, End(*rows[0])):
            raise LedgerError(OLDER)

    def keep(self, ends: Mapping[int, End]) -> None:
        """Remember which ledger is at this place, and the ends of its accounts, on disk, where they are newer."""
        try:
            self._write(ends)
        except FAILURES as error:
            logging.getLogger(__name__).error("The head of the ledger was not kept: %s.", type(error).__name__)

    def accept(self, connection: Connection) -> None:
        """Accept the ledger as it is, in place of everything known about it. Raises LedgerError."""
        ends = ends_of(connection)
        try:
            self._write(ends, anew=True)
        except FAILURES:
            raise LedgerError(UNREADABLE) from None

    def _read(self, query: str, *values: object) -> list[Any]:
        try:
            if not self.file.exists() or not self.file.stat().st_size:
                return []
            with closing(self._connect()) as connection:
                return connection.execute(query, values).fetchall()
        except FAILURES:
            raise LedgerError(UNREADABLE) from None

    def _write(self, ends: Mapping[int, End], *, anew: bool = False) -> None:
        make_private(self.folder)
        self.file.touch(mode=0o600)
        with closing(self._connect()) as connection:
            connection.execute("BEGIN IMMEDIATE")
            for table in _TABLES:
                connection.execute(table)
            if anew:
                connection.execute("DELETE FROM heads WHERE ledger = ?", (self.ledger,))
            connection.execute("INSERT OR REPLACE INTO places VALUES (?, ?)", (self.location, self.ledger))
            rows = [(self.ledger, account, end.place, end.link) for account, end in ends.items()]
            connection.executemany(_KEEP, rows)
            connection.execute("COMMIT")

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.file, timeout=WAIT_SECONDS, isolation_level=None)
        connection.execute("PRAGMA synchronous = NORMAL")
        return connection


def id_of(connection: Connection) -> str:
    """Return the id of a ledger, which no other one has."""
    return str(connection.execute(select(versions.c.ledger)).scalar_one())


def lost(connection: Connection, known: Known) -> int:
    """Return how many entries are known that the ledger lacks, at least. Where it is another ledger, it lacks all."""
    if not known.same:
        return max(sum(head.place for head in known.heads.values()), 1)
    return sum(missing(connection, number, head) for number, head in known.heads.items())


def missing(connection: Connection, number: int, head: End) -> int:
    """Return how many entries an account lacks up to its head, at least; 0 where it has that very entry.

    A head that was stored before the ledger had its present key has the link of that time. A ledger that has no key
    cannot be one whose head was signed.
    """
    last = end_of(connection, number)
    known = {each for link, earlier in links_at(connection, number, head.place) for each in (link, *earlier)}
    same_kind = last.link.startswith(KEYED) or not head.link.startswith(KEYED)
    return 0 if head.link in known and same_kind else max(head.place - last.place, 1)


def end_of(connection: Connection, number: int) -> End:
    """Return the end of an account; of one that is gone, place 0 without a link."""
    own = releases.c.account == number
    charged = select(releases.c.place, releases.c.link).where(own).order_by(releases.c.place.desc()).limit(1)
    ended = select(releases.c.end_place, releases.c.end_link).where(own, releases.c.end_place.is_not(None))
    closed = select(accounts.c.closed_place, accounts.c.closed_link).where(accounts.c.closed_place.is_not(None))
    opened = connection.execute(select(accounts.c.link).where(accounts.c.number == number)).scalar_one_or_none()
    if opened is None:
        return End(0, "")
    last = (charged, ended.order_by(releases.c.end_place.desc()).limit(1), closed.where(accounts.c.number == number))
    rows = [row for each in last for row in connection.execute(each)]
    return max((End(place, str(link)) for place, link in rows), default=End(0, opened))


def ends_of(connection: Connection) -> dict[int, End]:
    """Return the ends of all accounts that were charged or closed, by their numbers."""
    numbers = connection.execute(select(accounts.c.number).order_by(accounts.c.number)).scalars().all()
    ends = {number: end_of(connection, number) for number in numbers}
    return {number: end for number, end in ends.items() if end.place}
