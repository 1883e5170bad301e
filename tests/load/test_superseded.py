"""Who asks for something new before the answer, or leaves, keeps nobody else waiting and leaves nothing behind.

`pytest tests/load/test_superseded.py -m "" -s` prints the waits. Those beside the crowd and in the two minutes after it
are compared with those of a quiet time on the same server, since machines differ: two seconds more are allowed, or on a
busy machine three times as long as in quiet.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Timer

import psutil
import pytest

from tests.browser import driving
from tests.jobs.test_line import wait
from tests.load import superseded
from tests.load.memory import server_of
from tests.load.superseded import Message

FEW, FEW_SECONDS = 4, 3
TABS, SECONDS, AFTER_SECONDS = 25, 15, 120
MORE_SECONDS, TIMES_QUIET = 2.0, 3.0
LOOK_SECONDS = 0.05
CORES = os.cpu_count() or 1
OTHERS = CORES + 3
"""Threads that listen to processes, look after them, and run the page of somebody else."""


def waits(url: str, seconds: float) -> list[float]:
    enough = Event()
    timer = Timer(seconds, enough.set)
    timer.start()
    try:
        return sorted(superseded.waits(url, enough))
    finally:
        timer.cancel()


def processes(server: psutil.Process) -> int:
    return sum(child.status() != psutil.STATUS_ZOMBIE for child in server.children(recursive=True))


@pytest.mark.slow
@pytest.mark.parametrize("message", [superseded.epsilon, superseded.nothing], ids=["new budgets", "nothing new"])
def test_a_tab_has_one_thread_however_often_it_asks_and_none_when_it_has_gone(
    server: driving.Server, message: Message
) -> None:
    """How long it takes is for the test below."""
    process, enough = server_of(server.url), Event()
    enough.set()
    superseded.waits(server.url, enough, 2)
    before, most = process.num_threads(), 0
    with ThreadPoolExecutor(2) as aside:
        crowd = aside.submit(superseded.flood, server.url, FEW, FEW_SECONDS, message)
        other = aside.submit(superseded.waits, server.url, enough, 3)
        while not (crowd.done() and other.done()):
            time.sleep(LOOK_SECONDS)
            most = max(most, process.num_threads())
    assert len(other.result()) == 3
    assert crowd.result() > FEW, "each has asked more than once"
    assert most <= before + 2 * FEW + OTHERS, "one that ends may be beside the next"
    wait(lambda: process.num_threads() <= before + OTHERS)
    assert processes(process) <= CORES


@pytest.mark.very_slow
@pytest.mark.parametrize("message", [superseded.epsilon, superseded.nothing], ids=["new budgets", "nothing new"])
def test_beside_a_crowd_that_looks_at_nothing_and_after_it_nobody_waits_for_long(
    server: driving.Server, message: Message, say: Callable[[str, str], None]
) -> None:
    process = server_of(server.url)
    waits(server.url, 0)  # the server has everything in memory then
    quiet, before = waits(server.url, SECONDS), process.num_threads()
    enough = Event()
    with ThreadPoolExecutor(1) as aside:
        other = aside.submit(superseded.waits, server.url, enough)
        sent = superseded.flood(server.url, TABS, SECONDS, message)
        enough.set()
        beside = sorted(other.result())
    after = waits(server.url, AFTER_SECONDS)
    said = {"alone": quiet, "beside": beside, "after": after}
    words = [f"{name} {each[len(each) // 2]:.1f} s (median), {each[-1]:.1f} s (longest)" for name, each in said.items()]
    say(message.__name__, f"{sent:,} messages; {'; '.join(words)}; {process.num_threads()} threads, {before} before")
    assert max(beside[-1], after[-1]) < max(quiet[-1] + MORE_SECONDS, TIMES_QUIET * quiet[-1])
    assert process.num_threads() <= before + OTHERS
    assert processes(process) <= CORES
