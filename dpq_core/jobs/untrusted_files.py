"""Read untrusted files in a child process: a file that crashes its reader or fills the memory ends only the child.

A few hundred bytes can make libraries for Parquet, Excel and SPSS abort, and a small file can need more memory than
there is. Neither this module nor the child imports streamlit.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from io import BytesIO
from typing import Any, TypeVar, cast

from .queue import NOBODY, POOL, Asker, Job, Kind, in_one_step

T = TypeVar("T")

NO_USE = (
    "The file could not be read: it takes too much memory or time, or breaks the reader. Nothing of it was kept. Open "
    "it in the program that wrote it and save it anew, best as CSV."
)
SMALL_BYTES = 1 << 20
SMALL = Kind(seconds=600.0, problem=NO_USE)
LARGE = replace(SMALL, is_long=True)


def begin_reading(
    read: Callable[..., Any], content: bytes | str, *arguments: Any, asker: Asker = NOBODY, **settings: Any
) -> Job:
    """Return a job that calls `read(source, *arguments, **settings)`, an importable function.

    The source holds the content of a file, or its path. The job's result is what the function returns. A function that
    takes long may tell its progress to `children.report`.
    """
    kind = SMALL if isinstance(content, bytes) and len(content) <= SMALL_BYTES else LARGE
    return POOL.begin(kind, in_one_step, partial(_open, read, **settings), content, *arguments, asker=asker)


def _open(read: Callable[..., T], content: bytes | str, *arguments: Any, **settings: Any) -> T:
    return read(BytesIO(content) if isinstance(content, bytes) else content, *arguments, **settings)


def read_apart(
    read: Callable[..., T], content: bytes | str, *arguments: Any, asker: Asker = NOBODY,
    look: Callable[[Job], object] = lambda _: None, **settings: Any,
) -> T:  # fmt: skip
    """Return what `read` returns of the content of a file, or of a path, from a child; wait for it.

    Calls `look` with the job often, which may raise anything to end the reading. Raises what `read` raises, and
    ValueError where the child was ended.
    """
    place = os.path.abspath(content) if isinstance(content, str) else content  # the child works in another folder
    job = begin_reading(read, place, *arguments, asker=asker, **settings)
    return cast(T, job.wait(partial(look, job)))
