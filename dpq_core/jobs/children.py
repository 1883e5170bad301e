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
from typing import Any, BinaryIO, NoReturn, TypeAlias

from ..errors import DataError, ParameterError

Parts: TypeAlias = Iterator[tuple[float, Any]]
Steps: TypeAlias = Callable[..., Iterable[tuple[float, Any]]]
BoundSteps: TypeAlias = Callable[[], Iterable[tuple[float, Any]]]
"""Steps with their arguments."""

NICENESS = 10
"""By how much a child gives way, which keeps pages usable."""
STOP: signal.Signals | None = getattr(signal, "SIGUSR1", None)
"""What ends the present work of a child."""
_at_work = threading.Event()
"""Whether this process, a child, does a step of its work now."""
_ROOT = Path(__file__).parents[2]
_SMALL = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "MALLOC_ARENA_MAX")}
"""One thread computes, and all threads share what memory there is."""


class EndedError(Exception):
    """The process has ended before its work."""


class Dropped(BaseException):
    """The present work is not wanted any more."""


class Child:
    """A process that does one piece of work at a time, in bounds of memory. It ends with the server."""

    def __init__(self, memory: int, loads: str = "") -> None:
        """`memory`: the limit in bytes of address space; `loads`: the module that it loads before its first work."""
        command, pipe = [sys.executable, "-m", __name__, str(memory), *filter(None, [loads])], subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, cwd=_ROOT, env={**os.environ, **_SMALL})
        self._has_loaded = False
        self._began: tuple[float, float] | None = None
        self.is_free = True
        """Whether it has said the last word about all that it was handed."""

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """Whether the process has not ended."""
        return self._process.poll() is None

    def parts(self, work: BoundSteps) -> Parts:
        """Hand over the work, and return its parts as they come. Raises what it raises, and EndedError."""
        assert self._process.stdin is not None
        self.is_free = False
        with suppress(OSError), os.fdopen(os.dup(self._process.stdin.fileno()), "wb") as stream:
            pickle.dump(work, stream, pickle.HIGHEST_PROTOCOL)  # not copied before; its silence says if it has ended
        del work
        if not self._has_loaded:
            self._next()
            self._has_loaded = True
        self._began = self._now()
        while (word := self._next())[0] is not None:
            yield word
        self._began, self.is_free = None, True
        if word[1] is not None:
            raise word[1]

    def _next(self) -> tuple[Any, Any]:
        """Wait for the next word: the share of the work done and a part, or None and the error that it met, or None."""
        assert self._process.stdout is not None
        try:
            share, said = pickle.load(self._process.stdout)
        except (EOFError, OSError, ValueError, pickle.UnpicklingError):
            raise EndedError from None
        return share, said

    @property
    def ran(self) -> tuple[float, float]:
        """For how many seconds the present work has run, and computed; the start of the process does not count."""
        passed, computed = self._now()
        began = self._began or (passed, computed)
        return passed - began[0], computed - began[1]

    def _now(self) -> tuple[float, float]:
        """Return the time, and the processor time that was used; the time again where the system does not say so."""
        try:
            fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return time.monotonic(), time.monotonic()
        return time.monotonic(), sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")

    def drop(self) -> None:
        """Ask the process, once it has loaded, to give up the present work and to stay for the next one."""
        if STOP is not None and self._has_loaded and not self.is_free:
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

    def close(self) -> None:
        """End the process, and wait until nothing of it is left; nobody may listen to it."""
        self.end()
        self._process.__exit__(None, None, None)


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
    """Do one piece of work and say its parts; return what the server may know of the error that it met.

    Other messages than those written for people might quote the data, so only the type of an error goes to the log.
    """
    try:
        steps = iter(work())
        while found := _next_part(steps):
            ((share, part),) = found
            _say(answers, share, part)
    except Dropped:
        return RuntimeError()
    except MemoryError:
        return MemoryError()
    except (ParameterError, DataError) as error:
        return error
    except ValueError as error:
        return ValueError(str(error))
    except Exception as error:
        logging.getLogger(__name__).error("A child met %s.", type(error).__name__)
        return RuntimeError()
    return None


def _next_part(steps: Parts) -> list[tuple[float, Any]]:
    """Return the next part of the work; none at its end. The work may be dropped meanwhile."""
    _at_work.set()
    try:
        return list(islice(steps, 1))
    finally:
        _at_work.clear()


def _say(answers: BinaryIO, share: float | None, part: object) -> None:
    try:
        pickle.dump((share, part), answers, pickle.HIGHEST_PROTOCOL)
        answers.flush()
    except BrokenPipeError:  # the server has ended
        os._exit(1)


if __name__ == "__main__":
    main()
