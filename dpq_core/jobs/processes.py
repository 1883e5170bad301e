"""Jobs that work in steps: in place where the work is short, otherwise in a child process (children.py)."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import partial
from typing import Any, ClassVar

from ..progress import Progress
from .children import TOO_LARGE, BoundSteps, Child, Steps, after
from .line import Job, Queue, Stage

IN_PLACE_SECONDS = 1.0
"""Work that is expected to take less is not worth a process."""
MEMORY_LIMIT = 3 << 30
"""Bytes of address space of one child: about 1 GB of libraries, and data of tens of millions of records."""
CUT_OFF = "The work was cut off before its end. Please try again, or choose fewer records or fewer trials."


class StepsJob(Job):
    """A job whose parts can be looked at while it runs; a cancelled or failed one keeps those that it has."""

    def __init__(self, steps: Steps, *arguments: Any) -> None:
        self.parts: list[Any] = []
        super().__init__(partial(self._take, partial(steps, *arguments)))

    def _take(self, steps: BoundSteps, progress: Progress, cancelled: object) -> None:
        for share, part in steps():
            self.parts.append(part)
            progress(share)


class JobInPlace(StepsJob):
    """A job that is done when it is made: the caller waits."""

    def _begin(self) -> None:
        self.stage = Stage.RUNNING
        self._attempt()
        self._work = None


class ProcessJob(StepsJob):
    """Steps in a child process. `cancel` ends the process at once. Steps, arguments and parts must be picklable."""

    queue: ClassVar[Queue] = Queue(os.cpu_count() or 1)
    memory: ClassVar[int] = MEMORY_LIMIT
    quick_seconds: ClassVar[float] = 0.0
    """How long the child works before it gives way."""
    seconds: ClassVar[float | None] = None
    """The time limit of the child; None for as long as a page asks about it."""
    too_large: ClassVar[str] = TOO_LARGE
    cut_off: ClassVar[str] = CUT_OFF
    _child: Child | None = None

    def cancel(self) -> None:
        """End the process; from here on its result is not wanted."""
        super().cancel()
        with self.queue.turn:
            if self._child is not None:
                self._child.end()

    def _take(self, steps: BoundSteps, progress: Progress, cancelled: object) -> None:
        with Child(self.memory) as child:
            with self.queue.turn:
                self._child = child
                if self._stop.is_set():
                    child.end()
            timers = [after(self.quick_seconds, child.give_way)]
            if self.seconds:
                timers.append(after(self.seconds, child.end))
            try:
                self._talk(child, steps, progress)
            finally:
                for timer in timers:
                    timer.cancel()

    def _talk(self, child: Child, steps: BoundSteps, progress: Progress) -> None:
        """Hand over the work and receive parts until the end."""
        with suppress(OSError):  # then its silence says enough
            child.hand_over(steps)
        loaded = child.heard()
        while (word := loaded and child.heard()) and word.share is not None:
            self.parts.append(word.part)
            progress(word.share)
        if word is None:
            raise ValueError(self.cut_off)
        if isinstance(word.part, MemoryError):
            raise ValueError(self.too_large)
        if word.part is not None:
            raise word.part


def run(steps: Steps, *arguments: Any, expected: float) -> StepsJob:
    """Return a job for steps that should take `expected` seconds; a short one is done when it is returned."""
    return (JobInPlace if expected < IN_PLACE_SECONDS else ProcessJob)(steps, *arguments)
