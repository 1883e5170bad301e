"""The load tests share a worker, so that two crowds never meet on one machine."""

import pytest

from tests.browser.conftest import browser, chromium_path, pytest_runtest_teardown

__all__ = ["browser", "chromium_path", "pytest_runtest_teardown"]


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker(pytest.mark.xdist_group("load"))
