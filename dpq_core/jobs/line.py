"""Jobs: work that takes longer than a second, with a place in a queue, progress, an end, and a Cancel.

A Job works in a thread of the server. Work that keeps the interpreter busy goes into a process of its own
(processes.py), and so does reading an untrusted file (untrusted_files.py). Such jobs wait, report and end alike.
This module does not import streamlit.

There are two queues. In each, at most one job for each core runs at once. A job that no page has asked about for a
while belongs to a closed tab, and is cancelled.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable
from enum import StrEnum
from typing import Any, ClassVar

from ..errors import DataError

Work = Callable[[Callable[[float], object], Callable[[], bool]], Any]

UNEXPECTED = "This did not work, and nothing of it was kept. Please change a setting and try again."
LONGEST_SILENCE = 90.0
"""Seconds; a browser asks twice a second for a tab in sight, and once a minute for one in the background."""
LOOK_SECONDS = 1.0
"""How often a queue looks for silent jobs."""


class Stage(StrEnum):
    """The state of a job."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Queue:
    """Unfinished jobs in the order in which they came; the first `at_once` of them run."""

    def __init__(self, at_once: int) -> None:
        self.at_once = at_once
        self.turn = threading.Condition()
        self.jobs: list[Job] = []
        self._watched = False

    def join(self, job: Job) -> None:
        """Add a job at the end."""
        with self.turn:
            self.jobs.append(job)
            if not self._watched:
                self._watched = True
                threading.Thread(target=self._watch, daemon=True).start()

    def leave(self, job: Job) -> None:
        """Remove a job, so that the next one can run."""
        with self.turn:
            self.jobs.remove(job)
            self.turn.notify_all()

    def place(self, job: Job) -> int:
        """Return how many jobs must end before this one can run; 0 while it runs."""
        with self.turn:
            return max(self.jobs.index(job) - self.at_once + 1, 0) if job in self.jobs else 0

    def _watch(self) -> None:
        """Look after every job once a second, for as long as there are jobs."""
        while True:
            with self.turn:
                self._watched = bool(self.jobs)
                jobs = list(self.jobs)
                if not self._watched:
                    return
            for job in jobs:
                job.look_after()
            time.sleep(LOOK_SECONDS)


class Job:
    """One piece of work. `work(progress, cancelled)` returns the result; pages show the message of a ValueError.

    `where` is the place in the data that a DataError names. Pages do not show it until `tell_where` was called.

    The work gets plain data, calls `cancelled()` often, and never calls streamlit.
    """

    queue: ClassVar[Queue] = Queue(os.cpu_count() or 1)

    def __init__(self, work: Work) -> None:
        self.stage = Stage.WAITING
        self.share = 0.0
        self.result: Any = None
        self.problem = ""
        self.where = ""
        self.error: ValueError | None = None
        self.where_reported = False
        self._work: Work | None = work
        self._stop = threading.Event()
        self._started = self._last_asked = time.monotonic()
        self._begin()

    @property
    def finished(self) -> bool:
        """Whether the job has ended, in any way."""
        return self.stage in {Stage.DONE, Stage.FAILED, Stage.CANCELLED}

    @property
    def place(self) -> int:
        """How many jobs must end before this one can run; 0 while it runs."""
        return self.queue.place(self)

    @property
    def seconds_left(self) -> float | None:
        """An estimate from the fraction done; None at the beginning."""
        spent = time.monotonic() - self._started
        return spent * (1 - self.share) / self.share if self.share > 0.02 and spent > 0.5 else None

    @property
    def silent_for(self) -> float:
        """Seconds since `ask` was last called."""
        return time.monotonic() - self._last_asked

    def ask(self) -> None:
        """Keep the job alive: a job that nobody asks about is cancelled."""
        self._last_asked = time.monotonic()

    def cancel(self) -> None:
        """Ask the work to stop; its result is not needed any more."""
        self._stop.set()
        with self.queue.turn:
            if not self.finished:
                self.stage = Stage.CANCELLED
            self.queue.turn.notify_all()

    def tell_where(self) -> None:
        """Record that the visitor asked where in the data the problem is."""
        self.where_reported = True

    def look_after(self) -> None:
        """Cancel the work if nobody has asked about it for long; the queue calls this once a second."""
        if self.silent_for > LONGEST_SILENCE:
            self.cancel()

    def _report(self, share: float) -> None:
        self.share = min(max(float(share), 0.0), 1.0)

    def _begin(self) -> None:
        self.queue.join(self)
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        """Wait for the turn, work, and make room for the next one."""
        queue = self.queue
        try:
            with queue.turn:
                queue.turn.wait_for(lambda: self._stop.is_set() or queue.jobs.index(self) < queue.at_once)
                if self._stop.is_set():
                    return
                self.stage, self._started = Stage.RUNNING, time.monotonic()
            self._attempt()
        finally:
            self._work = None  # it holds the data
            queue.leave(self)

    def _attempt(self) -> None:
        """Do the work, and record how it ended."""
        result, problem, where, failed = None, "", "", None
        try:
            assert self._work is not None, "a job runs once"
            result = self._work(self._report, self._stop.is_set)
        except ValueError as error:
            problem, failed = str(error), error
            where = error.where if isinstance(error, DataError) else ""
        except Exception as error:  # its message might quote the data, so log only its type
            logging.getLogger(__name__).error("A job ended with %s.", type(error).__name__)
            problem = UNEXPECTED
        with self.queue.turn:
            if self.stage is Stage.RUNNING:
                self.result, self.problem, self.where, self.error = result, problem, where, failed
                self.stage = Stage.FAILED if problem else Stage.DONE
