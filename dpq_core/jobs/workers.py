"""Compute for visitors in separate processes: one call in each at a time, in fair turns, with a time limit.

Python runs one thread at a time, so a long computation in a thread of the server slows every page, and a thread cannot
be ended. Here a page gives its call to a process and waits for the answer without holding a lock. Three rules keep one
visitor from delaying the others:

- Turns. A free process goes to the waiting visitor with the fewest running calls who was served longest ago (turns.py).
- Priority. A call that has computed for QUICK_SECONDS becomes slow: its process gets the lowest priority, and a new
  process takes its place among the quick ones. If there are too many slow calls, the one that has run longest is ended.
- Limit. A call and its process end at the time limit, or as soon as the page does not need the answer: then `look`
  raises. What waits then is never computed.

A process stays for the next call, which saves the second that starting one takes. It ends with the server, however the
server ends.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar, cast

from .children import QUICK_SECONDS, TOO_LARGE, Child
from .turns import Turns

T = TypeVar("T")

MOST_SECONDS = 30.0
"""A call that runs longer is ended."""
LOOK_SECONDS = 0.05
"""How often a waiting page looks whether its visitor still wants the answer."""
REST_SECONDS = 120.0
"""Without a call, after which a process is ended: it holds some 100 MB. One always stays."""
SWEEP_SECONDS = 0.25
"""Between two looks for processes that nobody needs any more, while there may be some."""
MEMORY = 2 << 30
"""Bytes of address space of one process."""
SLOW_MACHINE = 10
"""Times QUICK_SECONDS: what may pass while a call computes for QUICK_SECONDS."""
SLOW_FOR_A_QUICK = 3
"""How many slow calls may run for each quick one: those yield, and are bounded for the sake of the memory."""
CORES = os.cpu_count() or 1
TOO_LONG = (
    "This simulation takes longer than the server allows. Choose a larger budget, fewer quantiles, fewer records or "
    "another mechanism."
)
ENDED_FOR_OTHERS = (
    "This simulation took long, and the server ended it because others are waiting. Please try again in half a minute, "
    "or choose a larger budget, fewer quantiles or another mechanism."
)
CUT_OFF = "The simulation was cut off before its end. Please try again."


class TooLongError(ValueError):
    """A call was ended because it took too long."""


class Workers:
    """Processes that have loaded a module and call functions with arguments, all of them picklable."""

    def __init__(self, module: str, at_once: int = CORES) -> None:
        """`at_once`: how many quick calls run at the same time."""
        self._module, self._at_once = module, at_once
        self._turn, self._turns = threading.Condition(), Turns()
        self._waiting: list[_Call] = []
        self._running: list[_Call] = []
        self._idle: list[_Worker] = []
        self._sweeps = False

    def start(self) -> None:
        """Start a first process, so that no visitor waits for it."""
        with self._turn:
            if not self._idle and not self._running:
                self._rest(_Worker(self._module))

    def call(
        self,
        visitor: str,
        function: Callable[..., T],
        *arguments: Any,
        look: Callable[[], object] = lambda: None,
        seconds: float = MOST_SECONDS,
    ) -> T:
        """Return what a function returns; wait for a turn and for the answer.

        `look` is called often, and may raise anything to end the call. Raises what the function raises, ValueError
        where it needs too much memory, and TooLongError after `seconds`, or if there are too many slow calls.
        """
        call = _Call(visitor)
        with self._turn:
            self._waiting.append(call)
        try:
            worker = self._worker_for(call, look)
            answer = worker.ask(function, arguments)
            while not _ready(answer):
                look()
                self._judge(call, seconds)
        finally:
            self._end(call)
        found, error = answer.result()
        if error is not None:
            raise error
        return cast(T, found)

    def _worker_for(self, call: _Call, look: Callable[[], object]) -> _Worker:
        """Wait until it is this call's turn, and return its process."""
        while True:
            with self._turn:
                if self._turn.wait_for(lambda: self._is_next(call), LOOK_SECONDS):
                    self._waiting.remove(call)
                    self._running.append(call)
                    self._idle = [worker for worker in self._idle if worker.is_free]  # the system may have ended one
                    call.worker = self._idle.pop() if self._idle else _Worker(self._module)
                    self._turns.serve(call.visitor)
                    self._turn.notify_all()
                    return call.worker
            look()

    def _is_next(self, call: _Call) -> bool:
        """Return whether a quick process is free, and no other waiting visitor has fewer calls or waits for longer."""
        quick = sum(not each.slow for each in self._running)
        return quick < self._at_once and self._turns.first(self._waiting, self._running) is call

    def _judge(self, call: _Call, seconds: float) -> None:
        """Lower the priority of a call that has become slow, and end one that takes too long. Raises ValueError."""
        assert call.worker is not None, "a call that runs has a process"
        ran = call.worker.ran_for()
        if ran > seconds:
            call.slow = True  # with its process, which may never look whether it has to stop
            raise TooLongError(TOO_LONG)
        if call.must_end:
            raise TooLongError(ENDED_FOR_OTHERS)
        if call.worker.is_slow and not call.slow:
            with self._turn:
                slow = [each for each in self._running if each.slow and not each.must_end]
                if len(slow) >= SLOW_FOR_A_QUICK * self._at_once:
                    max(slow, key=lambda each: each.worker.ran_for() if each.worker else 0.0).must_end = True
                call.slow = True
                call.worker.give_way()
                if not self._idle:
                    with suppress(OSError):  # no memory for a process: the next call tries again
                        self._rest(_Worker(self._module))
                self._turn.notify_all()

    def _end(self, call: _Call) -> None:
        """Make room for others. An unwanted quick call is dropped and keeps its process: a new one takes a second."""
        with self._turn:
            if call in self._waiting:
                self._waiting.remove(call)
            if call.worker is None or call.worker.is_busy:
                self._turns.drop(call.visitor)
            if call.worker is not None and not call.slow and call.worker.is_busy:
                call.worker.when_free(partial(self._leave, call))
                call.unwanted = True
                call.worker.drop()
                self._sweep()
            else:
                self._leave(call)
            self._turn.notify_all()

    def _leave(self, call: _Call) -> None:
        """Take a call out, and keep its process if that has done its work and has not given way."""
        with self._turn:
            if call not in self._running:
                return
            self._running.remove(call)
            worker = call.worker
            if worker is not None and worker.is_free and not call.slow and len(self._idle) < self._at_once:
                self._rest(worker)
            elif worker is not None:
                worker.end()
            self._turn.notify_all()

    def _rest(self, worker: _Worker) -> None:
        """Keep a process for the next call, for a while. Holds the turn."""
        worker.rests_since = time.monotonic()
        self._idle.append(worker)
        self._sweep()

    def _sweep(self) -> None:
        """See to it that one thread ends what nobody needs any more. Holds the turn."""
        if not self._sweeps:
            self._sweeps = True
            threading.Thread(target=self._sweep_all, daemon=True).start()

    def _sweep_all(self) -> None:
        """End unwanted calls once they are not quick, and processes after a rest, but one; until there are none."""
        while self._sweeps:
            time.sleep(min(SWEEP_SECONDS, QUICK_SECONDS, REST_SECONDS))
            with self._turn:
                unwanted = [each for each in self._running if each.unwanted]
                for call in unwanted:
                    if call.worker is None or call.worker.is_slow:
                        self._leave(call)
                    else:
                        call.worker.drop()  # it may not have begun before
                since = time.monotonic() - REST_SECONDS
                for worker in [each for each in self._idle if each.rests_since < since][: len(self._idle) - 1]:
                    self._idle.remove(worker)
                    worker.end()
                self._sweeps = bool(unwanted) or len(self._idle) > 1


