"""Work that takes longer than a second: in a thread of its own, with progress and a Cancel.

A thread and not a process: reading a file leaves the interpreter free (pyarrow does it), and a child process would need
its own copy of the bytes and two seconds to start. The work gets plain data, asks `cancelled()` often, and never calls
streamlit. At most as many jobs run at once as there are cores; the others wait in line.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable
from enum import StrEnum
from typing import Any

Work = Callable[[Callable[[float], object], Callable[[], bool]], Any]

UNEXPECTED = "Something went wrong while reading; nothing was kept."
_line: list[Job] = []
_turn = threading.Condition()
_cores = os.cpu_count() or 1


class Stage(StrEnum):
    """Where a job stands."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Job:
    """One piece of work. `work(progress, cancelled)` returns the result; a ValueError's message is for the person."""

    def __init__(self, work: Work) -> None:
        self.stage = Stage.WAITING
        self.share = 0.0
        self.result: Any = None
        self.problem = ""
        self._work: Work | None = work
        self._stop = threading.Event()
        self._started = time.monotonic()
        with _turn:
            _line.append(self)
        threading.Thread(target=self._run, daemon=True).start()

    @property
    def finished(self) -> bool:
        """Whether it has ended, in whatever way."""
        return self.stage in {Stage.DONE, Stage.FAILED, Stage.CANCELLED}

    @property
    def place(self) -> int:
        """How many jobs are before this one in the line; 0 while it runs."""
        with _turn:
            return max(_line.index(self) - _cores + 1, 0) if self in _line else 0

    @property
    def seconds_left(self) -> float | None:
        """A guess from the share done so far; None as long as there is nothing to guess from."""
        spent = time.monotonic() - self._started
        return spent * (1 - self.share) / self.share if self.share > 0.02 and spent > 0.5 else None

    def cancel(self) -> None:
        """Ask the work to stop; from here on its result is not wanted."""
        self._stop.set()
        with _turn:
            if not self.finished:
                self.stage = Stage.CANCELLED
            _turn.notify_all()

    def _report(self, share: float) -> None:
        self.share = min(max(float(share), 0.0), 1.0)

    def _run(self) -> None:
        try:
            with _turn:
                _turn.wait_for(lambda: self._stop.is_set() or _line.index(self) < _cores)
                if self._stop.is_set():
                    return
                self.stage, self._started = Stage.RUNNING, time.monotonic()
            self._do()
        finally:
            self._work = None  # it holds the bytes of the file
            with _turn:
                _line.remove(self)
                _turn.notify_all()

    def _do(self) -> None:
        result, problem = None, ""
        try:
            assert self._work is not None, "a job runs once"
            result = self._work(self._report, self._stop.is_set)
        except ValueError as error:
            problem = str(error)
        except Exception as error:  # its message might quote the data, so only its type is told
            logging.getLogger(__name__).error("A job ended with %s.", type(error).__name__)
            problem = UNEXPECTED
        with _turn:
            if self.stage is Stage.RUNNING:
                self.result, self.problem = result, problem
                self.stage = Stage.FAILED if problem else Stage.DONE
