"""A ledger of its own for every test, in a file or on a real PostgreSQL server."""

from __future__ import annotations

import importlib.util
import uuid

import pytest

from dpq_core import ApproxDP
from dpq_core.ledger import Ledger
from tests.ledger.clients import JOINS
from tests.ledger.server import server
from tests.programs import NO_POSTGRESQL, postgresql


@pytest.fixture(scope="session")
def postgres(tmp_path_factory):
    """The URL of a PostgreSQL server that runs for the session; skips where there is none."""
    skip_without_postgres()
    with server(tmp_path_factory.mktemp("postgres")) as running:
        yield running.url


def skip_without_postgres():
    """Say why where no server can be had."""
    if postgresql() is None or importlib.util.find_spec("psycopg") is None:
        pytest.skip(NO_POSTGRESQL)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
def where(request, tmp_path):
    """A place for a ledger of its own, on each kind of database."""
    if request.param == "sqlite":
        return str(tmp_path / "ledger.sqlite")
    return fresh_database(request.getfixturevalue("postgres"))


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
def ledger(where):
    """A ledger on each kind of database."""
    found = Ledger.at(where, key="a key for the tests")
    yield found
    found.engine.dispose()


@pytest.fixture
def account(tmp_path):
    """An account of rows, of people who join or leave."""
    ledger = Ledger.at(tmp_path / "ledger.sqlite")
    yield ledger.open_account("people", budget=ApproxDP(1.0, 1e-6), adjacency=JOINS, one_row_is="person")
    ledger.engine.dispose()
