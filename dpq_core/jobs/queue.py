"""Jobs: work in child processes, in turns by visitor, with limits of time and memory, and an end at any moment.

A queue has as many places as the machine has cores. A free one goes to the waiting job of the visitor with the fewest
running ones who was served longest ago (turns.py). Each kind of work has a queue of its own: an answer that takes a
twentieth of a second must not wait until the processes of two files have started. In all queues the same holds.

- Priority. A job that has computed for some time becomes slow: its process yields the processor to all others.
- Limits. A process has so much memory, and a job so much time.
- An end. A page asks about its job again and again. Where none has done so for a while, or where its visitor has left,
  the job is cancelled. One that waits is then never begun, and one that runs ends at once.

Processes that load a module stay for the next job, which saves the second that starting one takes. Others are for one
job only: what a hostile file does to its process ends with it. A page never holds a lock while it waits.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from enum import StrEnum
from functools import partial
from math import inf
from typing import Any, NamedTuple, TypeVar

from ..errors import DataError
from .children import BoundSteps, Child, EndedError, Parts, Steps
from .turns import Turns

T = TypeVar("T")

CORES = os.cpu_count() or 1
LONGEST_SILENCE = 90.0
"""Seconds; a browser asks twice a second for a tab in sight, and once a minute for one in the background."""
SHORT_SILENCE = 10.0
"""Seconds, where the tab is known to be closed: its connection may only have broken."""
LOOK_SECONDS = 0.05
"""Between two looks after the jobs, and of a page that waits for one."""
QUICK_SECONDS = 1.0
"""For so long a job with a waiting visitor computes before its process gives way."""
SLOW_MACHINE = 10
"""Times QUICK_SECONDS: what may pass while a job computes for QUICK_SECONDS."""
REST_SECONDS = 120.0
"""Without a job, after which a process is ended: it holds some 100 MB. One always stays."""
MEMORY = 3 << 30
"""Bytes of address space of one process: about 1 GB of libraries, and data of tens of millions of records."""
UNEXPECTED = "This did not work, and nothing of it was kept. Please change a setting and try again."
CUT_OFF = "The work was cut off before its end. Please try again, or choose fewer records or fewer trials."
TOO_LARGE = "This needs more memory than one job may use. Please choose fewer records or fewer trials."
TOO_LONG = (
    "This simulation takes longer than the server allows. Choose a larger budget, fewer quantiles, fewer records or "
    "another mechanism."
)
ENDED_FOR_OTHERS = (
    "This simulation took long, and the server ended it because others are waiting. Please try again in half a minute, "
    "or choose a larger budget, fewer quantiles or another mechanism."
)


class TooLongError(ValueError):
    """A job was ended because it took too long."""


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


class Job:
    """One piece of work: how far it is, how it ended, and the parts it has found, which it keeps if it is cancelled."""

    def __init__(self, steps: BoundSteps, asker: Asker = NOBODY, *, is_small: bool = False) -> None:
        """`is_small`: whether it reads so little that it should be quick."""
        self.stage, self.share = Stage.WAITING, 0.0
        self.parts: list[Any] = []
        self.error: Exception | None = None
        self.where_reported = False
        """Whether the visitor has asked where in the data the problem is; pages do not show it before."""
        self.asker, self.is_small, self.is_slow = asker, is_small, False
        self.queue: Queue | None = None
        self.child: Child | None = None
        self.ended = threading.Event()
        self.started = self._last_asked = time.monotonic()
        self._steps: BoundSteps | None = steps

    @property
    def finished(self) -> bool:
        """Whether the job has ended, in any way."""
        return self.ended.is_set()

    @property
    def visitor(self) -> str:
        """Who asked for it; empty where visitors are not known."""
        return self.asker.visitor

    @property
    def result(self) -> Any:
        """The last part; None where there is none."""
        return self.parts[-1] if self.parts else None

    @property
    def problem(self) -> str:
        """Why it failed, in words for people; empty where it did not."""
        if isinstance(self.error, ValueError):
            return str(self.error)
        return UNEXPECTED if self.error else ""

    @property
    def where(self) -> str:
        """The place in the data that the error names."""
        return self.error.where if isinstance(self.error, DataError) else ""

    @property
    def place(self) -> int:
        """Its place among those that wait; 0 while it runs."""
        return self.queue.place(self) if self.queue else 0

    @property
    def seconds_left(self) -> float | None:
        """An estimate from the fraction done; None at the beginning."""
        spent = time.monotonic() - self.started
        return spent * (1 - self.share) / self.share if self.share > 0.02 and spent > 0.5 else None

    @property
    def silent_for(self) -> float:
        """Seconds since `ask` was last called."""
        return time.monotonic() - self._last_asked

    @property
    def is_forgotten(self) -> bool:
        """Whether nobody has asked about it for so long that nobody will."""
        return self.silent_for > LONGEST_SILENCE or (self.silent_for > SHORT_SILENCE and self.asker.is_gone())

    def ask(self) -> None:
        """Keep the job alive: a job that nobody asks about is cancelled."""
        self._last_asked = time.monotonic()

    def cancel(self) -> None:
        """End the work, whose result is not needed any more. Changes nothing once it has finished."""
        if self.queue is not None:
            self.queue.cancel(self)

    def refuse(self, problem: str) -> None:
        """Let go of the result, and say why."""
        self.stage, self.error = Stage.FAILED, ValueError(problem)
        self.parts.clear()

    def tell_where(self) -> None:
        """Record that the visitor asked where in the data the problem is."""
        self.where_reported = True

    def wait(self, look: Callable[[], object] = lambda: None) -> Any:
        """Return the result once it is there; raise the error. What `look` raises ends the job; it is called often."""
        try:
            while not self.ended.wait(LOOK_SECONDS):
                self.ask()
                look()
        finally:
            self.cancel()
        if self.error is not None:
            raise self.error
        return self.result

    def do(self, parts_of: Callable[[BoundSteps], Iterable[tuple[float, Any]]]) -> Exception | None:
        """Take the parts of the work as they come; return the error that ended them."""
        try:
            for share, part in parts_of(self._steps or tuple):
                self.share = min(max(float(share), 0.0), 1.0)
                if part is not None:
                    self.parts.append(part)
        except Exception as error:
            return error
        return None

    def end(self, stage: Stage, error: Exception | None = None) -> None:
        """Record how the work ended, unless it had before."""
        if not self.finished:
            self.stage, self.error, self._steps = stage, error, None  # the steps hold the data
            if error is not None and not isinstance(error, ValueError):  # its message might quote the data
                logging.getLogger(__name__).error("A job ended with %s.", type(error).__name__)
            self.ended.set()


def do_here(steps: Steps, *arguments: Any) -> Job:
    """Return a job that is done: the caller waits, for work that is not worth a process."""
    job = Job(partial(steps, *arguments))
    error = job.do(lambda work: work())
    job.end(Stage.FAILED if error else Stage.DONE, error)
    return job


def in_one_step(function: Callable[..., Any], *arguments: Any) -> Parts:
    """Yield what a function returns."""
    yield 1.0, function(*arguments)


def timed(function: Callable[..., T], *arguments: Any) -> tuple[T, float]:
    """Return what a function returns, and its seconds of processor time, without other work that runs meanwhile."""
    started = time.process_time()
    return function(*arguments), time.process_time() - started


class Queue:
    """Jobs that wait and run, and the processes that do them."""

    def __init__(
        self, at_once: int = CORES, *, beside: int = 0, memory: int = MEMORY, seconds: float = inf,
        quick_seconds: float = QUICK_SECONDS, loads: str = "", slow: int = 0, too_large: str = TOO_LARGE,
        too_long: str = TOO_LONG, cut_off: str = CUT_OFF,
    ) -> None:  # fmt: skip
        """`at_once`: how many jobs run, and how many of one visitor, so that the others never wait for that one alone.

        `beside`: how many more run if they are small. `memory`: bytes of one process. `seconds`: how long a job runs.
        `quick_seconds`: how long it computes before it is slow. `loads`: a module that processes load, which then stay.
        `slow`: how many slow jobs make place for others. Of more than these the one that has run longest is ended.
        """
        self.at_once, self.beside, self._slow = at_once, beside, slow
        self._process, self._seconds, self._quick_seconds = partial(Child, memory, loads), seconds, quick_seconds
        self._loads, self._too_large, self._too_long, self._cut_off = loads, too_large, too_long, cut_off
        self.waiting: list[Job] = []
        self.running: list[Job] = []
        self._idle: list[tuple[float, Child]] = []
        """Processes that rest, and since when."""
        self._lock, self._turns, self._watched = threading.RLock(), Turns(), False

    def start(self) -> None:
        """Start a process for the next job, so that nobody waits for it, unless there is one already."""
        with self._lock:
            if not self._idle:
                self._idle.append((time.monotonic(), self._process()))

    def begin(self, steps: Steps, *arguments: Any, asker: Asker = NOBODY, is_small: bool = False) -> Job:
        """Return a job for steps that a process can import, with arguments that it can be sent."""
        job = Job(partial(steps, *arguments), asker, is_small=is_small)
        job.queue = self
        with self._lock:
            self.waiting.append(job)
            self._go_on()
        return job

    def place(self, job: Job) -> int:
        """Return the place of a job among those that it waits with, if no other visitor comes; 0 while it runs."""
        with self._lock:
            if job not in self.waiting:
                return 0
            others = [each for each in self.waiting if each.is_small or not (job.is_small and self.beside)]
            return self._turns.in_order(others, self.running).index(job) + 1

    def cancel(self, job: Job) -> None:
        """End a job that has not ended."""
        with self._lock:
            if not job.finished:
                job.end(Stage.CANCELLED)
                self._turns.drop(job.visitor)
                if job in self.waiting:
                    self.waiting.remove(job)
                self._give_up(job)

    def _give_up(self, job: Job) -> None:
        """End what is not wanted any more; a quick one is dropped where its process stays for the next job."""
        if job.child is not None and self._loads and not job.is_slow:
            job.child.drop()
        elif job.child is not None:
            job.child.end()

    def _go_on(self) -> None:
        """Begin what may run now, and look after all of it. Holds the lock."""
        while job := self._turns.first(filter(self._may_run, self.waiting), self.running):
            self.waiting.remove(job)
            self.running.append(job)
            self._turns.serve(job.visitor)
            job.stage, job.started = Stage.RUNNING, time.monotonic()
            threading.Thread(target=self._run, args=(job,), daemon=True).start()
        if not self._watched:
            self._watched = True
            threading.Thread(target=self._watch, daemon=True).start()

    def _may_run(self, job: Job) -> bool:
        placed = [each.visitor for each in self.running if not (self._slow and each.is_slow)]
        has_place = len(placed) < self.at_once + self.beside * job.is_small
        return has_place and not (job.visitor and placed.count(job.visitor) >= self.at_once)

    def _run(self, job: Job) -> None:
        """Do a job in a process, in a thread of its own, and make room for the next one."""
        error: Exception | None = None
        try:
            with self._lock:
                child = self._idle.pop()[1] if self._idle else None
            if child is not None and not child.is_alive:  # the system may have ended it
                child.close()
                child = None
            job.child = child or self._process()
            error = None if job.finished else job.do(job.child.parts)
        except OSError as no_process:
            error = EndedError(no_process.errno)
        finally:
            self._leave(job, error)

    def _leave(self, job: Job, error: Exception | None) -> None:
        """Take a job out, and keep its process if that may rest."""
        if isinstance(error, EndedError | MemoryError):
            error = ValueError(self._too_large if isinstance(error, MemoryError) else self._cut_off)
        with self._lock:
            child, job.child = job.child, None
            may_rest = self._loads and not job.is_slow and len(self._idle) < self.at_once
            if child is not None and may_rest and child.is_free and child.is_alive:
                self._idle.append((time.monotonic(), child))
                child = None
            self.running.remove(job)
            job.end(Stage.FAILED if error else Stage.DONE, error)
            self._go_on()
        if child is not None:
            child.close()

    def _watch(self) -> None:
        """Look after the jobs, and end processes after a rest, in one thread, as long as there are any."""
        while self._watched:
            time.sleep(LOOK_SECONDS)
            with self._lock:
                for job in [*self.running, *self.waiting]:
                    self._look_after(job)
                since = time.monotonic() - REST_SECONDS
                rested = [each for each in self._idle if each[0] < since][: len(self._idle) - 1]
                self._idle = [each for each in self._idle if each not in rested]
                self._watched = bool(self.running or self.waiting or len(self._idle) > 1)
            for _, child in rested:
                child.close()

    def _look_after(self, job: Job) -> None:
        """Cancel a job that is forgotten, end one that takes too long, and let a slow one give way. Holds the lock."""
        if job.is_forgotten:
            self.cancel(job)
        if job.child is None:
            return
        passed, computed = job.child.ran
        if passed > self._seconds:
            self._stop(job, self._too_long)
        elif not job.is_slow and (computed > self._quick_seconds or passed > SLOW_MACHINE * self._quick_seconds):
            self._slow_down(job)
        elif job.finished:
            self._give_up(job)  # what is dropped before it begins goes on

    def _slow_down(self, job: Job) -> None:
        """Let a job give way; where its place is free for others from now on, not too many of these go on."""
        slow = [each for each in self.running if each.is_slow and not each.finished]
        job.is_slow = True
        if job.child is not None:
            job.child.give_way()
        if self._slow and len(slow) >= self._slow:
            self._stop(max(slow, key=lambda each: each.child.ran if each.child else (0.0, 0.0)), ENDED_FOR_OTHERS)
        if self._loads:
            with suppress(OSError):  # no memory for a process: the next job tries again
                self.start()
        self._go_on()

    def _stop(self, job: Job, why: str) -> None:
        """End a job that has had its time, with its process, which may never look whether it has to stop."""
        job.end(Stage.FAILED, TooLongError(why))
        if job.child is not None:
            job.child.end()


STUDIES = Queue(quick_seconds=0.0)
"""Work of minutes, as long as a page asks about it; it gives way from its beginning."""
