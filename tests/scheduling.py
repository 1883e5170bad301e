"""Which worker runs which tests: a file or a named group is one piece, so that what its tests share is made once."""

from __future__ import annotations

from collections import Counter

import pytest
from xdist.scheduler import LoadScopeScheduling


class ByFile(LoadScopeScheduling):  # type: ignore[misc]
    """Gives a worker that is nearly done the next file, or the next group of `xdist_group`."""

    def _split_scope(self, nodeid: str) -> str:
        named = nodeid.rfind("@") > nodeid.rfind("]")
        return nodeid.rpartition("@")[2] if named else nodeid.partition("::")[0]


def longest_first(items: list[pytest.Item]) -> None:
    """Sort tests: groups first, then files by how many slow tests they have, so that none that is long begins last."""
    slow = Counter(item.path for item in items if item.get_closest_marker("slow"))
    sizes = Counter(item.path for item in items)

    def place(item: pytest.Item) -> tuple[str | int, ...]:
        group = item.get_closest_marker("xdist_group")
        return (0, group.args[0]) if group else (1, "", -slow[item.path], -sizes[item.path], str(item.path))

    items.sort(key=place)
