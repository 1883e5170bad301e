"""Processes beside the server: the answers are those in place, turns are fair, a long call gives way and ends."""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import psutil
import pytest

from dpq_core import Domain, ParameterError, Plan, PureDP, Sample
from dpq_core.calibrations import calibrate_for
from dpq_core.jobs import workers as module
from dpq_core.jobs.children import Child
from dpq_core.jobs.workers import Workers
from dpq_core.trials import simulate_calibrated
from tests.jobs.test_line import wait
from tests.narrowing import present

Makes = Callable[..., Workers]


@pytest.fixture
def made() -> Iterator[Makes]:
    """Makes groups of workers, and ends their processes."""
    every: list[Workers] = []

    def make(name: str = "math", at_once: int = 1) -> Workers:
        every.append(Workers(name, at_once))
        return every[-1]

    yield make
    for workers in every:
        for worker in workers._idle:
            worker.end()


class Gone(BaseException):
    """What Streamlit raises in a page whose visitor has left or asks for something else."""


def processes(workers: Workers) -> list[psutil.Process]:
    """Those that live; what has ended has no command line, and may end while it is looked at."""

    def lives(child: psutil.Process) -> bool:
        try:
            named = {"dpq_core.jobs.children", workers._module} <= set(child.cmdline())
            return named and child.status() != psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return False

    return list(filter(lives, psutil.Process().children()))


def is_slow(workers: Workers, visitor: str) -> bool:
    return any(call.slow and call.visitor == visitor for call in workers._running)


def test_a_simulation_beside_is_the_one_in_place(made: Makes) -> None:
    sample = Sample.from_values(np.arange(500) % 90, Domain(0, 100), seed=1)
    calibrated = calibrate_for(sample, Plan([0.25, 0.5], mechanism="aq", privacy=PureDP(1.0)))
    found = made(simulate_calibrated.__module__).call("a", simulate_calibrated, sample, calibrated, 8, 3)
    there = simulate_calibrated(sample, calibrated, 8, 3)
    np.testing.assert_array_equal(found.values, there.values)
    np.testing.assert_array_equal(found.signed_rank_errors, there.signed_rank_errors)
    assert (found.guarantee, found.plan, found.seed) == (there.guarantee, there.plan, there.seed)


@pytest.mark.slow
def test_what_is_wrong_with_a_call_is_told_and_the_process_stays(made: Makes) -> None:
    workers = made()
    with pytest.raises(ParameterError, match="epsilon"):
        workers.call("a", PureDP, -1.0)
    with pytest.raises(RuntimeError) as told:
        workers.call("a", dict.__getitem__, {}, "a value of the data")
    assert not told.value.args, "only that there was one"
    (process,) = processes(workers)
    assert workers.call("a", math.sqrt, 4.0) == 2.0
    assert processes(workers) == [process]


@pytest.mark.slow
def test_each_gets_an_own_answer(made: Makes) -> None:
    workers = made(at_once=2)
    with ThreadPoolExecutor(20) as visitors:
        found = list(visitors.map(lambda at: workers.call(str(at), math.sqrt, at**2), range(20)))
    assert found == list(range(20))
    assert len(processes(workers)) <= 2


@pytest.mark.slow
def test_who_has_waited_and_asked_less_comes_first(made: Makes) -> None:
    """One visitor has asked five times, and another one then asks once: not after all five."""
    workers, order = made(), list[str]()
    workers.call("many", math.sqrt, 1.0)
    first = threading.Event()

    def ask(visitor: str) -> None:
        workers.call(visitor, time.sleep, 0.1, look=first.set)
        order.append(visitor)

    with ThreadPoolExecutor(6) as visitors:
        visitors.submit(ask, "many")
        first.wait()
        for _ in range(4):
            visitors.submit(ask, "many")
        wait(lambda: len(workers._waiting) == 4)
        visitors.submit(ask, "one")
    assert order.index("one") == 1


def test_a_long_call_gives_way_and_makes_no_other_wait(made: Makes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "QUICK_SECONDS", 0.05)
    workers = made()
    workers.start()
    over = threading.Event()

    def look() -> None:
        if over.is_set():
            raise Gone

    with ThreadPoolExecutor(1) as visitors:
        long = visitors.submit(workers.call, "long", time.sleep, 600, look=look)
        assert workers.call("other", math.sqrt, 4.0) == 2.0, "although one runs at once, and that one has not ended"
        (slow,) = [call for call in workers._running if call.slow]
        assert slow.worker is not None
        assert psutil.Process(slow.worker._child.pid).nice() > psutil.Process().nice()
        over.set()
        assert isinstance(long.exception(), Gone)


