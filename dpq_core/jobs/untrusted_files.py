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
from ..sources.files import Layout, find_layout, list_sheets, read_column, read_columns
from ..sources.groups import read_groups
from ..sources.people import read_people
from ..sources.reading import AS_WRITTEN, Reading
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
    """Return several columns of a file, as `read_columns`, the persons behind their rows, and their groups.

    No id leaves the child. Each column of `by` has a list of names, of which no other leaves the child, or None.
    """
    first, parts = bool(person), (bool(person) + len(names)) * (len(by) + 1)
    people = _people(source, person, layout, lambda share: progress(share / parts))
    found = read_columns(source, names, layout, lambda share: progress((first + share * len(names)) / parts), readings)
    groups = [read_groups(source, column, names=listed, layout=layout) for column, listed in by.items()]
    _check_rows({each.rows for each in found if isinstance(each, Column)}, people, *groups)
    return found, people, groups


def grouped_table_of(
    source: Any,
    column: str,
    person: str,
    group: str,
    layout: Layout | None,
    reading: Reading = AS_WRITTEN,
    *,
    progress: Progress,
) -> tuple[Column, People | None, GroupColumn | None]:
    """Return one column, the persons behind its rows, and their groups, where such columns are named."""
    part = 0.7 if group else 1.0
    own = part / 2 if person else part
    found = read_column(source, column, layout=layout, reading=reading, progress=lambda share: progress(own * share))
    people = _people(source, person, layout, lambda share: progress(own * (1 + share)))
    groups = None
    if group:
        groups = read_groups(source, group, layout=layout, progress=lambda share: progress(part + (1 - part) * share))
    _check_rows({found.rows}, people, groups)
    return found, people, groups


def _people(source: Any, column: str, layout: Layout | None, progress: Progress) -> People | None:
    return read_people(source, column, layout=layout, progress=progress) if column else None


def _check_rows(rows: set[int], *others: People | GroupColumn | None) -> None:
    if any(rows - {each.codes.size} for each in others if each is not None):
        raise DataError(DIFFERENT_ROWS, discloses=Disclosure.SHAPE)


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
