"""Make something once for all who ask for it, and let them wait without a lock."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, wait
from threading import Lock
from typing import Any, TypeVar, cast

T = TypeVar("T")

LOOK_SECONDS = 0.1
"""How often one who waits looks whether that is still wanted."""


class Once:
    """What was made, by a key; the `most` that were asked for last are kept."""

    def __init__(self, most: int | None = None) -> None:
        self._most = most
        self._kept: dict[object, Future[Any]] = {}
        self._taking = Lock()

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
        except Exception as error:
            self._forget(found, cache_key)
            found.set_exception(error)
        except BaseException:
            self._forget(found, cache_key)
            found.cancel()
            raise

    def _forget(self, found: Future[Any], cache_key: object) -> None:
        with self._taking:
            if self._kept.get(cache_key) is found:
                del self._kept[cache_key]
