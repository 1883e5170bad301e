"""Report how far a long call is, to the function that the caller passes as `progress`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import TextIO, TypeAlias, TypeVar

from .errors import ParameterError, shown

T = TypeVar("T")
Progress: TypeAlias = Callable[[float], object]
"""Called with the share that is done, from 0 to 1."""


def unheard(share: float) -> None:
    """Do nothing: nobody asked how far a call is."""


def told_to(progress: bool | Progress) -> Progress:
    """Return the receiver of a public call's progress: with True a line on standard error. Raises ParameterError."""
    if callable(progress):
        return progress
    if not isinstance(progress, bool):
        raise ParameterError("progress", f"must be True, False or a function of a share, got {shown(progress)}.")
    return _line_on(sys.stderr) if progress else unheard


def within(progress: Progress, done: int, of: int) -> Progress:
    """Return the receiver of progress for one of several equal parts, after `done` others."""
    return lambda share: progress((done + share) / of)


def in_steps(work: Callable[[Progress], T]) -> Iterator[tuple[float, T | None]]:
    """Do work in a thread; yield the shares that it reports, each with None, and at its end 1 and what it returned.

    Raises what the work raises.
    """
    told: SimpleQueue[float | None] = SimpleQueue()
    with ThreadPoolExecutor(1) as thread:
        done = thread.submit(work, told.put)
        done.add_done_callback(lambda _: told.put(None))
        while (share := told.get()) is not None:
            yield share, None
        yield 1.0, done.result()


def _line_on(out: TextIO) -> Progress:
    def tell(share: float) -> None:
        out.write(f"\r{100 * share:3.0f} %" + ("\n" if share >= 1 else ""))
        out.flush()

    return tell
