"""A PostgreSQL server for the tests of databases."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator

import pytest

from tests.ledger.server import server
from tests.programs import NO_POSTGRESQL, postgresql


@pytest.fixture(scope="session")
def postgres_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a server that runs for the session; skips where there is none."""
    if postgresql() is None or importlib.util.find_spec("psycopg") is None:
        pytest.skip(NO_POSTGRESQL)
    with server(tmp_path_factory.mktemp("postgres")) as running:
        yield running.url
