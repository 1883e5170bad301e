"""A process beside the server that answers one call after another: a second processor for what many ask for at once.

Python runs one thread at a time, so that the quick work of many visitors waits for their pages, and these for it. The
process of a job takes a second to start; this one stays as long as it is called. It ends soon after its last call, and
with the server. Where it gives no answer whoever called does the work.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from importlib import import_module
from typing import Any, TypeVar, cast

from .processes import answers_of, child_of

T = TypeVar("T")

REST_SECONDS = 30.0
"""Without a call, after which the process ends: it holds some 100 MB."""
NEVER = float("inf")


class Companion:
    """A process that has loaded a module and calls functions with arguments, all of them picklable."""

    def __init__(self, module: str, rest_seconds: float = REST_SECONDS) -> None:
        self._words = (module, str(rest_seconds))
        self._life = threading.Lock()
        self._turn = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None
        self._waiting: deque[Future[Any]] = deque()

    def start(self) -> None:
        """Begin with the process, unless it is there or begins already; nobody waits for it."""
        if self._life.acquire(blocking=False):
            threading.Thread(target=self._live, daemon=True).start()

    def _live(self) -> None:
        """Begin with the process, and hand its answers to whom they are for, until it ends."""
        with suppress(OSError):  # no memory for a process: the next call tries again
            child = child_of(__name__, *self._words)
            self._serve(child)
            child.kill()
            child.communicate()
        self._life.release()

    def _serve(self, child: subprocess.Popen[bytes]) -> None:
        if _heard(child) is not None:
            self._child = child
            while (answer := _heard(child)) is not None:
                self._waiting.popleft().set_result(answer[0])
        with self._turn:
            self._child = None
            for call in self._waiting:
                call.set_result(None)
            self._waiting.clear()

    @property
    def is_there(self) -> bool:
        """Whether the process has loaded its module and has not ended."""
        return self._child is not None

    def ask(self, function: Callable[..., T], *arguments: Any) -> T | None:
        """Return what a function gives; None where no process is there yet or any more, and where the call failed.

        Calls are answered in their order, and the next one waits in the pipe: the process never waits for a thread.
        """
        if not self.is_there:
            return None
        word, call = pickle.dumps((function, arguments), pickle.HIGHEST_PROTOCOL), Future[Any]()
        with self._turn:
            if self._child is None:
                return None
            assert self._child.stdin is not None
            self._waiting.append(call)
            with suppress(BrokenPipeError):  # it has ended, and so answers nobody
                self._child.stdin.write(word)
                self._child.stdin.flush()
        return cast("T | None", call.result())


def _heard(child: subprocess.Popen[bytes]) -> tuple[Any] | None:
    """Return the next word of a process; None where it has ended."""
    assert child.stdout is not None
    try:
        return cast("tuple[Any]", pickle.load(child.stdout))
    except (EOFError, pickle.UnpicklingError):
        return None


def main() -> None:
    """Run the process: a word when all is loaded, then one for each call; None for one that failed."""
    answers, (_, module, seconds) = answers_of(), sys.argv
    import_module(module)
    called = [time.monotonic()]
    threading.Thread(target=_rest, args=(called, float(seconds)), daemon=True).start()
    answer: object = None
    while True:
        pickle.dump((answer,), answers, pickle.HIGHEST_PROTOCOL)
        answers.flush()
        try:
            function, arguments = pickle.load(sys.stdin.buffer)
        except EOFError:  # the server has ended
            return
        called[0] = NEVER
        try:
            answer = function(*arguments)
        except Exception:  # whoever called does the work again, and is told what is wrong with it
            answer = None
        called[0] = time.monotonic()


def _rest(called: list[float], seconds: float) -> None:
    """End the process once it was not called for so long."""
    while time.monotonic() - called[0] < seconds:
        time.sleep(seconds / 10)
    os._exit(0)


if __name__ == "__main__":
    main()