@pytest.mark.slow(keep="over time")
@pytest.mark.parametrize("ends", ["exits", "over time", "killed", "does not load"])
def test_what_ends_a_process_ends_the_call_and_the_next_one_has_another(made: Makes, ends: str) -> None:
    if ends == "does not load":
        with pytest.raises(ValueError, match="cut off"):
            made("no_module_of_this_name").call("a", math.sqrt, 4.0)
        return
    workers = made()
    if ends == "killed":
        workers.call("a", math.sqrt, 1.0)
        for process in processes(workers):
            process.kill()
        wait(lambda: not any(worker.is_free for worker in workers._idle))
    else:
        work, seconds, said = {
            "exits": (os._exit, 600.0, "cut off"),
            "over time": (time.sleep, 0.05, "longer than the server allows"),
        }[ends]
        with pytest.raises(ValueError, match=said):
            workers.call("a", work, 600, seconds=seconds)
    assert workers.call("a", math.sqrt, 4.0) == 2.0


@pytest.mark.parametrize("waits", [False, True], ids=["runs", "waits"])
def test_a_call_that_nobody_wants_any_more_ends(made: Makes, waits: bool) -> None:
    workers = made()
    looked = list[float]()

    def look() -> None:
        looked.append(time.monotonic())
        if len(looked) > 3:
            raise Gone

    with ThreadPoolExecutor(1) as visitors:
        if waits:
            visitors.submit(workers.call, "before", time.sleep, 0.3)
            wait(lambda: bool(workers._running))
        with pytest.raises(Gone):
            workers.call("gone", time.sleep, 600, look=look)
    assert not workers._waiting
    wait(lambda: not workers._running)  # a quick one may end by itself
    assert workers.call("other", math.sqrt, 4.0) == 2.0


def test_what_nobody_wants_is_not_computed_and_its_process_takes_the_next_call(made: Makes, tmp_path: Path) -> None:
    """One visitor asks for ten things after each other, and looks at none."""
    workers = made()
    workers.call("calm", abs, -1)
    (process,) = processes(workers)
    threads = threading.active_count()

    def ask(wish: int) -> None:
        gone = iter([False] * (2 + wish % 2)).__next__

        def look() -> None:
            try:
                gone()
            except StopIteration:
                raise Gone from None

        with pytest.raises(Gone):
            workers.call("restless", _count_for_long, str(tmp_path / f"begun {wish}"), look=look)

    with ThreadPoolExecutor(10) as visitors:
        list(visitors.map(ask, range(10)))
        assert workers.call("calm", math.sqrt, 4.0) == 2.0
    wait(lambda: not workers._running)
    assert processes(workers) == [process], "what was begun was dropped, without a new process"
    assert len(list(tmp_path.iterdir())) < 5, "most were not begun"
    assert threading.active_count() <= threads + 1, "but for the one that looks after unwanted calls"
    wait(lambda: not workers._sweeps)


def _count_for_long(begun: str) -> int:
    Path(begun).touch()
    return sum(1 for _ in range(10**12))


@pytest.mark.slow
def test_words_of_a_child_are_whole_though_its_work_is_dropped_at_any_moment() -> None:
    with Child(module.MEMORY, "math") as child:
        present(child.heard())
        for _ in range(60):
            child.hand_over(partial(_many_parts, 3))
            child.drop()
            parts = 0
            while (word := present(child.heard())).share is not None:
                parts += 1
                assert word.part == b"x" * 100_000
            assert (parts, word.part) == (3, None) or (parts < 3 and isinstance(word.part, RuntimeError))


def _many_parts(count: int) -> Iterator[tuple[float, bytes]]:
    for _ in range(count):
        yield 0.5, b"x" * 100_000


def test_among_too_many_slow_ones_the_one_that_has_run_longest_ends(
    made: Makes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "QUICK_SECONDS", 0.05)
    monkeypatch.setattr(module, "SLOW_FOR_A_QUICK", 2)
    workers, over = made(), threading.Event()

    def look() -> None:
        if over.is_set():
            raise Gone

    with ThreadPoolExecutor(3) as visitors:
        calls = []
        for number in range(3):
            calls.append(visitors.submit(workers.call, str(number), time.sleep, 600, look=look))
            wait(partial(is_slow, workers, str(number)))
        assert "others are waiting" in str(calls[0].exception())
        assert not calls[1].done()
        assert not calls[2].done()
        over.set()


@pytest.mark.slow
def test_processes_end_after_a_rest_but_one(made: Makes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "REST_SECONDS", 0.1)
    workers = made(at_once=2)
    with ThreadPoolExecutor(2) as visitors:
        list(visitors.map(lambda at: workers.call(str(at), time.sleep, 0.1), range(2)))
    wait(lambda: len(processes(workers)) == 1)
