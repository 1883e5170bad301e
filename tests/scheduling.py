"""Which worker runs which tests: a file or a named group is one piece, so that what its tests share is made once.

The groups that drive a browser come first, and alone: a page that shares two cores with four workers takes many times
as long as anybody would wait for it, and what it does then is a matter of chance.
"""

from __future__ import annotations

from collections import Counter

import pytest
from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController

BROWSERS = "browser-"
"""How the groups of tests/browser begin."""


class ByFile(LoadScopeScheduling):  # type: ignore[misc]
    """Gives a worker that is nearly done the next file, or the next group of `xdist_group`.

    While browsers are driven, workers without a browser wait.
    """

    def mark_test_complete(self, node: WorkerController, item_index: int, duration: float = 0) -> None:
        drove = self._browsers_are_driven()
        super().mark_test_complete(node, item_index, duration)
        if drove and not self._browsers_are_driven():
            for _ in range(2):  # a worker begins a test when it knows the next one
                for waiting in self.nodes:
                    self._reschedule(waiting)

    def _assign_work_unit(self, node: WorkerController) -> None:
        if next(iter(self.workqueue)).startswith(BROWSERS) or not self._browsers_are_driven():
            super()._assign_work_unit(node)

    def _browsers_are_driven(self) -> bool:
        """Return whether a group of the browser has two tests or more to go: the last one waits for what follows it."""
        units = [unit for work in self.assigned_work.values() for unit in work.items()]
        return any(name.startswith(BROWSERS) and [*tests.values()].count(False) > 1 for name, tests in units)

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