def timed(function: Callable[..., T], *arguments: Any) -> tuple[T, float]:
    """Return what a function returns, and its seconds of processor time, without other work that runs meanwhile."""
    started = time.process_time()
    return function(*arguments), time.process_time() - started


class _Call:
    """One call of a visitor, which waits or runs."""

    def __init__(self, visitor: str) -> None:
        self.visitor = visitor
        self.worker: _Worker | None = None
        self.slow = False
        self.must_end = False
        """Whether others need its place."""
        self.unwanted = False
        """Whether its page does not wait for it any more, while it may still end by itself."""


class _Worker:
    """A process that answers one call at a time."""

    def __init__(self, module: str) -> None:
        self._child = Child(MEMORY, module)
        self._ready: Future[tuple[float, float]] = Future()
        """When it had loaded its module, and how long it had computed by then."""
        self._answer: Future[tuple[Any, Exception | None]] | None = None
        self._began = 0.0, 0.0
        self.rests_since = 0.0
        threading.Thread(target=self._listen, daemon=True).start()

    @property
    def is_busy(self) -> bool:
        """Whether a call has no answer yet."""
        return self._answer is not None and not self._answer.done()

    @property
    def is_free(self) -> bool:
        """Whether the process lives and has answered all its calls."""
        return self._child.is_alive and not self.is_busy

    def when_free(self, then: Callable[[], None]) -> None:
        """Call `then` once the present call has its answer."""
        assert self._answer is not None, "there is a call"
        self._answer.add_done_callback(lambda _: then())

    def ask(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Future[tuple[Any, Exception | None]]:
        """Give a call to the process, and return a future of its answer: a value, or an error."""
        self._began, answer = self._now(), Future[tuple[Any, Exception | None]]()
        self._answer = answer
        try:
            self._child.hand_over(partial(_in_one_step, function, arguments))
        except OSError:  # it has ended
            _settle(answer, (None, ValueError(CUT_OFF)))
        return answer

    def ran_for(self) -> float:
        """Return the seconds that the present call has run; the start of the process does not count."""
        return self._since(0)

    @property
    def is_slow(self) -> bool:
        """Whether the present call has computed for long: on a busy machine that is less than the time that passed."""
        return self._since(1) > QUICK_SECONDS or self._since(0) > SLOW_MACHINE * QUICK_SECONDS

    def drop(self) -> None:
        """Ask the process to give up the present call, if it has loaded."""
        if self._ready.done():
            self._child.drop()

    def _now(self) -> tuple[float, float]:
        return time.monotonic(), self._child.computed_seconds

    def _since(self, clock: int) -> float:
        if not self._ready.done():
            return 0.0
        return self._now()[clock] - max(self._began[clock], self._ready.result()[clock])

    def give_way(self) -> None:
        """Lower the priority of the process below all others and the server."""
        self._child.give_way()

    def end(self) -> None:
        """End the process, even in the middle of a call."""
        self._child.end()

    def _listen(self) -> None:
        """Hand answers on until the process ends."""
        with self._child as child:
            loaded, found = child.heard(), None
            self._ready.set_result(self._now())
            while word := loaded and child.heard():
                if word.share is not None:
                    found = word.part
                elif self._answer is not None:
                    _settle(self._answer, (found, _as_told(word.part)))
                    found = None
        if self._answer is not None:
            _settle(self._answer, (None, ValueError(CUT_OFF)))


def _settle(answer: Future[Any], found: tuple[Any, Exception | None]) -> None:
    """Set an answer, unless it is there already."""
    if not answer.done():
        answer.set_result(found)


def _ready(answer: Future[Any]) -> bool:
    """Return whether an answer is there, after at most LOOK_SECONDS."""
    with suppress(TimeoutError):
        answer.result(timeout=LOOK_SECONDS)
        return True
    return False


def _in_one_step(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Iterator[tuple[float, Any]]:
    yield 1.0, function(*arguments)


def _as_told(error: Exception | None) -> Exception | None:
    return ValueError(TOO_LARGE) if isinstance(error, MemoryError) else error
