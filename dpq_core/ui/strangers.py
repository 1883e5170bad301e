"""Files that anybody may have made, opened in a child process: what ends a reader, or fills its memory, ends the child.

Libraries that read Parquet and Excel can be made to abort by a few hundred bytes, and small files can ask for more
memory than there is. Nothing here knows streamlit; the child does not either.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from io import BytesIO
from typing import Any, ClassVar, TypeVar

from .jobs import Line, Stage
from .processes import ProcessJob

T = TypeVar("T")
Read = Callable[..., Any]

NO_USE = (
    "The file could not be read: it took too much memory or time, or broke the reader. Nothing of it was kept. Open it "
    "in the program that wrote it and save it anew, best as CSV."
)
POLL_SECONDS = 0.02


class FileJob(ProcessJob):
    """One look into a file, in a child with bounds of its own and in a line of its own: studies do not hold it up."""

    line: ClassVar[Line] = Line(os.cpu_count() or 1)
    memory: ClassVar[int] = 3 << 30
    seconds: ClassVar[float | None] = 300.0
    too_large: ClassVar[str] = NO_USE
    cut_off: ClassVar[str] = NO_USE

    def __init__(self, read: Read, content: bytes | str, *arguments: Any, **settings: Any) -> None:
        super().__init__(_steps, read, content, arguments, settings)

    @property
    def found(self) -> Any:
        """What was read. Only once the job is done."""
        return self.parts[-1]


def wait(job: FileJob, seconds: float) -> bool:
    """Wait until a job has ended, for so long at most; return whether it has."""
    give_up = time.monotonic() + seconds
    while not job.finished and time.monotonic() < give_up:
        job.ask()
        time.sleep(POLL_SECONDS)
    return job.finished


def read_apart(read: Callable[..., T], path: str, *arguments: Any, **settings: Any) -> T:
    """Return what `read(path, ...)` returns, read in a child. Raises what it raises, and ValueError where it ended."""
    job = FileJob(read, path, *arguments, **settings)
    wait(job, float("inf"))
    if job.stage is not Stage.DONE:
        raise job.error or ValueError(job.problem)
    found: T = job.found
    return found


def _steps(
    read: Read, content: bytes | str, arguments: tuple[Any, ...], settings: dict[str, Any]
) -> Iterator[tuple[float, Any]]:
    """Read in a thread of the child, and tell how far it is."""
    shares, outcome = [0.0], _Outcome()
    source = BytesIO(content) if isinstance(content, bytes) else content
    work = partial(read, source, *arguments, **settings)
    thread = threading.Thread(target=outcome.take, args=(partial(work, progress=shares.append),), daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(0.1)
        yield shares[-1], None
    yield 1.0, outcome.given()


class _Outcome:
    """What came of a call in another thread."""

    result: Any = None
    error: BaseException | None = None

    def take(self, call: Callable[[], Any]) -> None:
        try:
            self.result = call()
        except BaseException as error:  # handed on to the thread that asked
            self.error = error

    def given(self) -> Any:
        if self.error is not None:
            raise self.error
        return self.result
