"""Jobs that work in steps: in place where the work is short, otherwise in a child process.

Steps are an importable function that yields pairs (share of the work done, part of the result). In a process of their
own they can be ended at any moment, cannot block the server, and have a memory limit. The child is a new process and
not a fork, because the server has threads. It is a plain command and not `multiprocessing`, which would run the main
script, here streamlit, a second time. It imports only what the steps need: not streamlit, pandas or plotly. When the
server ends, for any reason, the child ends too.
"""

from __future__ import annotations

import logging
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, TypeAlias

from ..errors import DataError, ParameterError
from ..progress import Progress
from .line import Job, Queue, Stage

Steps: TypeAlias = Callable[..., Iterable[tuple[float, Any]]]
BoundSteps: TypeAlias = Callable[[], Iterable[tuple[float, Any]]]
"""Steps with their arguments."""

IN_PLACE_SECONDS = 1.0
"""Work that is expected to take less is not worth a process."""
MEMORY_LIMIT = 3 << 30
"""Bytes of address space of one child: about 1 GB of libraries, and data of tens of millions of records."""
NICENESS = 10
"""The niceness of a child, which keeps pages usable. A job with a waiting visitor gets it only if it takes long."""
QUICK_SECONDS = 1.0
"""Work with a waiting visitor keeps its priority for this long."""
TOO_LARGE = "This needs more memory than one job may use. Please choose fewer records or fewer trials."
CUT_OFF = "The work was cut off before its end. Please try again, or choose fewer records or fewer trials."
_ROOT = Path(__file__).parents[2]
_ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}


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
    """How long the child has worked before it gives way."""
    seconds: ClassVar[float | None] = None
    """The time limit of the child; None for as long as a page asks about it."""
    too_large: ClassVar[str] = TOO_LARGE
    cut_off: ClassVar[str] = CUT_OFF
    _child: subprocess.Popen[bytes] | None = None

    def cancel(self) -> None:
        """End the process; from here on its result is not wanted."""
        super().cancel()
        with self.queue.turn:
            if self._child is not None:
                self._child.kill()

    def _take(self, steps: BoundSteps, progress: Progress, cancelled: object) -> None:
        with child_of(__name__) as child:
            with self.queue.turn:
                self._child = child
                if self._stop.is_set():
                    child.kill()
            over = threading.Timer(self.seconds, child.kill) if self.seconds else None
            if over is not None:
                over.start()
            try:
                self._talk(child, steps, progress)
            finally:
                if over is not None:
                    over.cancel()
                child.kill()

    def _talk(self, child: subprocess.Popen[bytes], steps: BoundSteps, progress: Progress) -> None:
        """Send the work and receive parts until the end. The open pipe shows the child that the server is running."""
        assert child.stdin is not None
        assert child.stdout is not None
        _hand_over((steps, self.memory, self.quick_seconds), child.stdin.fileno())
        while True:
            try:
                share, word = pickle.load(child.stdout)
            except (EOFError, pickle.UnpicklingError):
                raise ValueError(self.cut_off) from None
            if share is None:
                break
            self.parts.append(word)
            progress(share)
        if isinstance(word, MemoryError):
            raise ValueError(self.too_large)
        if isinstance(word, Exception):
            raise word


def child_of(module: str, *words: str) -> subprocess.Popen[bytes]:
    """Return a new child that runs a module of this package with these arguments; its two pipes connect both."""
    command, pipe = [sys.executable, "-m", module, *words], subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, cwd=_ROOT, env={**os.environ, **_ONE_THREAD})


def answers_of() -> BinaryIO:
    """Return the stream for a child's answers, and send what libraries print elsewhere, not between the answers."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return answers


def _hand_over(work: object, pipe: int) -> None:
    """Write the work to the child, without copying it first. Do not use the pipe object of the process, which would
    fail again when it is closed.
    """
    with suppress(BrokenPipeError), os.fdopen(os.dup(pipe), "wb") as stream:  # then its silence says enough
        pickle.dump(work, stream, pickle.HIGHEST_PROTOCOL)


def run(steps: Steps, *arguments: Any, expected: float) -> StepsJob:
    """Return a job for steps that should take `expected` seconds; a short one is done when it is returned."""
    return (JobInPlace if expected < IN_PLACE_SECONDS else ProcessJob)(steps, *arguments)


def main() -> None:
    """Run the child: read its work from the standard input, and write parts to the standard output."""
    answers = answers_of()
    last: Exception | None = None
    try:
        steps, memory, quick_seconds = pickle.load(sys.stdin.buffer)
        threading.Thread(target=_end_with_the_server, daemon=True).start()
        keep_small(memory)
        _give_way_after(quick_seconds)
        for share, part in steps():
            _say(answers, share, part)
    except BrokenPipeError:
        os._exit(1)
    except MemoryError:
        last = MemoryError()
    except Exception as error:
        last = as_told(error)
    _say(answers, None, last)
    os._exit(0)


def as_told(error: Exception) -> Exception:
    """Return what the server may know of an error in a child: all of an error written for people, else only its type.

    Other messages might quote the data, so only the type goes to the log.
    """
    if isinstance(error, ParameterError | DataError):
        return error
    if isinstance(error, ValueError):
        return ValueError(str(error))
    logging.getLogger(__name__).error("A child met %s.", type(error).__name__)
    return RuntimeError()


def _say(answers: Any, share: float | None, word: object) -> None:
    pickle.dump((share, word), answers, pickle.HIGHEST_PROTOCOL)
    answers.flush()


def _end_with_the_server() -> None:
    """Wait until the pipe ends, which the server closes or which ends with it."""
    sys.stdin.buffer.read(1)
    os._exit(1)


def keep_small(memory: int) -> None:
    """Limit the memory, if the operating system can."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


def _give_way_after(seconds: float) -> None:
    """Lower the priority of this process, now or after some seconds, while the work goes on."""
    if seconds:
        timer = threading.Timer(seconds, give_way, (os.getpid(),))
        timer.daemon = True
        timer.start()
    else:
        give_way(os.getpid())


def give_way(process: int) -> None:
    """Lower the priority of a process below all others and the server, if the operating system can.

    Linux sets it for each thread; a thread that starts later has the priority of the one that started it.
    """
    with suppress(AttributeError, OSError):
        tasks = Path(f"/proc/{process}/task")
        for thread in [int(each.name) for each in tasks.iterdir()] if tasks.exists() else [process]:
            os.setpriority(os.PRIO_PROCESS, thread, os.getpriority(os.PRIO_PROCESS, thread) + NICENESS)


if __name__ == "__main__":
    main()
