"""Jobs in child processes: what a page sees of them, whose turn it is, limits, and an end at any moment."""

from __future__ import annotations

import logging
import math
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from dpq_core import Domain, ParameterError, Plan, PureDP, Sample
from dpq_core.calibrations import calibrate_for
from dpq_core.jobs import children
from dpq_core.jobs import queue as module
from dpq_core.jobs.children import Child
from dpq_core.jobs.queue import Asker, Job, Queue, Stage, do_here, in_one_step
from dpq_core.studies import engine
from dpq_core.studies.grid import Grid
from dpq_core.studies.streams.feeds import Files
from dpq_core.trials import simulate_calibrated
from tests.jobs.in_place import InPlaceQueue
from tests.narrowing import present

Call = Callable[..., Any]


def wait(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


class Gone(BaseException):
    """What Streamlit raises in a page whose visitor has left or asks for something else."""


def call(queue: Queue, visitor: str, function: Call, *arguments: Any, look: Call = lambda: None) -> Any:
    """What a function returns, as a page asks for it."""
    return queue.begin(in_one_step, function, *arguments, asker=Asker(visitor)).wait(look)


@pytest.fixture
def made() -> Iterator[Callable[..., Queue]]:
    """Makes queues whose processes stay for the next job, and ends these."""
    every: list[Queue] = []

    def make(at_once: int = 1, loads: str = "math", **limits: Any) -> Queue:
        every.append(Queue(at_once, loads=loads, memory=2 << 30, **limits))
        return every[-1]

    yield make
    for queue in every:
        wait(partial(_rests, queue))
        for _, child in queue._idle:
            child.close()


def _rests(queue: Queue) -> bool:
    return not queue.running


def processes(queue: Queue) -> list[psutil.Process]:
    """Those that live; what has ended has no command line, and may end while it is looked at."""

    def lives(child: psutil.Process) -> bool:
        try:
            named = {"dpq_core.jobs.children", queue._loads} <= set(child.cmdline())
            return named and child.status() != psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return False

    return list(filter(lives, psutil.Process().children()))


def child_of(job: Job) -> int:
    wait(lambda: job.child is not None)
    return present(job.child).pid


def gives_way(pid: int) -> bool:
    """Whether all threads of a process yield the processor to those of this one."""
    usual = os.getpriority(os.PRIO_PROCESS, 0)
    return all(os.getpriority(os.PRIO_PROCESS, int(one.name)) > usual for one in Path(f"/proc/{pid}/task").iterdir())


def is_there(pid: int) -> bool:
    return psutil.pid_exists(pid) and bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)


def ended(job: Job) -> Job:
    wait(lambda: job.finished and job.queue is not None and job not in job.queue.running)
    return job


# What a page sees of a job.


@pytest.mark.slow
def test_a_child_finds_what_is_found_here() -> None:
    grid = Grid(mechanisms=["aq", "indexp"], quantiles=[3], trials=5)
    job = ended(module.STUDIES.begin(engine.steps, grid))
    assert (job.stage, job.share, job.problem) == (Stage.DONE, 1.0, "")
    alike = {row.mechanism: row.max_error for row in job.parts}
    assert alike == {row.mechanism: row.max_error for _, row in engine.steps(grid)}


@pytest.mark.slow
def test_a_simulation_in_a_child_is_the_one_here(made: Callable[..., Queue]) -> None:
    sample = Sample.from_values(np.arange(500) % 90, Domain(0, 100), seed=1)
    calibrated = calibrate_for(sample, Plan([0.25, 0.5], mechanism="aq", privacy=PureDP(1.0)))
    found = call(made(loads=simulate_calibrated.__module__), "a", simulate_calibrated, sample, calibrated, 8, 3)
    there = simulate_calibrated(sample, calibrated, 8, 3)
    np.testing.assert_array_equal(found.values, there.values)
    np.testing.assert_array_equal(found.signed_rank_errors, there.signed_rank_errors)
    assert (found.guarantee, found.plan, found.seed) == (there.guarantee, there.plan, there.seed)


