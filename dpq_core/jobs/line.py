"""Jobs: work that takes longer than a second, with a place in a queue, progress, an end, and a Cancel.

A Job works in a thread of the server. Work that keeps the interpreter busy goes into a process of its own
(processes.py), and so does reading an untrusted file (untrusted_files.py). Such jobs wait, report and end alike.
This module does not import streamlit.

There are several queues. In each, about one job for each core runs at once, in turns by visitor (turns.py). A job that
no page has asked about for a while belongs to a closed tab, and is cancelled.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import StrEnum
from typing import Any, ClassVar, NamedTuple

from ..errors import DataError
from .turns import Turns

Work = Callable[[Callable[[float], object], Callable[[], bool]], Any]

UNEXPECTED = "This did not work, and nothing of it was kept. Please change a setting and try again."
LONGEST_SILENCE = 90.0
"""Seconds; a browser asks twice a second for a tab in sight, and once a minute for one in the background."""
SHORT_SILENCE = 10.0
"""Seconds, where the tab is known to be closed: its connection may only have broken."""
LOOK_SECONDS = 1.0
"""How often a queue looks for silent jobs."""


class Stage(StrEnum):
    """The state of a job."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Asker(NamedTuple):
    """Who asks for jobs."""

    visitor: str = ""
    """Empty where visitors are not known."""
    is_gone: Callable[[], bool] = lambda: False


NOBODY = Asker()
_asker: ContextVar[Asker] = ContextVar("asker", default=NOBODY)


@contextmanager
def asked_by(asker: Asker) -> Iterator[None]:
    """Begin jobs for this visitor."""
    token = _asker.set(asker)
    try:
        yield
    finally:
        _asker.reset(token)


class Queue:
    """Unfinished jobs. `at_once` of them run, and `beside` more if these are small: they do not wait for large ones.

    One visitor has `at_once` running at most, so that the others never wait for that visitor alone.
    """

    def __init__(self, at_once: int, beside: int = 0) -> None:
        self.at_once, self.beside = at_once, beside
        self.turn, self._turns = threading.Condition(), Turns()
        self.waiting: list[Job] = []
        self.running: list[Job] = []
        self._watched = False

    @property
    def jobs(self) -> list[Job]:
        """Return all jobs, those that run first."""
        return [*self.running, *self.waiting]

    def join(self, job: Job) -> None:
        """Add a job that waits."""
        with self.turn:
            self.waiting.append(job)
            if not self._watched:
                self._watched = True
                threading.Thread(target=self._watch, daemon=True).start()

    def begin(self, job: Job) -> bool:
        """Wait until it is this job's turn; return whether it runs now, and was not cancelled before."""
        with self.turn:
            self.turn.wait_for(lambda: job.is_cancelled or self._is_next(job))
            if job.is_cancelled:
                return False
            self.waiting.remove(job)
            self.running.append(job)
            self._turns.serve(job.visitor)
            self.turn.notify_all()
            return True

    def leave(self, job: Job) -> None:
        """Remove a job, so that the next one can run."""
        with self.turn:
            (self.running if job in self.running else self.waiting).remove(job)
            self.turn.notify_all()

    def place(self, job: Job) -> int:
        """Return the place of a job among those that it waits with, if no other visitor comes; 0 while it runs."""
        with self.turn:
            if job not in self.waiting:
                return 0
            others = [each for each in self.waiting if each.is_small or not (job.is_small and self.beside)]
            return self._turns.in_order(others, self.running).index(job) + 1

    def _is_next(self, job: Job) -> bool:
        at_work = [each.visitor for each in self.running if each.visitor]
        room = self.at_once - len(self.running)
        may_run = [
            each
            for each in self.waiting
            if at_work.count(each.visitor) < self.at_once and room + self.beside * each.is_small > 0
        ]
        return self._turns.first(may_run, self.running) is job

    def _watch(self) -> None:
        """Look after every job once a second, for as long as there are jobs."""
        while True:
            with self.turn:
                jobs = self.jobs
                self._watched = bool(jobs)
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
    is_small = False
    """Whether it reads so little that it should be quick."""

    def __init__(self, work: Work) -> None:
        self.stage = Stage.WAITING
        self._asker = _asker.get()
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
    def is_cancelled(self) -> bool:
        """Whether its result is not wanted any more."""
        return self._stop.is_set()

    @property
    def visitor(self) -> str:
        """Who asked for it; empty where visitors are not known."""
        return self._asker.visitor

    @property
    def place(self) -> int:
        """Its place among those that wait; 0 while it runs."""
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

    def refuse(self, problem: str) -> None:
        """Let go of the result, and say why."""
        self.stage, self.problem, self.result = Stage.FAILED, problem, None

    def tell_where(self) -> None:
        """Record that the visitor asked where in the data the problem is."""
        self.where_reported = True

    def look_after(self) -> None:
        """Cancel the work if nobody has asked about it for long; the queue calls this once a second."""
        silent = self.silent_for
        if silent > LONGEST_SILENCE or (silent > SHORT_SILENCE and self._asker.is_gone()):
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
                if not queue.begin(self):
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
