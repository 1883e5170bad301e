"""A column of a database, read in a child process: Cancel ends it, and it waits in a queue of its own.

A database that does not answer so holds up nobody who brings a file, pastes values or runs a study.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

from ..groups.names import GroupColumn
from ..people.ids import People
from ..progress import Progress
from ..sources.column import Column
from .children import QUICK_SECONDS, BoundSteps
from .line import Queue
from .processes import ProcessJob

if TYPE_CHECKING:  # it needs SQLAlchemy
    from ..sources.databases.reading import Database

MOST_SECONDS = 600.0
"""The database itself ends a statement after half of it."""
NOT_READ = "The database could not be read: it takes too long, or the column needs too much memory."


class DatabaseJob(ProcessJob):
    """A column row by row, the persons behind its rows, and their groups; None where no such column is named."""

    queue: ClassVar[Queue] = Queue(os.cpu_count() or 1)
    quick_seconds: ClassVar[float] = QUICK_SECONDS
    seconds: ClassVar[float | None] = MOST_SECONDS
    too_large: ClassVar[str] = NOT_READ
    cut_off: ClassVar[str] = NOT_READ

    def __init__(self, database: Database, column: str, person: str, group: str) -> None:
        super().__init__(_rows_of, database, column, person, group)

    def _take(self, steps: BoundSteps, progress: Progress, cancelled: object) -> Any:
        super()._take(steps, progress, cancelled)
        return self.parts.pop()


def _rows_of(
    database: Database, column: str, person: str, group: str
) -> Iterator[tuple[float, tuple[Column, People | None, GroupColumn | None]]]:
    """Read in one step, in the child."""
    rows = database.rows(column, person=person or None, group=group or None)
    yield 1.0, (rows.column, rows.people, rows.groups)
