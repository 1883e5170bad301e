"""The database behind a ledger: SQLite in a file, or PostgreSQL. A transaction is written to disk when it returns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import URL, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError

from ..errors import ParameterError
from .schema import prepare

DRIVERS = {"sqlite": "sqlite", "postgresql": "postgresql+psycopg"}
"""Of each kind of database that may hold a ledger."""
BUSY_SECONDS = 60
"""How long a client waits for another one's transaction."""


def open_database(where: str | Path) -> Engine:
    """An engine for a path or a URL, with tables of the current version.

    Transactions that write exclude each other: SQLite begins each at once with the lock (BEGIN IMMEDIATE), PostgreSQL
    locks the row of the account (`accounts.locked`). Raises ParameterError.
    """
    url = _url(where)
    if url.get_backend_name() == "sqlite":
        engine = _sqlite(url)
    else:
        engine = create_engine(url, hide_parameters=True, pool_pre_ping=True)
    try:
        with engine.begin() as connection:
            prepare(connection)
    except BaseException:
        engine.dispose()
        raise
    return engine


def _url(where: str | Path) -> URL:
    is_url = isinstance(where, str) and "://" in where
    try:
        url = make_url(str(where)) if is_url else URL.create("sqlite", database=str(where))
    except (ArgumentError, ValueError):  # their messages quote the URL, which may hold a password
        url = URL.create("unknown")
    backend = url.get_backend_name()
    if backend not in DRIVERS or (backend == "sqlite" and url.database in {None, "", ":memory:"}):
        raise ParameterError("ledger", "`ledger` must be the path of a file or a URL of sqlite or postgresql.")
    return url.set(drivername=DRIVERS[backend])


def _sqlite(url: URL) -> Engine:
    file = Path(str(url.database))
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch(mode=0o600)  # for the owner alone; an existing file keeps its mode
    engine = create_engine(url, hide_parameters=True, connect_args={"timeout": BUSY_SECONDS})

    @event.listens_for(engine, "connect")
    def configure(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # BEGIN is sent below
        if connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):
            connection.execute("PRAGMA journal_mode = WAL")
        # FULL: a charge survives a power cut too. The usual NORMAL may lose the last charges and keep their answers.
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")

    @event.listens_for(engine, "begin")
    def begin(connection: Any) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine
