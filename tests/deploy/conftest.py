"""A deployed server for the tests."""

import importlib.util
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.conftest import browser, chromium_path, pytest_runtest_teardown
from tests.deploy.machine import Machine, machine
from tests.ledger.server import server, skip_without_postgres
from tests.programs import NO_NGINX, nginx

__all__ = ["browser", "chromium_path", "pytest_runtest_teardown"]

CURATORS = [f"curator{number}@example.org" for number in range(60)]


@pytest.fixture(scope="package")
def programs() -> None:
    """Skip where a server cannot be had as Debian has it."""
    skip_without_postgres()
    if nginx() is None or shutil.which("openssl") is None:
        pytest.skip(NO_NGINX)
    if not all(map(importlib.util.find_spec, ("oidc_provider_mock", "authlib"))):
        pytest.skip("oidc-provider-mock or the extra [signin] is not installed")


@pytest.fixture(scope="package")
def kept(programs: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    folder = tmp_path_factory.mktemp("small")
    with server(folder) as database, machine(folder, database.url, CURATORS, processes=2) as running:
        yield running


@pytest.fixture
def small(kept: Machine) -> Machine:
    """Two processes, alive, for all tests of the folder; nginx finds the third one dead from the beginning."""
    for letter, process in kept.processes.items():
        if process.running.poll() is not None:
            kept.start(letter)
    return kept


@pytest.fixture
def whole(programs: None, tmp_path: Path) -> Iterator[Machine]:
    """Three processes, for one test."""
    with server(tmp_path) as database, machine(tmp_path, database.url, CURATORS) as running:
        yield running
