"""The cluster that most tests of this folder share, two workers of their own for each file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    import distributed

    started = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0")
    with started, distributed.Client(started) as connected:
        yield connected
