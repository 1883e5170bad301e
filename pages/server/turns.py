"""Pages run a few at a time, in fair turns by visitor, and what waits for an answer lets others run meanwhile.

Python runs one thread at a time. A hundred pages that run at once would make every visitor wait for all of them. What
is asked for again and again, before there can be an answer, begins when its visitor rests for a moment.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from time import monotonic, sleep

from dpq_core.jobs.queue import Asker
from dpq_core.jobs.turns import Gate

from . import sessions

MOST_SECONDS = 3.0
"""Of a turn: a run that takes longer goes on beside the others."""
RESTLESS = 3
"""Wishes that were dropped within some seconds: a visitor drags a slider, or it is a program."""
REST_SECONDS, LONGEST_REST, LOOK_SECONDS = 0.25, 5.0, 0.05
PAGES = Gate(os.cpu_count() or 1, MOST_SECONDS)
Asked = Callable[[], object]


def take(latest: Asked = lambda: None, is_over: Callable[[], bool] = sessions.is_gone) -> None:
    """Wait until this run of a page may go on, or is over because its visitor has left.

    `latest`: what its visitor asked for last. One who dropped several wishes has to rest before the next is begun.
    """
    if PAGES.turns.dropped(visitor()) >= RESTLESS:
        _rest(latest, is_over)
    PAGES.enter(visitor(), is_over)


def _rest(latest: Asked, is_over: Callable[[], bool]) -> None:
    """Wait until nothing new was asked for during REST_SECONDS, and not for ever."""
    ends, since, seen = monotonic() + LONGEST_REST, monotonic(), latest()
    while monotonic() < min(since + REST_SECONDS, ends) and not is_over():
        sleep(LOOK_SECONDS)
        if (now := latest()) is not seen:
            since, seen = monotonic(), now


def take_another(latest: Asked = lambda: None, is_over: Callable[[], bool] = sessions.is_gone) -> None:
    """Wait for another turn, where what this one was for is not wanted any more."""
    PAGES.leave()
    PAGES.turns.drop(visitor())
    take(latest, is_over)


@contextmanager
def waiting() -> Iterator[None]:
    """Let other pages run while this one waits for something."""
    had_one = PAGES.is_inside
    PAGES.leave()
    try:
        yield
    except BaseException:
        if had_one:
            take_another()
        raise
    if had_one:
        take()


def asker() -> Asker:
    """Return for whom this page begins jobs."""
    return Asker(visitor(), partial(sessions.has_gone, sessions.session()))


def visitor() -> str:
    """Return the name of this visitor where visitors take turns; empty outside a server."""
    return sessions.browser() or sessions.session()
