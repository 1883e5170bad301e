"""Jobs in child processes: what a page sees of them, whose turn it is, limits, and an end at any moment."""

import logging
import math
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from dpq_core import Column, Domain, ParameterError, Plan, PureDP
from dpq_core.calibrations import Calibrated
from dpq_core.jobs import children
from dpq_core.jobs import queue as module
from dpq_core.jobs.queue import POOL, SIMULATION, STUDY, Asker, Job, Kind, Pool, Stage, do_here, in_one_step
from dpq_core.noise import exact
from dpq_core.results import simulated
from dpq_core.studies import engine
from dpq_core.studies.design import StudyDesign
from dpq_core.studies.streams import Files
from dpq_core.study import simulate_column
from tests.jobs.in_place import InPlacePool
from tests.narrowing import present

Call = Callable[..., Any]


def wait(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


class Gone(BaseException):
    """What Streamlit raises in a page whose visitor has left or asks for something else."""


def call(pool: Pool, visitor: str, function: Call, *arguments: Any, look: Call = lambda: None) -> Any:
    """What a function returns, as a page asks for it."""
    return pool.begin(SIMULATION, in_one_step, function, *arguments, asker=Asker(visitor)).wait(look)


@pytest.fixture
def made() -> Iterator[Callable[..., Pool]]:
    """Makes pools of their own, and ends their nurseries."""
    every: list[Pool] = []

    def make(cores: int = 1, loads: str = "") -> Pool:
        every.append(Pool(cores, memory=2 << 30))
        every[-1].start(loads)
        return every[-1]

    yield make
    for pool in every:
        wait(partial(_rests, pool))
        pool.nursery.close()


def _rests(pool: Pool) -> bool:
    return not pool.running


def processes(pool: Pool) -> list[psutil.Process]:
    """The children that live; one may end while it is looked at."""

    def lives(child: psutil.Process) -> bool:
        try:
            return bool(child.status() != psutil.STATUS_ZOMBIE)
        except psutil.NoSuchProcess:
            return False

    nursery = present(pool.nursery.process)
    return list(filter(lives, psutil.Process(nursery.pid).children()))


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
    wait(lambda: job.finished and job.pool is not None and job not in job.pool.running)
    return job


# What a page sees of a job.


@pytest.mark.slow
def test_a_child_finds_what_is_found_here() -> None:
    grid = StudyDesign(mechanisms=["aq", "indexp"], quantiles=[3], trials=5)
    job = ended(POOL.begin(STUDY, engine.steps, grid))
    assert (job.stage, job.share, job.problem) == (Stage.DONE, 1.0, "")
    alike = {row.mechanism: row.max_error for row in job.parts}
    assert alike == {row.mechanism: row.max_error for _, row in engine.steps(grid)}


@pytest.mark.slow
def test_a_simulation_in_a_child_is_the_one_here(made: Callable[..., Pool]) -> None:
    column = Column.from_values(np.arange(500) % 90, Domain(0, 100), seed=1)
    calibrated = Calibrated.for_column(column, Plan([0.25, 0.5], mechanism="aq", privacy=PureDP(1.0)))
    found = call(made(loads=simulate_column.__module__), "a", simulate_column, column, calibrated, 8, 3)
    there = simulate_column(column, calibrated, 8, 3)
    np.testing.assert_array_equal(found.values, there.values)
    np.testing.assert_array_equal(found.signed_rank_errors, there.signed_rank_errors)
    assert (found.guarantee, found.plan, found.seed) == (there.guarantee, there.plan, there.seed)


@pytest.mark.slow(keep="do_here")
@pytest.mark.parametrize("begin", [partial(POOL.begin, STUDY), do_here], ids=["begin", "do_here"])
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


@pytest.mark.slow(keep="refused")
@pytest.mark.parametrize(
    ("steps", "arguments", "problem"),
    [
        (engine.steps, (StudyDesign(data=["nowhere"]),), "`data` must be one of"),
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
    capfd: pytest.CaptureFixture[str], made: Callable[..., Pool],
) -> None:  # fmt: skip
    with caplog.at_level(logging.ERROR):
        job = ended(made().begin(STUDY, steps, *arguments))
    assert job.stage is Stage.FAILED
    assert job.problem.startswith(problem)
    said = capfd.readouterr().err + caplog.text
    assert steps is map or "secret-42" not in said
    assert ("FileNotFoundError" in said) is (steps is open)


# Whose turn it is.


class Held:
    """A job that works until it is told."""

    def __init__(self, pool: Pool, visitor: str, begun: list[str], kind: Kind = SIMULATION) -> None:
        self.go_on, self.visitor = threading.Event(), visitor
        self.job = pool.begin(kind, self._steps, begun, asker=Asker(visitor))

    def _steps(self, begun: list[str]) -> Iterator[tuple[float, str]]:
        begun.append(self.visitor)
        self.go_on.wait(60)
        yield 1.0, self.visitor


def let_go(held: list[Held]) -> None:
    for each in held:
        each.go_on.set()
    wait(lambda: all(each.job.finished for each in held))


def test_visitors_take_turns_and_a_place_in_line_says_when_it_is_ones_turn() -> None:
    begun, pool = list[str](), InPlacePool(1)
    held = [Held(pool, "many", begun) for _ in range(4)]
    wait(lambda: begun == ["many"])
    held.append(Held(pool, "one", begun))
    assert [each.job.place for each in held] == [0, 2, 3, 4, 1]
    let_go(held)
    assert begun == ["many", "one", "many", "many", "many"]


def test_long_jobs_and_quick_ones_wait_for_their_like_alone() -> None:
    begun, pool = list[str](), InPlacePool(1)
    held = [Held(pool, f"long {at}", begun, STUDY) for at in range(4)]
    wait(lambda: begun == ["long 0", "long 1"])
    held += [Held(pool, f"quick {at}", begun) for at in range(2)]
    wait(lambda: begun == ["long 0", "long 1", "quick 0"])
    assert [each.job.place for each in held] == [0, 0, 1, 2, 0, 1]
    held[4].go_on.set()
    wait(lambda: begun[3:] == ["quick 1"])
    let_go(held)


def test_no_visitor_has_all_the_places_for_long_jobs() -> None:
    begun, pool = list[str](), InPlacePool(1)
    held = [Held(pool, "a", begun, STUDY), Held(pool, "a", begun, STUDY)]
    wait(lambda: begun == ["a"])
    held.append(Held(pool, "b", begun, STUDY))
    wait(lambda: begun == ["a", "b"])
    let_go(held)


def test_a_waiting_job_can_be_cancelled_and_the_result_of_a_running_one_is_not_taken() -> None:
    begun, pool = list[str](), InPlacePool(1)
    first, second, third = (Held(pool, name, begun) for name in ("first", "second", "third"))
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
    job = POOL.begin(STUDY, repeat, (0.25, "part"))
    wait(lambda: len(job.parts) > 2)
    pid, child = child_of(job), present(job.child)
    assert (job.stage, job.share, job.parts[0]) == (Stage.RUNNING, 0.25, "part")
    lines = Path(f"/proc/{pid}/limits").read_text().splitlines()
    assert next(line for line in lines if line.startswith("Max address space")).split()[3] == str(module.MEMORY)
    wait(lambda: gives_way(pid))
    job.cancel()
    assert job.stage is Stage.CANCELLED
    wait(lambda: not psutil.pid_exists(pid))
    assert child.ran[1] < 60, "not the time of another clock"
    assert (ended(job).stage, job.problem) == (Stage.CANCELLED, "")


@pytest.mark.parametrize("forgotten", [True, False], ids=["forgotten", "closed tab"])
def test_a_job_that_nobody_asks_about_is_cancelled(monkeypatch: pytest.MonkeyPatch, *, forgotten: bool) -> None:
    monkeypatch.setattr(module, "LONGEST_SILENCE" if forgotten else "SHORT_SILENCE", 0.2)
    gone, pool = threading.Event(), InPlacePool(2)
    kept = Held(pool, "kept", [])
    other = pool.begin(SIMULATION, Held._steps, kept, [], asker=Asker("gone", gone.is_set))

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
from dpq_core.jobs.queue import POOL, SIMULATION, STUDY, in_one_step
POOL.start("math")
jobs = POOL.begin(SIMULATION, in_one_step, time.sleep, 600), POOL.begin(STUDY, map, time.sleep, [600])
while not all(each.child for each in jobs):
    time.sleep(0.01)
print(*(each.child.pid for each in jobs), POOL.nursery.process.pid, flush=True)
os._exit(0)
"""


@pytest.mark.slow
def test_children_start_light_and_end_with_their_server_without_a_word() -> None:
    """Resting or at work, however the server ends."""
    done = subprocess.run(
        [sys.executable, "-c", SERVER], cwd=children._ROOT, capture_output=True, check=True, text=True
    )
    loaded, pids = done.stdout.splitlines()
    heavy = {"streamlit", "pandas", "plotly", "pyarrow", "dask", "dp_accounting", "scipy", "multiprocessing.process"}
    assert not heavy & set(loaded.split())
    wait(lambda: not any(is_there(int(pid)) for pid in pids.split()))


# Many jobs.


@pytest.mark.slow
def test_what_is_wrong_with_a_call_is_told(made: Callable[..., Pool]) -> None:
    pool = made()
    with pytest.raises(ParameterError, match="epsilon"):
        call(pool, "a", PureDP, -1.0)
    with pytest.raises(RuntimeError) as told:
        call(pool, "a", dict.__getitem__, {}, "a value of the data")
    assert not told.value.args, "only that there was one"


def test_no_two_children_draw_the_same_noise(made: Callable[..., Pool]) -> None:
    """They come from one process, whose generators they would share."""
    pool = made(loads=exact.__name__)
    drawn = [call(pool, "a", _draws) for _ in range(2)]
    assert not set(drawn[0]) & set(drawn[1])


@pytest.mark.slow
def test_the_process_from_which_children_come_has_one_thread(made: Callable[..., Pool]) -> None:
    """What another one holds at that moment, a lock or a half of a change, a child would hold for ever."""
    pool = made(loads=simulated.__name__)
    assert call(pool, "a", math.sqrt, 4.0) == 2.0
    assert psutil.Process(present(pool.nursery.process).pid).num_threads() == 1


def _draws() -> list[float]:
    entropy = exact.ExactEntropy()
    return [entropy.integer_below(2**64), int(entropy.below(np.array([2**62]))[0]), np.random.default_rng().random()]


@pytest.mark.slow
def test_each_gets_an_own_answer(made: Callable[..., Pool]) -> None:
    pool = made(2)
    with ThreadPoolExecutor(20) as visitors:
        found = list(visitors.map(lambda at: call(pool, str(at), math.sqrt, at**2), range(20)))
    assert found == list(range(20))
    assert len(processes(pool)) <= 2


def test_a_long_call_gives_way_and_none_waits(made: Callable[..., Pool], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "QUICK_SECONDS", 0.05)
    pool = made()
    long = pool.begin(SIMULATION, in_one_step, time.sleep, 600, asker=Asker("long"))
    assert call(pool, "other", math.sqrt, 4.0) == 2.0, "although one runs at once, and that one has not ended"
    (slow,) = (job for job in pool.running if job.is_slow)
    assert slow is long
    assert gives_way(child_of(slow))
    long.cancel()


@pytest.mark.slow
@pytest.mark.parametrize("ends", ["exits", "over time", "killed", "does not load"])
def test_what_ends_a_process_ends_the_call_and_the_next_one_has_another(
    made: Callable[..., Pool], monkeypatch: pytest.MonkeyPatch, ends: str
) -> None:
    if ends == "does not load":
        with pytest.raises(ValueError, match="cut off"):
            call(made(loads="no_module_of_this_name"), "a", math.sqrt, 4.0)
        return
    pool = made()
    if ends == "over time":
        monkeypatch.setitem(globals(), "SIMULATION", Kind(seconds=0.1))
    if ends == "killed":
        nursery = present(pool.nursery.process)
        nursery.kill()
        nursery.wait()
    else:
        work, said = {"exits": (os._exit, "cut off"), "over time": (time.sleep, "longer than the server allows")}[ends]
        with pytest.raises(ValueError, match=said):
            call(pool, "a", work, 600)
        monkeypatch.undo()
    assert call(pool, "a", math.sqrt, 4.0) == 2.0


@pytest.mark.slow(keep="runs")
@pytest.mark.parametrize("waits", [False, True], ids=["runs", "waits"])
def test_a_call_that_nobody_wants_any_more_ends(made: Callable[..., Pool], waits: bool) -> None:
    pool, looked = made(), list[float]()

    def look() -> None:
        looked.append(time.monotonic())
        if len(looked) > 3:
            raise Gone

    if waits:
        pool.begin(SIMULATION, in_one_step, time.sleep, 0.3, asker=Asker("before"))
    with pytest.raises(Gone):
        call(pool, "gone", time.sleep, 600, look=look)
    assert not pool.waiting
    wait(lambda: not pool.running)  # a quick one may end by itself
    assert call(pool, "other", math.sqrt, 4.0) == 2.0


@pytest.mark.slow
def test_what_nobody_wants_is_not_computed(made: Callable[..., Pool], tmp_path: Path) -> None:
    """One visitor asks for ten things after each other, and looks at none."""
    pool = made()
    call(pool, "calm", abs, -1)
    threads = threading.active_count()

    all_asked = threading.Barrier(10)

    def ask(wish: int) -> None:
        looks = iter((all_asked.wait, int, int)[: 2 + wish % 2])

        def look() -> None:
            if (known := next(looks, None)) is None:
                raise Gone
            known()

        with pytest.raises(Gone):
            call(pool, "restless", _count_for_long, str(tmp_path / f"begun {wish}"), look=look)

    with ThreadPoolExecutor(10) as visitors:
        list(visitors.map(ask, range(10)))
        assert call(pool, "calm", math.sqrt, 4.0) == 2.0
    wait(lambda: not pool.running)
    wait(lambda: not processes(pool))
    assert len(list(tmp_path.iterdir())) < 5, "most were not begun"
    assert threading.active_count() <= threads + 1, "but for the one that looks after jobs"
    wait(lambda: not pool._watched)


def _count_for_long(begun: str) -> int:
    Path(begun).touch()
    return sum(1 for _ in range(10**12))


@pytest.mark.slow
def test_of_too_many_slow_ones_the_longest_ends(made: Callable[..., Pool], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "QUICK_SECONDS", 0.05)
    monkeypatch.setattr(module, "SLOW_FOR_EACH", 2)
    pool, calls = made(), list[Job]()
    for number in range(3):
        calls.append(pool.begin(SIMULATION, in_one_step, time.sleep, 600, asker=Asker(str(number))))
        wait(lambda: calls[-1].is_slow)
    wait(lambda: calls[0].finished)
    assert calls[0].problem == module.ENDED_FOR_OTHERS
    assert [each.stage for each in calls[1:]] == [Stage.RUNNING] * 2
    for each in calls:
        each.cancel()
