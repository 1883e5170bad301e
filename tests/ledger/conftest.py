"""A ledger of its own for every test, in a file or on a real PostgreSQL server."""

import uuid

import pytest

from dpq_core import ApproxDP
from dpq_core.ledger.accounts import Ledger
from tests.ledger.clients import KEY, open_one, spend, written_by_1_1
from tests.ledger.server import server, skip_without_postgres


@pytest.fixture(scope="session")
def postgres_server(tmp_path_factory):
    """A PostgreSQL server for the session, which loses what is not committed for good when it crashes; or a skip."""
    skip_without_postgres()
    lossy = {"synchronous_commit": "off", "wal_writer_delay": "10000", "deadlock_timeout": "50"}
    with server(tmp_path_factory.mktemp("postgres"), **lossy) as running:
        yield running


@pytest.fixture
def postgres(postgres_server):
    """A new database on the server."""
    return fresh_database(postgres_server.url)


on_sqlite = pytest.mark.parametrize("where", ["sqlite"], indirect=True)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
def where(request, tmp_path):
    """A place for a ledger of its own, on each kind of database."""
    return str(tmp_path / "ledger.sqlite") if request.param == "sqlite" else request.getfixturevalue("postgres")


def fresh_database(url, **defaults):
    """The URL of a new database on the server, whose transactions have these defaults."""
    import psycopg

    name = f"ledger_{uuid.uuid4().hex}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        for setting, value in defaults.items():
            connection.execute(f"ALTER DATABASE {name} SET {setting} = '{value}'")
    return url.rpartition("/")[0] + f"/{name}"


@pytest.fixture
def opened(where, tmp_path):
    """What opens the ledger of a test again, as a program that starts does: with its key and the heads, if not said.

    `charges`: so many, to an account for people that is opened for them.
    """
    ledgers = []

    def again(key=KEY, place=where, heads=tmp_path / "heads", charges=None, **named):
        ledgers.append(Ledger.at(place, key=key, heads=heads, **named))
        if charges is not None:
            open_one(ledgers[-1])
            spend(ledgers[-1], charges)
        return ledgers[-1]

    yield again
    for each in ledgers:
        each.engine.dispose()


@pytest.fixture
def ledger(where):
    """A ledger on each kind of database."""
    found = Ledger.at(where, key=KEY)
    yield found
    found.engine.dispose()


@pytest.fixture
def account(tmp_path):
    """An account of rows, of people who join or leave."""
    ledger = Ledger.at(tmp_path / "ledger.sqlite")
    yield open_one(ledger, budget=ApproxDP(1.0, 1e-6))
    ledger.engine.dispose()


@pytest.fixture
def of_1_1(where):
    """An engine for a ledger that version 1.1 has written."""
    engine = written_by_1_1(where)
    yield engine
    engine.dispose()
