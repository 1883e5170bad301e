"""A PostgreSQL server for the tests of databases."""

from collections.abc import Iterator

import pytest

from tests.ledger.server import server, skip_without_postgres


@pytest.fixture(scope="session")
def postgres_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a server that runs for the session; skips where there is none."""
    skip_without_postgres()
    with server(tmp_path_factory.mktemp("postgres")) as running:
        yield running.url
