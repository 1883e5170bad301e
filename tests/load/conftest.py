"""The load tests share a worker, so that two crowds never meet on one machine."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.browser import driving
from tests.browser.conftest import browser, chromium_path, pytest_runtest_teardown

__all__ = ["browser", "chromium_path", "pytest_runtest_teardown"]


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker(pytest.mark.xdist_group("load"))


@pytest.fixture
def say(record_property: Callable[[str, object], None]) -> Callable[[str, str], None]:
    """Put a measurement into the report, and on the screen of who wants to see it (`-s`)."""

    def say(name: str, words: str) -> None:
        record_property(name, words)
        print(f"\n{name}: {words}", flush=True)

    return say


@pytest.fixture
def server(tmp_path: Path) -> Iterator[driving.Server]:
    """A server of its own; at the end its log must have no traceback. Some files set up another one."""
    with driving.serve(tmp_path / "server.log") as running:
        yield running
    log = running.log.read_text(errors="replace")
    assert "Traceback" not in log, log[-4000:]
