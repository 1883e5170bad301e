"""A server for crowds, and what a test says of it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.browser import driving
from tests.browser.conftest import browser, chromium_path, pytest_runtest_teardown

__all__ = ["browser", "chromium_path", "pytest_runtest_teardown"]


@pytest.fixture
def say(record_property: Callable[[str, object], None]) -> Callable[[str, str], None]:
    """Put a measurement into the report, and on the screen of who wants to see it (`-s`)."""

    def say(name: str, words: str) -> None:
        record_property(name, words)
        print(f"\n{name}: {words}", flush=True)

    return say


@pytest.fixture
def server(tmp_path: Path) -> Iterator[driving.Server]:
    """A server of its own; at the end its log must have no traceback."""
    with driving.serve(tmp_path / "server.log") as running:
        yield running
    log = running.log.read_text(errors="replace")
    assert "Traceback" not in log, log[-4000:]


@pytest.fixture
def calm(server: driving.Server) -> Iterator[driving.Server]:
    """The same; its log must have no trace of an error at all."""
    yield server
    log = server.log.read_text(errors="replace")
    assert not [word for word in ("Error", "Exception", " ended with ") if word in log], log[-4000:]
