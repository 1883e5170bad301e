"""The database of a ledger: SQLite in a file, or PostgreSQL; a transaction is on disk when it returns.

Nothing is left to the server's defaults. Every transaction that writes says itself that each statement sees all that
was committed before (READ COMMITTED, under the lock of the account's row), and that a commit waits for the disk; one
that only reads sees one moment and takes no lock. A file must still be the one that was opened. A caller who
cannot get through within WAIT_SECONDS gets one error; so does every read within the next seconds, at once, so that a
page that reads several times waits only once.

Folders. Only their owner can enter the folders of a ledger, its key and its heads, with any umask.
"""

from __future__ import annotations

import logging
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    IntegrityError,
    MultipleResultsFound,
    NoResultFound,
    OperationalError,
)  # fmt: skip
from sqlalchemy.exc import TimeoutError as NoConnection

from ...errors import LedgerError, ParameterError
from .schema import is_current, prepare

OWN = Path("~/.dpq")
"""The usual folder, which nothing else is kept in."""
OWNER_ONLY = 0o700


def make_private(folder: Path) -> None:
    """Make a folder that its owner alone can enter, with all above it; one that exists stays as it is, but for OWN.

    Raises OSError.
    """
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(exist_ok=True)
    elif folder != OWN.expanduser() or not folder.stat().st_mode & ~OWNER_ONLY & 0o777:
        return
    folder.chmod(OWNER_ONLY)


Found = TypeVar("Found")

DRIVERS = {"sqlite": "sqlite", "postgresql": "postgresql+psycopg", "postgres": "postgresql+psycopg"}
"""Of each kind of database that may hold a ledger."""
WAIT_SECONDS = 3
"""How long a client waits for a lock that nobody gives back."""
REST_SECONDS = 4
"""After a read has waited in vain, no other waits for this long: longer than the rest of a page takes."""
CONNECT_SECONDS = 2
"""How long it waits for a new connection."""
SILENT_SECONDS = 1.5
"""How long it waits for a machine that no longer confirms what it was sent, on an old connection."""
MOST_SECONDS = 60
"""How long it waits while others come and go."""
TRIES = 5
PAUSE_SECONDS = 0.05
ROLLED_BACK = {"40001", "40P01"}
"""PostgreSQL's codes for a serialization failure and a deadlock: nothing was written, and it may be tried again."""
FAILURES = (DBAPIError, NoConnection, OSError)
"""What a database or its file can end in."""
ANOTHER_NUMBER = (NoResultFound, MultipleResultsFound)
"""What the search for the one row of something ends in where there is none, or another one."""
READING = "dpq_reading"
"""Of a connection's execution options: whether it only reads."""

NOT_REACHED = (
    "The ledger cannot be reached; nothing was charged. Try again; if it stays so, check its address (DPQ_LEDGER_URL) "
    "with user and password, and that its database is running."
)
BROKEN_OFF = (
    "The ledger broke off while this was being charged: it may have been charged. Look in the history once the ledger "
    "can be reached again; nothing was released."
)
LACKS_A_ROW = (
    "The ledger lacks a row, or has one twice; nothing was charged. Restore a backup that passes dpq ledger verify."
)
REPLACED = (
    "The file of the ledger was removed or replaced while it was open; nothing was charged. The administrator "
    "can put it back, or start the server again with another one."
)

_READ = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"
_WRITE = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE"
_PINNED = (
    "SELECT set_config('lock_timeout', '{milliseconds}', true), set_config('synchronous_commit', "
    "CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, true)"
)


def write(engine: Engine, work: Callable[[Connection], Found]) -> Found:
    """Return what `work` returns, done in one transaction and on disk by then.

    `work` does nothing but write to the connection, because it may be called again. What it raises itself undoes the
    transaction and passes through. Raises LedgerError, IntegrityError.
    """
    for attempt in range(1, TRIES + 1):
        try:
            with engine.connect() as connection:
                transaction = connection.begin()
                found = work(connection)  # where it raises, closing the connection undoes the transaction
                try:
                    transaction.commit()
                except DBAPIError as error:
                    if _may_retry(error) or _code(error) in {sqlite3.SQLITE_FULL, sqlite3.SQLITE_BUSY}:
                        raise
                    raise _ledger_error(error, BROKEN_OFF) from None
                return found
        except IntegrityError:
            raise
        except ANOTHER_NUMBER:
            raise LedgerError(LACKS_A_ROW) from None
        except FAILURES as error:
            if attempt == TRIES or not _may_retry(error):
                raise _ledger_error(error, NOT_REACHED) from None
            time.sleep(PAUSE_SECONDS * attempt)
    raise AssertionError("the last try ends in an answer or an error")


_waited_in_vain: dict[str, float] = {}
"""By the addresses of databases: until when nobody waits again to read, or to open them."""


def read(engine: Engine, work: Callable[[Connection], Found]) -> Found:
    """Return what `work` reads, all of it at one moment, and block no writer. Raises LedgerError."""
    began, place = time.monotonic(), str(engine.url)
    if began < _waited_in_vain.get(place, 0.0):
        raise LedgerError(NOT_REACHED)
    try:
        with engine.execution_options(**{READING: True}).begin() as connection:
            return work(connection)
    except ANOTHER_NUMBER:
        raise LedgerError(LACKS_A_ROW) from None
    except FAILURES as error:
        ended = time.monotonic()
        if ended - began > WAIT_SECONDS / 2:
            _waited_in_vain[place] = ended + REST_SECONDS
        raise _ledger_error(error, NOT_REACHED) from None


