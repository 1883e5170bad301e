"""Child processes that work for the server: each is handed one piece of work, and sends its parts.

A piece of work is an importable function that yields pairs (share of the work done, part of the result). In a process
of its own it can be ended at any moment, cannot block the server, and has a memory limit. What it does to its process
ends with it.

Children are forked from a nursery: a process of one thread that has loaded what most work needs, so that a child is
there within milliseconds. The server itself has threads, so it cannot fork; and `multiprocessing` would run its main
script, here streamlit, a second time. When the server ends, for any reason, nursery and children end too.
"""

from __future__ import annotations

import atexit
import gc
import logging
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

from ..errors import DataError, ParameterError

Parts: TypeAlias = Iterator[tuple[float, Any]]
Steps: TypeAlias = Callable[..., Iterable[tuple[float, Any]]]
BoundSteps: TypeAlias = Callable[[], Iterable[tuple[float, Any]]]
"""Steps with their arguments."""

NICENESS = 10
"""By how much a child gives way, which keeps pages usable."""
TELL_SECONDS = 0.1
"""Between two words about the share of the work that is done."""
_ROOT = Path(__file__).parents[2]
_SAYS = Path("/proc/self/stat").exists()
"""Whether the system says what processor time a process has used."""
_SMALL = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "MALLOC_ARENA_MAX")}
"""One thread computes, and all threads share what memory there is."""


class EndedError(Exception):
    """The process has ended before its work."""


class Nursery:
    """The process from which children are forked; it is begun anew where it has ended."""

    def __init__(self, memory: int, loads: str = "") -> None:
        """`memory`: of a child, the limit in bytes of address space; `loads`: a module that is loaded beforehand."""
        self.memory, self.loads = memory, loads
        self._lock = threading.Lock()
        self._control: socket.socket | None = None
        self.process: subprocess.Popen[bytes] | None = None
        atexit.register(self.close)

    def start(self) -> None:
        """Begin with the process, if it has not begun, or has ended."""
        if self.process is None or self.process.poll() is not None:
            self.close()
            self._control, theirs = socket.socketpair()
            run = f"from {__name__} import serve; serve({theirs.fileno()}, {self.loads!r})"
            with theirs:
                self.process = subprocess.Popen(
                    [sys.executable, "-c", run], stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()], cwd=_ROOT,
                    env=os.environ | _SMALL, process_group=0,
                )  # fmt: skip

    def fork(self) -> socket.socket:
        """Return the line to a new child."""
        line, theirs = socket.socketpair()
        with self._lock, theirs:
            self.start()
            assert self._control is not None
            socket.send_fds(self._control, [self.memory.to_bytes(8)], [theirs.fileno()])
        return line

    def close(self) -> None:
        """End the process; its children work on."""
        if self._control is not None and self.process is not None:
            self._control.close()
            self.process.wait()


class Child:
    """A process that does one piece of work, in bounds of memory."""

    def __init__(self, nursery: Nursery) -> None:
        """Wait until it is there. Raises EndedError."""
        with nursery.fork() as line:
            self._stream = line.makefile("rwb")
        self.pid: int = self._next()[0]
        self._began, self._computed = time.monotonic(), 0.0

    def parts(self, work: BoundSteps) -> Parts:
        """Hand over the work, and return its parts as they come. Raises what it raises, and EndedError."""
        with suppress(OSError):  # its silence says if it has ended
            pickle.dump(work, self._stream, pickle.HIGHEST_PROTOCOL)
            self._stream.flush()
        del work
        while (word := self._next())[0] is not None:
            yield word
        if word[1] is not None:
            raise word[1]

    def _next(self) -> tuple[Any, Any]:
        """Wait for the next word: the share of the work done and a part, or None and the error that it met, or None."""
        try:
            share, said = pickle.load(self._stream)
        except (EOFError, OSError, ValueError, pickle.UnpicklingError):
            raise EndedError from None
        return share, said

    @property
    def ran(self) -> tuple[float, float]:
        """For how many seconds it has run, and computed; these are the same where the system does not say the second.

        What has ended has computed as much as when it was last looked at.
        """
        passed = time.monotonic() - self._began
        if not _SAYS:
            return passed, passed
        with suppress(OSError):
            fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
            self._computed = sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")
        return passed, self._computed

    def give_way(self) -> None:
        """Lower the priority of all threads of the process below that of others, if the operating system can."""
        with suppress(OSError):
            os.setpriority(os.PRIO_PGRP, self.pid, os.getpriority(os.PRIO_PGRP, self.pid) + NICENESS)

    def end(self) -> None:
        """End the process, even in the middle of its work."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    def close(self) -> None:
        """Listen to it no more, which ends it."""
        with suppress(OSError):
            self._stream.close()


def serve(control: int, loads: str) -> None:
    """Run the nursery, until the server ends: fork a child for each line that comes, with its limit of memory."""
    os.dup2(2, 1)  # what libraries print
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for module in filter(None, (f"{__package__}.queue", loads)):
        import_module(module)
    gc.freeze()  # what children then share
    with socket.socket(fileno=control) as asked:
        while True:
            memory, lines, *_ = socket.recv_fds(asked, 8, 1)
            if not lines:
                return
            if os.fork() == 0:
                asked.close()
                _work(socket.socket(fileno=lines[0]), int.from_bytes(memory))
            os.close(lines[0])


_line: Any = None
"""The stream to the server, where this process is a child."""
_told = 0.0


def _work(line: socket.socket, memory: int) -> NoReturn:
    """Run the child: say that it is there, do the work that comes, and say how it ended."""
    global _line
    import resource

    os.setpgid(0, 0)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    with suppress(OSError, ValueError):  # if the operating system can
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    _line = line.makefile("rwb")
    _say(os.getpid(), None)
    if _line.peek(1):  # else its work is not wanted any more
        _say(None, _error(line))
    os._exit(0)


def report(share: float) -> None:
    """Tell the server what share of the present work is done, from within a step that takes long."""
    global _told
    if _line is not None and time.monotonic() > _told + TELL_SECONDS:
        _told = time.monotonic()
        _say(share, None)


def _end_with(line: socket.socket) -> None:
    """End this child once the server has, even in the middle of some work."""
    line.recv(1)
    os._exit(1)


def _error(line: socket.socket) -> Exception | None:
    """Do the work that comes and say its parts; return what the server may know of the error that it met.

    Other messages than those written for people might quote the data, so only the type of an error goes to the log.
    """
    try:
        work: BoundSteps = pickle.load(_line)
        threading.Thread(target=_end_with, args=(line,), daemon=True).start()
        for share, part in work():
            _say(share, part)
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


def _say(share: float | None, part: object) -> None:
    try:
        pickle.dump((share, part), _line, pickle.HIGHEST_PROTOCOL)
        _line.flush()
    except OSError:  # the server has ended
        os._exit(1)
