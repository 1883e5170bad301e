"""The cluster of two workers, in this process, that the folder shares; messages travel as between machines."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
ENDING = ExitStack()
"""Ends the cluster after the last test of the folder: other tests must not find its threads."""
STARTED: list[Any] = []


def pytest_itemcollected(item: pytest.Item) -> None:
    if item.path.parent == HERE:  # the library leaves sockets of lost workers to the garbage collector
        for left in ("ResourceWarning", "pytest.PytestUnraisableExceptionWarning"):
            item.add_marker(pytest.mark.filterwarnings(f"ignore::{left}"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    yield
    if nextitem is None or nextitem.path.parent != HERE:
        STARTED.clear()
        ENDING.close()


@pytest.fixture(scope="module")
def cluster() -> Any:
    distributed: Any = pytest.importorskip("distributed", reason="the extra [cluster] is not installed")
    if not STARTED:
        settings = {"processes": False, "protocol": "tcp://", "dashboard_address": ":0"}
        STARTED.append(ENDING.enter_context(distributed.LocalCluster(n_workers=2, threads_per_worker=1, **settings)))
    return STARTED[0]


@pytest.fixture(autouse=True, scope="module")
def client(cluster: Any) -> Iterator[Any]:
    import distributed

    with distributed.Client(cluster) as connected:
        connected.wait_for_workers(2, timeout=300)
        yield connected
