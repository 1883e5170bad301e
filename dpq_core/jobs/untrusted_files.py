"""Read untrusted files in a child process: a file that crashes its reader or fills the memory ends only the child.

A few hundred bytes can make libraries for Parquet, Excel and SPSS abort, and a small file can need more memory than
there is. Neither this module nor the child imports streamlit.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from io import BytesIO
from typing import Any, TypeVar, cast

from ..sources.column import Progress
from ..sources.files import Layout, find_layout, list_sheets
from .children import Parts
from .queue import NOBODY, Asker, Job, Queue

T = TypeVar("T")

NO_USE = (
    "The file could not be read: it takes too much memory or time, or breaks the reader. Nothing of it was kept. Open "
    "it in the program that wrote it and save it anew, best as CSV."
)
SMALL_BYTES = 1 << 20
TELL_SECONDS = 0.1
FILES = Queue(beside=1, seconds=600.0, too_large=NO_USE, too_long=NO_USE, cut_off=NO_USE)
"""Each file is read in a process of its own; the small ones do not wait for the large ones."""


def begin_reading(
    read: Callable[..., Any], content: bytes | str, *arguments: Any, asker: Asker = NOBODY, **settings: Any
) -> Job:
    """Return a job that calls `read(source, *arguments, **settings, progress=)`, an importable function.

    The source holds the content of a file, or its path. The job's result is what the function returns.
    """
    is_small = isinstance(content, bytes) and len(content) <= SMALL_BYTES
    return FILES.begin(_steps, read, content, arguments, settings, asker=asker, is_small=is_small)


def layout_of(source: Any, header: bool | None, *, progress: Progress, **said: Any) -> Layout:
    """Return where the columns of a file are, as `find_layout`."""
    return find_layout(source, header=header, **said)


def sheets_of(source: Any, *, progress: Progress) -> tuple[str, ...]:
    """Return the names of the sheets of a workbook, as `list_sheets`."""
    return list_sheets(source)


def read_apart(
    read: Callable[..., T],
    content: bytes | str,
    *arguments: Any,
    asker: Asker = NOBODY,
    look: Callable[[Job], object] = lambda _: None,
    **settings: Any,
) -> T:
    """Return what `read` returns of the content of a file, or of a path, from a child; wait for it.

    Calls `look` with the job often, which may raise anything to end the reading. Raises what `read` raises, and
    ValueError where the child was ended.
    """
    place = os.path.abspath(content) if isinstance(content, str) else content  # the child works in another folder
    job = begin_reading(read, place, *arguments, asker=asker, **settings)
    return cast(T, job.wait(partial(look, job)))


def _steps(
    read: Callable[..., Any], content: bytes | str, arguments: tuple[Any, ...], settings: dict[str, Any]
) -> Parts:
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
