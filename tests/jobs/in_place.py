"""Processes that are none, for tests that would wait a second for each real one."""

from collections.abc import Iterable

from dpq_core.jobs.children import BoundSteps
from dpq_core.jobs.queue import Pool


class InPlace:
    """It does its work in the thread of the job, where nothing bounds or ends it."""

    ran = 0.0, 0.0

    def parts(self, work: BoundSteps) -> Iterable[tuple[float, object]]:
        """Return the parts of the work."""
        return work()

    def end(self) -> None:
        """Go on."""

    close = end


class InPlacePool(Pool):
    """A pool that starts no process."""

    def __init__(self, cores: int) -> None:
        super().__init__(cores)
        self._new_child = InPlace  # type: ignore[assignment, method-assign]
