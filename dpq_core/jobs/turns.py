"""Whose turn it is: of the visitors who wait, one with the least at work, the fewest dropped wishes, the longest wait.

Workers, files and runs of pages wait by this rule. A visitor who asks a hundred times at once delays others as if that
were once. One who asks for something new before the answer has dropped the old wish: others, who look at what they
get, come first for a while. What all of them ask for is made once.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future, wait
from typing import Any, Generic, Protocol, TypeVar, cast

REMEMBERED_SECONDS = 120.0
"""A visitor who was served before that counts as one who never was."""
DROPPED_SECONDS = 10.0
"""So long after the last wish that was dropped a visitor counts as one who drops none."""
LOOK_SECONDS = 0.1
"""How often one who waits looks whether that is still wanted."""


class Waiting(Protocol):
    """One who waits, or is at work."""

    @property
    def visitor(self) -> str:
        """Return for whom."""


T = TypeVar("T")
W = TypeVar("W", bound=Waiting)


class Turns:
    """Who was served when, and who dropped wishes. Its user holds a lock."""

    def __init__(self) -> None:
        self._served: dict[str, float] = {}
        self._dropped: dict[str, tuple[int, float]] = {}
        """How many wishes, and when the last one."""

    def serve(self, visitor: str) -> None:
        """Note that a visitor is served now."""
        now = time.monotonic()
        self._served = {each: at for each, at in self._served.items() if at > now - REMEMBERED_SECONDS}
        self._served[visitor] = now

    def drop(self, visitor: str) -> None:
        """Note that a visitor does not want any more what was begun or waits."""
        since = time.monotonic() - DROPPED_SECONDS
        self._dropped = {each: found for each, found in self._dropped.items() if found[1] > since}
        self._dropped[visitor] = self._dropped.get(visitor, (0, 0.0))[0] + 1, time.monotonic()

    def first(self, waiting: Iterable[W], at_work: Iterable[Waiting]) -> W | None:
        """Return who comes next; None where nobody waits."""
        return next(iter(self.in_order(waiting, at_work)), None)

    def in_order(self, waiting: Iterable[W], at_work: Iterable[Waiting]) -> list[W]:
        """Return who waits in the order in which they come if nobody else does."""
        before, rounds = [each.visitor for each in at_work], list[tuple[tuple[int, int, float], W]]()
        for one in waiting:
            patience = self.dropped(one.visitor), self._served.get(one.visitor, 0.0)
            rounds.append(((before.count(one.visitor), *patience), one))
            before.append(one.visitor)
        return [one for _, one in sorted(rounds, key=lambda each: each[0])]

    def dropped(self, visitor: str) -> int:
        """Return how many wishes a visitor has dropped lately."""
        many, last = self._dropped.get(visitor, (0, 0.0))
        return many if last > time.monotonic() - DROPPED_SECONDS else 0


class _Pass:
    """Of a thread that waits at a gate or has gone through."""

    def __init__(self, visitor: str) -> None:
        self.visitor, self.since = visitor, 0.0


class Gate:
    """Lets a few threads work at a time, in fair turns. A turn ends after some seconds even if its work goes on."""

    def __init__(self, at_once: int, seconds: float) -> None:
        self._at_once, self._seconds = at_once, seconds
        self._turn, self.turns = threading.Condition(), Turns()
        self._waiting: list[_Pass] = []
        self._inside: dict[threading.Thread, _Pass] = {}

    @property
    def is_inside(self) -> bool:
        """Whether this thread went through, and has not left since."""
        return threading.current_thread() in self._inside

    def enter(self, visitor: str, unwanted: Callable[[], bool]) -> None:
        """Wait for a turn; a thread that has one gives it up first. Go on at once where it is not wanted any more."""
        self.leave()
        own = _Pass(visitor)
        with self._turn:
            self._waiting.append(own)
            while not (self._is_next(own) or unwanted()):
                self._turn.wait(LOOK_SECONDS)
            self._waiting.remove(own)
            own.since = time.monotonic()
            self.turns.serve(visitor)
            self._inside[threading.current_thread()] = own
            self._turn.notify_all()

    def leave(self) -> None:
        """Give the turn to others; nothing where there is none."""
        with self._turn:
            if self._inside.pop(threading.current_thread(), None):
                self._turn.notify_all()

    def _is_next(self, own: _Pass) -> bool:
        self._inside = {thread: each for thread, each in self._inside.items() if thread.is_alive()}
        since = time.monotonic() - self._seconds
        at_work = [each for each in self._inside.values() if each.since > since]
        return len(at_work) < self._at_once and self.turns.first(self._waiting, at_work) is own


class made_once(Generic[T]):
    """A property that is made when it is first asked for, and kept; others of its class may be made meanwhile.

    Python 3.11 makes one `cached_property` of a class at a time: a page that waited in it for its turn stopped all.
    """

    def __init__(self, make: Callable[[Any], T]) -> None:
        self._make = make

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: type) -> T:
        found: T = self._make(instance)
        instance.__dict__[self._name] = found
        return found


class Once:
    """What was made, by a key; the `most` that were asked for last are kept."""

    def __init__(self, most: int | None = None) -> None:
        self._most = most
        self._kept: dict[object, Future[Any]] = {}
        self._taking = threading.Lock()

    def get(self, cache_key: object, make: Callable[[], T], look: Callable[[], object] = lambda: None) -> T:
        """Return what was made by this key: the first who asks makes it, and the others wait.

        `look` is called often by those who wait, and may raise anything to end the wait. Where the run of the first one
        ends, another one makes it. Where it fails, it fails for all who wait, and is not kept.
        """
        while True:
            with self._taking:
                first = cache_key not in self._kept
                found = self._kept.pop(cache_key, None) or Future()
                self._kept[cache_key] = found  # as the last that was asked for
                while self._most is not None and len(self._kept) > self._most:
                    del self._kept[next(iter(self._kept))]
            if first:
                self._make(found, make, cache_key)
            while not wait([found], LOOK_SECONDS).done:
                look()
            if not found.cancelled():
                return cast(T, found.result())

    def _make(self, found: Future[Any], make: Callable[[], object], cache_key: object) -> None:
        """Make what others wait for; a run that ends before lets another one make it."""
        try:
            found.set_result(make())
        except BaseException as error:
            with self._taking:
                if self._kept.get(cache_key) is found:
                    del self._kept[cache_key]
            if not isinstance(error, Exception):
                found.cancel()
                raise
            found.set_exception(error)
