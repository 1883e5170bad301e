"""Read untrusted files in a child process: a file that crashes its reader or fills the memory ends only the child.

A few hundred bytes can make libraries for Parquet, Excel and SPSS abort, and a small file can need more memory than
there is. Neither this module nor the child imports streamlit.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from io import BytesIO
from typing import Any, ClassVar, TypeVar

from ..errors import DataError, Disclosure
from ..groups.names import GroupColumn, GroupName
from ..people.ids import People
from ..sources.column import Column, Progress
from ..sources.files import Layout, find_layout, list_sheets, read_columns
from ..sources.groups import read_groups
from ..sources.people import read_people
from ..sources.reading import Reading
from .children import QUICK_SECONDS, BoundSteps
from .line import Queue
from .processes import ProcessJob

T = TypeVar("T")

NO_USE = (
    "The file could not be read: it takes too much memory or time, or breaks the reader. Nothing of it was kept. Open "
    "it in the program that wrote it and save it anew, best as CSV."
)
DIFFERENT_ROWS = "The two columns do not have the same number of rows."
SMALL_BYTES = 1 << 20
POLL_SECONDS = 0.02
TELL_SECONDS = 0.1


class FileJob(ProcessJob):
    """Read from a file once, in a child with limits of its own, and in a queue of its own, so that studies do not delay
    it.

    `read(source, ..., progress=)` is an importable function; its source holds the bytes or the path. The job's result
    is what it returns.
    """

    queue: ClassVar[Queue] = Queue(os.cpu_count() or 1, beside=1)
    quick_seconds: ClassVar[float] = QUICK_SECONDS
    seconds: ClassVar[float | None] = 600.0
    too_large: ClassVar[str] = NO_USE
    cut_off: ClassVar[str] = NO_USE

    def __init__(self, read: Callable[..., Any], content: bytes | str, *arguments: Any, **settings: Any) -> None:
        self.is_small = isinstance(content, bytes) and len(content) <= SMALL_BYTES
        super().__init__(_steps, read, content, arguments, settings)

    def _take(self, steps: BoundSteps, progress: Progress, cancelled: object) -> Any:
        super()._take(steps, progress, cancelled)
        return self.parts.pop()


def layout_of(source: Any, header: bool | None, *, progress: Progress, **said: Any) -> Layout:
    """Return where the columns of a file are, as `find_layout`."""
    return find_layout(source, header=header, **said)


def sheets_of(source: Any, *, progress: Progress) -> tuple[str, ...]:
    """Return the names of the sheets of a workbook, as `list_sheets`."""
    return list_sheets(source)


def columns_and_groups_of(
    source: Any,
    names: Sequence[str],
    person: str,
    by: Mapping[str, Sequence[GroupName] | None],
    layout: Layout,
    readings: Mapping[str, Reading] | None = None,
    *,
    progress: Progress,
) -> tuple[list[Column | ValueError], People | None, list[GroupColumn]]:
    """Return columns of a file, as `read_columns`, and the persons and the groups of their rows, if they are named.

    `by`: the columns of groups, each with its list or None; of a list no other name leaves the child, and no id does.
    """
    persons, parts = bool(person), bool(person) + len(names) + len(by)

    def share_of(done: int, count: int = 1) -> Progress:
        return lambda share: progress((done + share * count) / parts)

    people = read_people(source, person, layout=layout, progress=share_of(0)) if person else None
    found = read_columns(source, names, layout, share_of(persons, len(names)), readings)
    groups = [
        read_groups(source, column, names=listed, layout=layout, progress=share_of(persons + len(names) + at))
        for at, (column, listed) in enumerate(by.items())
    ]
    keys = [each.codes.size for each in (people, *groups) if each is not None]
    if any(size != each.rows for each in found if isinstance(each, Column) for size in keys):
        raise DataError(DIFFERENT_ROWS, discloses=Disclosure.SHAPE)
    return found, people, groups


def read_apart(
    read: Callable[..., T],
    content: bytes | str,
    *arguments: Any,
    look: Callable[[FileJob], object] = lambda _: None,
    **settings: Any,
) -> T:
    """Return what `read` returns of the content of a file, or of a path, from a child; wait for it.

    Calls `look` with the job often, which may raise anything to end the reading. Raises what `read` raises, and
    ValueError where the child was ended.
    """
    place = os.path.abspath(content) if isinstance(content, str) else content  # the child works in another folder
    job = FileJob(read, place, *arguments, **settings)
    try:
        while not job.finished:
            job.ask()
            look(job)
            time.sleep(POLL_SECONDS)
    finally:
        job.cancel()  # changes nothing once it has finished
    if job.error is not None:
        raise job.error
    if job.problem:
        raise ValueError(job.problem)
    result: T = job.result
    return result


def _steps(
    read: Callable[..., Any], content: bytes | str, arguments: tuple[Any, ...], settings: dict[str, Any]
) -> Iterator[tuple[float, Any]]:
    """Read in a thread of the child, and report progress."""
    shares = [0.0]
    source = BytesIO(content) if isinstance(content, bytes) else content
    call = partial(read, source, *arguments, **settings, progress=shares.append)
    with ThreadPoolExecutor(max_workers=1) as threads:
        reading = threads.submit(call)
        while not reading.done():
            wait([reading], TELL_SECONDS)
            yield shares[-1], None
        yield 1.0, reading.result()