def _ledger_error(error: Exception, sentence: str) -> LedgerError:
    """Log the kind of a database's error, whose own text may quote its address, and return a LedgerError."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    code = getattr(cause, "sqlstate", None) or getattr(cause, "sqlite_errorname", None) or ""
    logging.getLogger(__name__).error("The ledger's database said %s.", f"{type(cause).__name__} {code}".strip())
    return LedgerError(sentence)


def _may_retry(error: Exception) -> bool:
    """Return whether the database undid the transaction, so that it may be tried again."""
    return isinstance(error, DBAPIError) and getattr(error.orig, "sqlstate", None) in ROLLED_BACK


def _code(error: DBAPIError) -> int | None:
    """Return SQLite's primary error code."""
    code = getattr(error.orig, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


def open_database(where: str | Path, upgrade: Callable[[Connection], None]) -> Engine:
    """Return an engine for a path or a URL, with tables of the current version; no lock is taken where these exist.

    `upgrade` brings tables of version 1.1 up to date.

    Transactions that write exclude each other: SQLite begins each at once with the lock (BEGIN IMMEDIATE), PostgreSQL
    locks the row of the account (`accounts.locked`). Raises ParameterError, LedgerError.
    """
    url = _url(where)
    try:
        engine = _sqlite(Path(str(url.database))) if url.get_backend_name() == "sqlite" else _postgresql(url)
    except OSError as error:
        raise _ledger_error(error, NOT_REACHED) from None
    try:
        if not read(engine, is_current):
            write(engine, lambda connection: prepare(connection, upgrade))
    except BaseException:
        engine.dispose()
        raise
    return engine


def location_of(engine: Engine) -> str:
    """Return where a ledger is, as text without a password: an absolute path, or host, port and name."""
    url = engine.url
    if url.get_backend_name() == "sqlite":
        return str(Path(str(url.database)).resolve())
    return f"{url.host or 'localhost'}:{url.port or 5432}/{url.database or url.username or ''}"


def _url(where: str | Path) -> URL:
    is_url = isinstance(where, str) and "://" in where
    try:
        url = make_url(str(where)) if is_url else URL.create("sqlite", database=str(where))
    except (ArgumentError, ValueError):  # their messages quote the URL, which may hold a password
        url = URL.create("unknown")
    backend = url.get_backend_name()
    if backend not in DRIVERS or (backend == "sqlite" and url.database in {None, "", ":memory:"}):
        raise ParameterError("ledger", "must be the path of a file or a URL of sqlite or postgresql.")
    return url.set(drivername=DRIVERS[backend])


def _postgresql(url: URL) -> Engine:
    limits = {"connect_timeout": CONNECT_SECONDS, "tcp_user_timeout": round(1000 * SILENT_SECONDS)}
    limits |= {"keepalives_idle": 1, "keepalives_interval": 1}  # else nobody notices while an answer is waited for
    chosen = {name: value for name, value in limits.items() if name not in url.query}
    engine = create_engine(
        url, hide_parameters=True, pool_pre_ping=True, pool_timeout=WAIT_SECONDS, max_overflow=30, connect_args=chosen
    )

    @event.listens_for(engine, "begin")
    def pin(connection: Connection) -> None:
        reading = connection.get_execution_options().get(READING, False)
        connection.exec_driver_sql(_READ if reading else _WRITE)
        connection.exec_driver_sql(_PINNED.format(milliseconds=1000 * WAIT_SECONDS))

    return engine


def _sqlite(file: Path) -> Engine:
    make_private(file.parent)
    file.touch(mode=0o600)  # for the owner alone; an existing file keeps its mode
    opened = _identity(file)

    def connect() -> sqlite3.Connection:
        address = f"file:{quote(str(file.absolute()))}?mode=rw"  # a file that is gone is not made anew
        return sqlite3.connect(address, uri=True, timeout=WAIT_SECONDS, check_same_thread=False)

    engine = create_engine(
        URL.create("sqlite", database=str(file)), creator=connect, hide_parameters=True, pool_timeout=WAIT_SECONDS,
        max_overflow=30,
    )  # fmt: skip

    @event.listens_for(engine, "connect")
    def configure(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # BEGIN is sent below
        _write_ahead(connection)
        # FULL: a charge survives a power cut too. The usual NORMAL may lose the last charges and keep their answers.
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        if _identity(file) != opened:
            raise LedgerError(REPLACED)
        if connection.get_execution_options().get(READING, False):
            connection.exec_driver_sql("BEGIN")
        else:
            _take_the_lock(connection)

    return engine


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Give the file its log ahead of it. SQLite refuses this at once, without waiting, while another does it."""
    give_up = time.monotonic() + WAIT_SECONDS
    while True:
        try:
            if connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):
                connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > give_up:
                raise
            time.sleep(PAUSE_SECONDS)


def _identity(file: Path) -> tuple[int, int] | None:
    """Return what distinguishes a file from another one at the same path; None where there is none."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _take_the_lock(connection: Connection) -> None:
    """Begin with the lock for writing; while others come and go, wait for it up to MOST_SECONDS."""
    give_up = time.monotonic() + MOST_SECONDS
    seen = _changes(connection)
    while True:
        try:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            return
        except OperationalError as error:
            before, seen = seen, _changes(connection)
            if _code(error) != sqlite3.SQLITE_BUSY or seen == before or time.monotonic() > give_up:
                raise


def _changes(connection: Connection) -> int:
    """Return a number that changes when another connection commits."""
    return int(connection.exec_driver_sql("PRAGMA data_version").scalar_one())
