"""The lock for writing: whoever waits goes on while others commit, and gives up where nobody does."""

import sqlite3
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError

from dpq_core.ledger.store import database


class Connection:
    """One that finds the ledger locked so many times; `commits` says whether others commit meanwhile."""

    def __init__(self, locked, commits, code=sqlite3.SQLITE_BUSY):
        self.locked, self.commits, self.code = locked, commits, code
        self.tries = self.version = 0

    def exec_driver_sql(self, statement):
        if statement == "PRAGMA data_version":
            self.version += self.commits
            return SimpleNamespace(scalar_one=lambda: self.version)
        assert statement == "BEGIN IMMEDIATE"
        self.tries += 1
        if self.tries > self.locked:
            return None
        cause = sqlite3.OperationalError("locked")
        cause.sqlite_errorcode = self.code
        raise OperationalError(statement, {}, cause)


@pytest.mark.parametrize("locked", [0, 1, 5])
def test_while_others_commit_the_lock_is_waited_for(locked):
    connection: Any = Connection(locked, commits=True)
    database._take_the_lock(connection)
    assert connection.tries == locked + 1


@pytest.mark.parametrize(("commits", "code"), [(False, sqlite3.SQLITE_BUSY), (True, sqlite3.SQLITE_READONLY)])
def test_a_lock_that_nobody_gives_back_and_other_failures_end_it_at_once(commits, code):
    connection: Any = Connection(5, commits, code)
    with pytest.raises(OperationalError):
        database._take_the_lock(connection)
    assert connection.tries == 1


def test_it_is_not_waited_for_longer_than_so_long(monkeypatch):
    monkeypatch.setattr(database, "MOST_SECONDS", -1)
    connection: Any = Connection(5, commits=True)
    with pytest.raises(OperationalError):
        database._take_the_lock(connection)
    assert connection.tries == 1
