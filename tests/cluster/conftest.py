"""The cluster of two workers that most files of this folder share, one after the other, each with a client of its own.

To start one takes as long as a dozen tests. Files that search its logs, or kill what others read, have their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
OF_THEIR_OWN = {"test_columns", "test_tables"}
ENDING = ExitStack()
"""Ends the cluster, after the last test of the files that share it: other tests must not find its threads."""
STARTED: list[Any] = []


def pytest_itemcollected(item: pytest.Item) -> None:
    if shares(item):
        item.add_marker(pytest.mark.xdist_group("cluster"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    yield
    if nextitem is None or not shares(nextitem):
        STARTED.clear()
        ENDING.close()


def shares(item: pytest.Item) -> bool:
    return item.path.parent == HERE and item.path.stem not in OF_THEIR_OWN


@pytest.fixture(scope="module")
def cluster() -> Any:
    import distributed

    if not STARTED:
        started = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0")
        STARTED.append(ENDING.enter_context(started))
    return STARTED[0]


@pytest.fixture(scope="module")
def client(cluster: Any) -> Iterator[Any]:
    import distributed

    with distributed.Client(cluster) as connected:
        connected.wait_for_workers(2, timeout=60)
        yield connected
