"""A child process that works for the server: it is handed one piece of work after another, and sends the parts.

A piece of work is an importable function that yields pairs (share of the work done, part of the result). In a process
of its own it can be ended at any moment, cannot block the server, and has a memory limit. The child is a new process
and not a fork, because the server has threads. It is a plain command and not `multiprocessing`, which would run the
main script, here streamlit, a second time. It imports only what the work needs: not streamlit, pandas or plotly. When
the server ends, for any reason, the child ends too.
"""

from __future__ import annotations

import logging
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from importlib import import_module
from itertools import islice
from pathlib import Path
from queue import SimpleQueue
from types import TracebackType
from typing import Any, BinaryIO, NamedTuple, NoReturn, TypeAlias, cast

from ..errors import DataError, ParameterError

Steps: TypeAlias = Callable[..., Iterable[tuple[float, Any]]]
BoundSteps: TypeAlias = Callable[[], Iterable[tuple[float, Any]]]
"""Steps with their arguments."""

NICENESS = 10
"""The niceness of a child that gives way, which keeps pages usable."""
QUICK_SECONDS = 1.0
"""Work with a waiting visitor keeps its priority for this long."""
STOP: signal.Signals | None = getattr(signal, "SIGUSR1", None)
"""What ends the present work of a child."""
TOO_LARGE = "This needs more memory than one job may use. Please choose fewer records or fewer trials."
_at_work = threading.Event()
"""Whether this process, a child, does a step of its work now."""
_ROOT = Path(__file__).parents[2]
_SMALL = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "MALLOC_ARENA_MAX")}
"""One thread computes, and all threads share what memory there is."""


class Word(NamedTuple):
    """What a child says: a part of its work, or the last word of it."""

    share: float | None
    """The share of the work done; None in the last word, and in the first one, which says that all is loaded."""
    part: Any
    """In a last word the error that the work met, or None."""


class Dropped(BaseException):
    """The present work is not wanted any more."""


class Child:
    """A process that takes one piece of work at a time. It ends with the block, and with the server."""

    def __init__(self, memory: int, *modules: str) -> None:
        """`memory`: the limit in bytes of address space; `modules`: what it loads before its first work."""
        command, pipe = [sys.executable, "-m", __name__, str(memory), *modules], subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, cwd=_ROOT, env={**os.environ, **_SMALL})

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """Whether the process has not ended."""
        return self._process.poll() is None

    @property
    def computed_seconds(self) -> float:
        """The processor time that the process has used; where the system does not say so, the time that has passed."""
        try:
            fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return time.monotonic()
        return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")

    def hand_over(self, work: BoundSteps) -> None:
        """Write the work to the child, without copying it first. Raises OSError if the child has ended.

        The pipe object of the process is not used, which would fail again when it is closed.
        """
        assert self._process.stdin is not None
        try:
            with os.fdopen(os.dup(self._process.stdin.fileno()), "wb") as stream:
                pickle.dump(work, stream, pickle.HIGHEST_PROTOCOL)
        except Exception:  # a part of it may be in the pipe
            self.end()
            raise

    def heard(self) -> Word | None:
        """Wait for the next word; None where the process has ended."""
        assert self._process.stdout is not None
        try:
            return Word(*cast("tuple[float | None, Any]", pickle.load(self._process.stdout)))
        except (EOFError, OSError, ValueError, pickle.UnpicklingError):
            return None

    def drop(self) -> None:
        """Ask the process, once it has loaded, to give up the present work and to stay for the next one."""
        if STOP is not None:
            self._process.send_signal(STOP)

    def give_way(self) -> None:
        """Lower the priority of the process below all others and the server, if the operating system can.

        Linux sets it for each thread; a thread that starts later has the priority of the one that started it.
        """
        with suppress(AttributeError, OSError):
            tasks = Path(f"/proc/{self.pid}/task")
            for thread in [int(each.name) for each in tasks.iterdir()] if tasks.exists() else [self.pid]:
                os.setpriority(os.PRIO_PROCESS, thread, os.getpriority(os.PRIO_PROCESS, thread) + NICENESS)

    def end(self) -> None:
        """End the process, even in the middle of its work."""
        self._process.kill()

    def __enter__(self) -> Child:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.end()
        self._process.__exit__(kind, error, at)


def after(seconds: float, then: Callable[[], None]) -> threading.Timer:
    """Call `then` after some seconds, in a thread that ends with the server."""
    timer = threading.Timer(seconds, then)
    timer.daemon = True
    timer.start()
    return timer


def main() -> None:
    """Run the child: say when all is loaded, then do each piece of work, and say how it ended."""
    answers, (_, memory, *modules) = _answers(), sys.argv
    for module in modules:
        import_module(module)
    with suppress(ImportError, OSError, ValueError):  # if the operating system can
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (int(memory), int(memory)))
    handed: SimpleQueue[BoundSteps] = SimpleQueue()
    threading.Thread(target=_receive, args=(handed,), daemon=True).start()
    if STOP is not None:
        signal.signal(STOP, _drop)
    _say(answers, None, None)
    while True:
        work = handed.get()
        _say(answers, None, _error_of(work, answers))


def _drop(*_: object) -> None:
    """End the present work, and never the words about it, of which the server could not read a part."""
    if _at_work.is_set():
        _at_work.clear()
        raise Dropped


def _next(steps: Iterator[tuple[float, Any]]) -> list[tuple[float, Any]]:
    """Return the next part of the work; none at its end. The work may be dropped meanwhile."""
    _at_work.set()
    try:
        return list(islice(steps, 1))
    finally:
        _at_work.clear()


def _answers() -> BinaryIO:
    """Return the stream for answers, and send what libraries print elsewhere, not between the answers."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return answers


def _receive(handed: SimpleQueue[BoundSteps]) -> NoReturn:
    """Take work from the server until that closes the pipe or ends; then end, even in the middle of some work."""
    while True:
        try:
            handed.put(pickle.load(sys.stdin.buffer))
        except EOFError:
            os._exit(1)
        except Exception as error:  # what follows in the pipe cannot be read either
            handed.put(partial(_refuse, error))
            handed.put(partial(os._exit, 1))


def _refuse(error: Exception) -> NoReturn:
    raise error


def _error_of(work: BoundSteps, answers: BinaryIO) -> Exception | None:
    """Do one piece of work and say its parts; return the error that it met."""
    try:
        steps = iter(work())
        while found := _next(steps):
            ((share, part),) = found
            _say(answers, share, part)
    except Dropped:
        return RuntimeError()
    except MemoryError:
        return MemoryError()
    except Exception as error:
        return _as_told(error)
    return None


def _as_told(error: Exception) -> Exception:
    """Return what the server may know of an error in a child: all of an error written for people, else only its type.

    Other messages might quote the data, so only the type goes to the log.
    """
    if isinstance(error, ParameterError | DataError):
        return error
    if isinstance(error, ValueError):
        return ValueError(str(error))
    logging.getLogger(__name__).error("A child met %s.", type(error).__name__)
    return RuntimeError()


def _say(answers: BinaryIO, share: float | None, part: object) -> None:
    try:
        pickle.dump((share, part), answers, pickle.HIGHEST_PROTOCOL)
        answers.flush()
    except BrokenPipeError:  # the server has ended
        os._exit(1)


if __name__ == "__main__":
    main()
