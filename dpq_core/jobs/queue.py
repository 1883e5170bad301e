"""Jobs: work in child processes, in turns by visitor, with limits of time and memory, and an end at any moment.

There is one pool of processes for all work. A job begins where fewer quick ones run than the machine has cores. Once it
has computed for a second it is slow: its process yields the processor to all others, and its place is free. Work that
is long by its kind, studies and large files, does so from its beginning, and has places of its own, of which nobody has
more than half. A free place goes to the waiting job of the visitor with the fewest running ones who was served longest
ago (turns.py). Where nobody has asked about a job for a while, or where its visitor has left, it is cancelled.

A page never holds a lock while it waits.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from io import BytesIO
from math import inf
from typing import Any, NamedTuple, TypeVar, cast

from ..errors import DataError
from .children import BoundSteps, Child, EndedError, Nursery, Parts, Steps
from .turns import Turns

T = TypeVar("T")

CORES = os.cpu_count() or 1
LONG_FOR_EACH, SLOW_FOR_EACH = 2, 3
"""How many long jobs run for each core, and how many others go on that have become slow: they bound the memory."""
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


@dataclass(frozen=True)
class Kind:
    """What holds for all jobs of a kind."""

    seconds: float = inf
    """After which a job is ended."""
    is_long: bool = False
    """Whether it gives way from its beginning, and waits for other long ones alone."""
    problem: str = ""
    """Tells people that its process has ended before it; empty where CUT_OFF and others tell them why."""


STUDY, SIMULATION = Kind(is_long=True), Kind(seconds=30.0)


class Asker(NamedTuple):
    """Who asks for jobs."""

    visitor: str = ""
    """Empty where visitors are not known."""
    is_gone: Callable[[], bool] = lambda: False


NOBODY = Asker()


class Job:
    """One piece of work: how far it is, how it ended, and the parts it has found, which it keeps if it is cancelled."""

    def __init__(self, steps: BoundSteps, kind: Kind = STUDY, asker: Asker = NOBODY, pool: Pool | None = None) -> None:
        self.stage, self.share = Stage.WAITING, 0.0
        self.parts: list[Any] = []
        self.error: Exception | None = None
        self.where_reported = False
        """Whether the visitor has asked where in the data the problem is; pages do not show it before."""
        self.kind, self.asker, self.pool, self.is_slow = kind, asker, pool, False
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
        return self.pool.place(self) if self.pool else 0

    @property
    def seconds_left(self) -> float | None:
        """An estimate from the fraction done; None at the beginning."""
        spent = time.monotonic() - self.started
        return spent * (1 - self.share) / self.share if self.share > 0.02 and spent > 0.5 else None

    @property
    def silent_for(self) -> float:
        """Seconds since `ask` was last called."""
        return time.monotonic() - self._last_asked

    def ask(self) -> None:
        """Keep the job alive: a job that nobody asks about is cancelled."""
        self._last_asked = time.monotonic()

    def cancel(self) -> None:
        """End the work, whose result is not needed any more. Changes nothing once it has finished."""
        if self.pool is not None:
            self.pool.cancel(self)

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


class Pool:
    """Jobs that wait and run, and the processes that do them."""

    def __init__(self, cores: int = CORES, memory: int = MEMORY) -> None:
        """`memory`: bytes of one process."""
        self.cores, self.nursery = cores, Nursery(memory)
        self.waiting: list[Job] = []
        self.running: list[Job] = []
        self._lock, self._turns, self._watched = threading.RLock(), Turns(), False

    def start(self, loads: str) -> None:
        """Load this module once for all jobs, from now on."""
        self.nursery.loads = loads
        self.nursery.start()

    def _new_child(self) -> Child:
        return Child(self.nursery)

    def begin(self, kind: Kind, steps: Steps, *arguments: Any, asker: Asker = NOBODY) -> Job:
        """Return a job for steps that a process can import, with arguments that it can be sent."""
        job = Job(partial(steps, *arguments), kind, asker, self)
        with self._lock:
            self.waiting.append(job)
            self._go_on()
        return job

    def place(self, job: Job) -> int:
        """Return the place of a job among those that it waits with, if no other visitor comes; 0 while it runs."""
        with self._lock:
            if job not in self.waiting:
                return 0
            alike = [each for each in self.waiting if each.kind.is_long == job.kind.is_long]
            return self._turns.in_order(alike, self.running).index(job) + 1

    def cancel(self, job: Job) -> None:
        """End a job that has not ended."""
        with self._lock:
            if not job.finished:
                job.end(Stage.CANCELLED)
                self._turns.drop(job.visitor)
                if job in self.waiting:
                    self.waiting.remove(job)
                if job.child is not None:
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
        if not job.kind.is_long:
            return sum(not each.is_slow and not each.kind.is_long for each in self.running) < self.cores
        placed = [each.visitor for each in self.running if each.kind.is_long]
        own = placed.count(job.visitor) if job.visitor else 0
        return len(placed) < LONG_FOR_EACH * self.cores and own < self.cores

    def _run(self, job: Job) -> None:
        """Do a job in a process, in a thread of its own, and make room for the next one."""
        error: Exception | None = None
        child = None
        try:
            child = job.child = self._new_child()
            error = None if job.finished else job.do(child.parts)
        except (OSError, EndedError):
            error = EndedError()
        if isinstance(error, EndedError | MemoryError):
            error = ValueError(job.kind.problem or (TOO_LARGE if isinstance(error, MemoryError) else CUT_OFF))
        with self._lock:
            job.child = None
            if child is not None:
                child.close()
            self.running.remove(job)
            job.end(Stage.FAILED if error else Stage.DONE, error)
            self._go_on()

    def _watch(self) -> None:
        """Look after the jobs in one thread, as long as there are any."""
        while self._watched:
            time.sleep(LOOK_SECONDS)
            with self._lock:
                for job in [*self.running, *self.waiting]:
                    self._look_after(job)
                self._watched = bool(self.running or self.waiting)

    def _look_after(self, job: Job) -> None:
        """Cancel a job that is forgotten, end one that takes too long, and let a slow one give way. Holds the lock."""
        if job.silent_for > LONGEST_SILENCE or (job.silent_for > SHORT_SILENCE and job.asker.is_gone()):
            self.cancel(job)
        if job.child is None:
            return
        (passed, computed), quick = job.child.ran, 0.0 if job.kind.is_long else QUICK_SECONDS
        if passed > job.kind.seconds:
            self._stop(job, TOO_LONG)
        elif not job.is_slow and (computed > quick or passed > SLOW_MACHINE * quick):
            job.is_slow = True  # its place is free for others from now on, so not too many of these go on
            job.child.give_way()
            slow = [each for each in self.running if each.is_slow and not each.kind.is_long and not each.finished]
            if len(slow) > SLOW_FOR_EACH * self.cores:
                self._stop(max(slow, key=lambda each: each.child.ran if each.child else (0.0, 0.0)), ENDED_FOR_OTHERS)
            self._go_on()

    def _stop(self, job: Job, why: str) -> None:
        """End a job that has had its time, with its process, which may never look whether it has to stop."""
        job.end(Stage.FAILED, TooLongError(job.kind.problem or why))
        if job.child is not None:
            job.child.end()


POOL = Pool()
"""Of this process: files, advice, simulations and studies."""


# ── files ─────────────────────────────────────────────────────────────────────────────────────────────────────────────
# A few hundred bytes can make libraries for Parquet, Excel and SPSS abort, and a small file can need more memory than
# there is: a file that crashes its reader or fills the memory ends only the child.

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
    source = BytesIO(content) if isinstance(content, bytes) else content
    return POOL.begin(kind, in_one_step, partial(read, **settings), source, *arguments, asker=asker)


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
