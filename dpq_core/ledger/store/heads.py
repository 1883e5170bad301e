"""Store the heads of ledgers, the last charge of every account, beside the key and apart from the ledger itself.

A ledger that was rolled back to an older state has budgets that are spent already, and does not know it; its head
does. A head is written after the charge is on disk: it may lag behind, and is never ahead of what was charged. It
only ever moves forward, for every writer. Where it cannot be written, that is logged, and charging goes on.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import LedgerError
from .chain import End
from .folders import make_private

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


@dataclass(frozen=True)
class Heads:
    """The heads of all ledgers that are used with one folder: one small SQLite file without others beside it."""

    folder: Path

    @property
    def file(self) -> Path:
        """Return the path of the file."""
        return self.folder / FILE

    def ledger_at(self, location: str) -> str | None:
        """Return the id of the ledger that was last used at this place; None where there was none."""
        return next((row[0] for row in self._read("SELECT ledger FROM places WHERE location = ?", location)), None)

    def of(self, ledger: str) -> dict[int, End]:
        """Return the head of every account of a ledger, by the number of the account."""
        rows = self._read("SELECT account, place, link FROM heads WHERE ledger = ?", ledger)
        return {account: End(place, link) for account, place, link in rows}

    def of_account(self, ledger: str, account: int) -> End | None:
        """Return the head of one account; None where there is none."""
        rows = self._read("SELECT place, link FROM heads WHERE ledger = ? AND account = ?", ledger, account)
        return End(*rows[0]) if rows else None

    def keep(self, location: str, ledger: str, ends: Mapping[int, End]) -> None:
        """Remember which ledger is at this place, and the ends of its accounts where they are newer."""
        try:
            self._write(location, ledger, ends)
        except FAILURES as error:
            logging.getLogger(__name__).error("The head of the ledger was not kept: %s.", type(error).__name__)

    def accept(self, location: str, ledger: str, ends: Mapping[int, End]) -> None:
        """Accept a ledger as it is, in place of everything known about it. Raises LedgerError."""
        try:
            self._write(location, ledger, ends, anew=True)
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

    def _write(self, location: str, ledger: str, ends: Mapping[int, End], *, anew: bool = False) -> None:
        make_private(self.folder)
        self.file.touch(mode=0o600)
        with closing(self._connect()) as connection:
            connection.execute("BEGIN IMMEDIATE")
            for table in _TABLES:
                connection.execute(table)
            if anew:
                connection.execute("DELETE FROM heads WHERE ledger = ?", (ledger,))
            connection.execute("INSERT OR REPLACE INTO places VALUES (?, ?)", (location, ledger))
            rows = [(ledger, account, end.place, end.link) for account, end in ends.items()]
            connection.executemany(_KEEP, rows)
            connection.execute("COMMIT")

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.file, timeout=WAIT_SECONDS, isolation_level=None)
        connection.execute("PRAGMA synchronous = NORMAL")
        return connection