@pytest.mark.slow(keep="do_here")
@pytest.mark.parametrize("begin", [module.STUDIES.begin, do_here], ids=["begin", "do_here"])
def test_where_bad_data_is_comes_with_the_problem_and_is_no_part_of_it(begin: Call, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("x\n" + "1\n" * 300 + "a word\n")
    job = begin(Files(tmp_path / "x.csv", "x").batches, 10)
    wait(lambda: job.finished)
    assert job.problem.startswith("A cell is not a number")
    assert (job.where, job.where_reported) == ("Row 302.", False)
    assert "302" not in job.problem
    assert "302" not in str(job.parts)


def test_short_work_is_done_here() -> None:
    job = do_here(zip, [0.5, 1.0], "ab")
    assert (job.stage, job.parts, job.result, job.share) == (Stage.DONE, ["a", "b"], "b", 1.0)
    job.cancel()
    assert job.stage is Stage.DONE
    job.refuse("no room")
    assert (job.stage, job.result, job.problem) == (Stage.FAILED, None, "no room")
    assert do_here(zip, 5).problem == module.UNEXPECTED


def test_time_left_is_a_guess_from_the_share_done() -> None:
    job = Job(tuple)
    job.share, job.started = 0.25, time.monotonic() - 10
    assert job.seconds_left == pytest.approx(30, abs=1)
    job.share = 0
    assert job.seconds_left is None


@pytest.mark.parametrize(
    ("steps", "arguments", "problem"),
    [
        (engine.steps, (Grid(data=["nowhere"]),), "`data` must be one of"),
        (bytearray, (10**13,), module.TOO_LARGE),
        (os._exit, (3,), module.CUT_OFF),
        (open, ("secret-42",), module.UNEXPECTED),
        (map, (print, ["secret-42"]), module.UNEXPECTED),  # None is no part, and what is printed went elsewhere
        (lambda: (), (), module.UNEXPECTED),
    ],
    ids=["refused", "too large", "cut off", "another error", "no part", "cannot be sent"],
)
def test_a_failure_is_told_in_words_that_quote_no_data(
    steps: Any, arguments: tuple[Any, ...], problem: str, caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    with caplog.at_level(logging.ERROR):
        job = ended(Queue().begin(steps, *arguments))
    assert job.stage is Stage.FAILED
    assert job.problem.startswith(problem)
    said = capfd.readouterr().err + caplog.text
    assert steps is map or "secret-42" not in said
    assert ("FileNotFoundError" in said) is (steps is open)


# Whose turn it is.


class Held:
    """A job that works until it is told."""

    def __init__(self, queue: Queue, visitor: str, begun: list[str], *, is_small: bool = False) -> None:
        self.go_on, self.visitor = threading.Event(), visitor
        self.job = queue.begin(self._steps, begun, asker=Asker(visitor), is_small=is_small)

    def _steps(self, begun: list[str]) -> Iterator[tuple[float, str]]:
        begun.append(self.visitor)
        self.go_on.wait(60)
        yield 1.0, self.visitor


def let_go(held: list[Held]) -> None:
    for each in held:
        each.go_on.set()
    wait(lambda: all(each.job.finished for each in held))


def test_visitors_take_turns_and_a_place_in_line_says_when_it_is_ones_turn() -> None:
    begun, queue = list[str](), InPlaceQueue(1)
    held = [Held(queue, "many", begun) for _ in range(4)]
    wait(lambda: begun == ["many"])
    held.append(Held(queue, "one", begun))
    assert [each.job.place for each in held] == [0, 2, 3, 4, 1]
    let_go(held)
    assert begun == ["many", "one", "many", "many", "many"]


def test_a_small_job_waits_for_no_large_one_and_a_large_one_for_those_before() -> None:
    begun, queue = list[str](), InPlaceQueue(1, beside=1)
    held = [Held(queue, f"large {at}", begun) for at in range(3)]
    wait(lambda: begun == ["large 0"])
    held += [Held(queue, f"small {at}", begun, is_small=True) for at in range(2)]
    wait(lambda: begun == ["large 0", "small 0"])
    assert [each.job.place for each in held] == [0, 1, 2, 0, 1]
    held[3].go_on.set()
    wait(lambda: begun[2:] == ["small 1"])
    let_go(held)


def test_a_visitor_has_no_more_at_work_than_there_are_places_for_all() -> None:
    begun, queue = list[str](), InPlaceQueue(1, beside=1)
    held = [Held(queue, "a", begun), Held(queue, "a", begun, is_small=True)]
    wait(lambda: begun == ["a"])
    held.append(Held(queue, "b", begun, is_small=True))
    wait(lambda: begun == ["a", "b"])
    let_go(held)


def test_a_waiting_job_can_be_cancelled_and_the_result_of_a_running_one_is_not_taken() -> None:
    begun, queue = list[str](), InPlaceQueue(1)
    first, second, third = (Held(queue, name, begun) for name in ("first", "second", "third"))
    wait(lambda: begun == ["first"])
    second.job.cancel()
    first.job.cancel()
    assert (first.job.stage, second.job.stage, third.job.place) == (Stage.CANCELLED, Stage.CANCELLED, 1)
    let_go([first, second, third])
    assert begun == ["first", "third"]
    assert (ended(first.job).stage, third.job.result) == (Stage.CANCELLED, "third")


# An end at any moment.


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_parts_arrive_from_a_child_that_is_bounded_and_gives_way_and_cancel_ends_it_at_once() -> None:
    job = module.STUDIES.begin(repeat, (0.25, "part"))
    wait(lambda: len(job.parts) > 2)
    pid = child_of(job)
    assert (job.stage, job.share, job.parts[0]) == (Stage.RUNNING, 0.25, "part")
    lines = Path(f"/proc/{pid}/limits").read_text().splitlines()
    assert next(line for line in lines if line.startswith("Max address space")).split()[3] == str(module.MEMORY)
    wait(lambda: gives_way(pid))
    job.cancel()
    assert job.stage is Stage.CANCELLED
    wait(lambda: not is_there(pid))
    assert (ended(job).stage, job.problem) == (Stage.CANCELLED, "")


@pytest.mark.parametrize("forgotten", [True, False], ids=["forgotten", "closed tab"])
def test_a_job_that_nobody_asks_about_is_cancelled(monkeypatch: pytest.MonkeyPatch, *, forgotten: bool) -> None:
    monkeypatch.setattr(module, "LONGEST_SILENCE" if forgotten else "SHORT_SILENCE", 0.2)
    gone, queue = threading.Event(), InPlaceQueue(2)
    kept = Held(queue, "kept", [])
    other = queue.begin(Held._steps, kept, [], asker=Asker("gone", gone.is_set))

    def cancelled() -> bool:
        kept.job.ask()
        if not forgotten and other.silent_for > 0.3:
            assert gone.is_set() or not other.finished
            gone.set()
        return other.finished

    wait(cancelled)
    assert (kept.job.stage, other.stage) == (Stage.RUNNING, Stage.CANCELLED)
    let_go([kept])


SERVER = """
import dpq_core.jobs.queue, dpq_core.studies.engine, os, sys, time
print(*sys.modules, flush=True)
from dpq_core.jobs.queue import STUDIES, Queue, in_one_step
study = STUDIES.begin(map, time.sleep, [600])
resting, busy = Queue(loads="math"), Queue(loads="math")
for each in (resting, busy):
    each.begin(in_one_step, abs, -1).wait()
while not (resting._idle and busy._idle):
    time.sleep(0.01)
pids = [each._idle[0][1].pid for each in (resting, busy)]
job = busy.begin(in_one_step, time.sleep, 600)
while study.child is None or job.child is None:
    time.sleep(0.01)
print(study.child.pid, *pids, flush=True)
os._exit(0)
"""


def test_children_start_light_and_end_with_their_server_without_a_word() -> None:
    """Resting or at work, however the server ends."""
    done = subprocess.run(
        [sys.executable, "-c", SERVER], cwd=children._ROOT, capture_output=True, check=True, text=True
    )
    loaded, pids = done.stdout.splitlines()
    heavy = {"streamlit", "pandas", "plotly", "pyarrow", "dask", "dp_accounting", "scipy", "multiprocessing.process"}
    assert not heavy & set(loaded.split())
    wait(lambda: not any(is_there(int(pid)) for pid in pids.split()))


# Processes that stay for the next job.


@pytest.mark.slow
def test_what_is_wrong_with_a_call_is_told_and_the_process_stays(made: Callable[..., Queue]) -> None:
    queue = made()
    with pytest.raises(ParameterError, match="epsilon"):
        call(queue, "a", PureDP, -1.0)
    with pytest.raises(RuntimeError) as told:
        call(queue, "a", dict.__getitem__, {}, "a value of the data")
    assert not told.value.args, "only that there was one"
    (process,) = processes(queue)
    assert call(queue, "a", math.sqrt, 4.0) == 2.0
    assert processes(queue) == [process]


@pytest.mark.slow
def test_each_gets_an_own_answer(made: Callable[..., Queue]) -> None:
    queue = made(2)
    with ThreadPoolExecutor(20) as visitors:
        found = list(visitors.map(lambda at: call(queue, str(at), math.sqrt, at**2), range(20)))
    assert found == list(range(20))
    assert len(processes(queue)) <= 2


def test_a_long_call_gives_way_and_makes_no_other_wait(made: Callable[..., Queue]) -> None:
    queue = made(quick_seconds=0.05, slow=3)
    queue.start()
    long = queue.begin(in_one_step, time.sleep, 600, asker=Asker("long"))
    assert call(queue, "other", math.sqrt, 4.0) == 2.0, "although one runs at once, and that one has not ended"
    (slow,) = (job for job in queue.running if job.is_slow)
    assert slow is long
    assert gives_way(child_of(slow))
    long.cancel()


@pytest.mark.slow(keep="over time")
@pytest.mark.parametrize("ends", ["exits", "over time", "killed", "does not load"])
def test_what_ends_a_process_ends_the_call_and_the_next_one_has_another(made: Callable[..., Queue], ends: str) -> None:
    if ends == "does not load":
        with pytest.raises(ValueError, match="cut off"):
            call(made(loads="no_module_of_this_name"), "a", math.sqrt, 4.0)
        return
    queue = made(seconds=0.1 if ends == "over time" else 600)
    if ends == "killed":
        call(queue, "a", math.sqrt, 1.0)
        wait(lambda: queue._idle)
        for process in processes(queue):
            process.kill()
        wait(lambda: not any(child.is_alive for _, child in queue._idle))
    else:
        work, said = {"exits": (os._exit, "cut off"), "over time": (time.sleep, "longer than the server allows")}[ends]
        with pytest.raises(ValueError, match=said):
            call(queue, "a", work, 600)
    assert call(queue, "a", math.sqrt, 4.0) == 2.0


@pytest.mark.parametrize("waits", [False, True], ids=["runs", "waits"])
def test_a_call_that_nobody_wants_any_more_ends(made: Callable[..., Queue], waits: bool) -> None:
    queue, looked = made(), list[float]()

    def look() -> None:
        looked.append(time.monotonic())
        if len(looked) > 3:
            raise Gone

    if waits:
        queue.begin(in_one_step, time.sleep, 0.3, asker=Asker("before"))
    with pytest.raises(Gone):
        call(queue, "gone", time.sleep, 600, look=look)
    assert not queue.waiting
    wait(lambda: not queue.running)  # a quick one may end by itself
    assert call(queue, "other", math.sqrt, 4.0) == 2.0


def test_what_nobody_wants_is_not_computed_and_its_process_takes_the_next_call(
    made: Callable[..., Queue], tmp_path: Path
) -> None:
    """One visitor asks for ten things after each other, and looks at none."""
    queue = made()
    call(queue, "calm", abs, -1)
    (process,) = processes(queue)
    threads = threading.active_count()

    all_asked = threading.Barrier(10)

    def ask(wish: int) -> None:
        looks = iter((all_asked.wait, int, int)[: 2 + wish % 2])

        def look() -> None:
            if (known := next(looks, None)) is None:
                raise Gone
            known()

        with pytest.raises(Gone):
            call(queue, "restless", _count_for_long, str(tmp_path / f"begun {wish}"), look=look)

    with ThreadPoolExecutor(10) as visitors:
        list(visitors.map(ask, range(10)))
        assert call(queue, "calm", math.sqrt, 4.0) == 2.0
    wait(lambda: not queue.running)
    assert processes(queue) == [process], "what was begun was dropped, without a new process"
    assert len(list(tmp_path.iterdir())) < 5, "most were not begun"
    assert threading.active_count() <= threads + 1, "but for the one that looks after jobs"
    wait(lambda: not queue._watched)


def _count_for_long(begun: str) -> int:
    Path(begun).touch()
    return sum(1 for _ in range(10**12))


@pytest.mark.slow
def test_words_of_a_child_are_whole_though_its_work_is_dropped_at_any_moment() -> None:
    with closing(Child(module.MEMORY, "math")) as child:
        list(child.parts(tuple))
        for _ in range(60):
            found, dropped = [], False
            try:
                for _, part in child.parts(partial(_many_parts, 3)):
                    found.append(part)
                    child.drop()
            except RuntimeError:
                dropped = True
            assert child.is_free
            assert set(found) == {b"x" * 100_000}
            assert dropped or len(found) == 3


def _many_parts(count: int) -> Iterator[tuple[float, bytes]]:
    for _ in range(count):
        yield 0.5, b"x" * 100_000


def test_among_too_many_slow_ones_the_one_that_has_run_longest_ends(made: Callable[..., Queue]) -> None:
    queue, calls = made(quick_seconds=0.05, slow=2), list[Job]()
    for number in range(3):
        calls.append(queue.begin(in_one_step, time.sleep, 600, asker=Asker(str(number))))
        wait(lambda: calls[-1].is_slow)
    wait(lambda: calls[0].finished)
    assert calls[0].problem == module.ENDED_FOR_OTHERS
    assert [each.stage for each in calls[1:]] == [Stage.RUNNING] * 2
    for each in calls:
        each.cancel()


@pytest.mark.slow
def test_processes_end_after_a_rest_but_one(made: Callable[..., Queue], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "REST_SECONDS", 0.1)
    queue = made(2)
    with ThreadPoolExecutor(2) as visitors:
        list(visitors.map(lambda at: call(queue, str(at), time.sleep, 0.1), range(2)))
    wait(lambda: len(processes(queue)) == 1)
