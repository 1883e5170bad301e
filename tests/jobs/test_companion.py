"""A process beside the server: the same answers as in place, none where it is gone, and an end of its own."""

from __future__ import annotations

import math
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from unittest.mock import Mock

import numpy as np
import psutil
import pytest

from dpq_core import Domain, Plan, PureDP, Sample
from dpq_core.calibrations import calibrate_for
from dpq_core.jobs.companion import Companion
from dpq_core.trials import simulate_calibrated
from tests.jobs.test_line import wait

Makes = Callable[..., Companion]


def children(module: str = "math") -> list[psutil.Process]:
    """Those that run, of these tests: a page's test may have left its own. What has ended has no command line."""
    there = [child for child in psutil.Process().children() if child.status() != psutil.STATUS_ZOMBIE]
    return [child for child in there if {"dpq_core.jobs.companion", module} <= set(child.cmdline())]


@pytest.fixture
def begun() -> Iterator[Makes]:
    """Makes companions that are there, and ends them."""
    made = []

    def begin(module: str = "math", rest_seconds: float = 60.0) -> Companion:
        companion = Companion(module, rest_seconds)
        made.append(companion)
        companion.start()
        wait(lambda: companion.is_there)
        return companion

    yield begin
    for companion in made:
        if companion._child is not None:
            companion._child.kill()
            companion._child.wait()


def test_a_simulation_beside_is_the_one_in_place(begun: Makes) -> None:
    sample = Sample.from_values(np.arange(500) % 90, Domain(0, 100), seed=1)
    calibrated = calibrate_for(sample, Plan([0.25, 0.5], mechanism="aq", privacy=PureDP(1.0)))
    found = begun(simulate_calibrated.__module__).ask(simulate_calibrated, sample, calibrated, 8, 3)
    there = simulate_calibrated(sample, calibrated, 8, 3)
    assert found is not None
    np.testing.assert_array_equal(found.values, there.values)
    np.testing.assert_array_equal(found.signed_rank_errors, there.signed_rank_errors)
    assert (found.guarantee, found.plan, found.seed) == (there.guarantee, there.plan, there.seed)


def test_before_it_begins_and_for_a_call_that_fails_there_is_no_answer(begun: Makes) -> None:
    assert Companion("math").ask(math.sqrt, 4.0) is None
    companion = begun()
    assert companion.ask(math.sqrt, -1.0) is None
    assert companion.ask(math.sqrt, 4.0) == 2.0, "and it is still there"


def test_many_begin_it_once_and_each_gets_an_own_answer(begun: Makes) -> None:
    companion = begun()
    for _ in range(3):
        companion.start()
    assert len(children()) == 1
    found: dict[int, float | None] = {}
    threads = [
        threading.Thread(target=lambda at=at: found.update({at: companion.ask(math.sqrt, at**2)})) for at in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {at: at for at in range(20)}


def test_where_it_was_ended_there_is_no_answer_and_another_can_begin(begun: Makes) -> None:
    companion = begun()
    for child in children():
        child.kill()
    assert companion.ask(math.sqrt, 4.0) is None
    wait(lambda: not companion._life.locked())
    companion.start()
    wait(lambda: companion.ask(math.sqrt, 4.0) == 2.0)


def test_one_that_cannot_begin_is_none() -> None:
    companion = Companion("no_module_of_this_name")
    companion.start()
    wait(lambda: companion._life.acquire(blocking=False))
    assert not companion.is_there
    assert children("no_module_of_this_name") == []


def test_where_no_process_can_be_begun_the_next_call_tries_again(monkeypatch: pytest.MonkeyPatch) -> None:
    child_of = Mock(side_effect=OSError("no memory"))
    monkeypatch.setattr("dpq_core.jobs.companion.child_of", child_of)
    companion = Companion("math")
    for _ in range(2):
        companion.start()
        wait(lambda: not companion._life.locked())
    assert child_of.call_count == 2
    assert companion.ask(math.sqrt, 4.0) is None


def test_it_ends_after_a_rest(begun: Makes) -> None:
    companion = begun(rest_seconds=0.2)
    child = companion._child
    assert child is not None
    wait(lambda: child.poll() is not None)
    assert companion.ask(math.sqrt, 4.0) is None


def test_it_ends_with_the_server() -> None:
    """However that ends: here without a word, as if it were killed."""
    program = (
        "import os, time\n"
        "from dpq_core.jobs.companion import Companion\n"
        "companion = Companion('math')\n"
        "companion.start()\n"
        "while not companion.is_there: time.sleep(0.01)\n"
        "print(companion._child.pid, flush=True)\n"
        "os._exit(0)\n"
    )
    server = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    number = int(server.stdout)
    wait(lambda: not psutil.pid_exists(number) or psutil.Process(number).status() == psutil.STATUS_ZOMBIE)
