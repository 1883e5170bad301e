"""Jobs: progress, failure, Cancel, and the line."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import partial

import pytest

from dpq_core.jobs import line as jobs
from dpq_core.jobs.line import Asker, Job, Queue, Stage, asked_by
from dpq_core.jobs.turns import Once


def wait(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


@pytest.mark.parametrize(
    ("error", "ends"),
    [
        (None, (Stage.DONE, "done", "")),
        (ValueError("Row 3 is not a number."), (Stage.FAILED, None, "Row 3 is not a number.")),
        (RuntimeError("secret 42"), (Stage.FAILED, None, jobs.UNEXPECTED)),
    ],
    ids=["done", "a sentence for people", "any other error"],
)
def test_a_job_reports_and_ends(error: Exception | None, ends: tuple[object, ...]) -> None:
    def work(progress: Callable[[float], object], cancelled: object) -> str:
        progress(0.5)
        if error is not None:
            raise error
        return "done"

    job = Job(work)
    wait(lambda: job.finished)
    assert (job.stage, job.result, job.problem) == ends
    assert job.share == 0.5


def test_cancel_is_at_once_and_the_result_is_not_taken() -> None:
    leave = threading.Event()

    def work(progress: object, cancelled: Callable[[], bool]) -> str:
        wait(cancelled)
        leave.wait(60)
        return "too late"

    job = Job(work)
    wait(lambda: job.stage is Stage.RUNNING)
    job.cancel()
    assert job.stage is Stage.CANCELLED
    leave.set()
    wait(lambda: job.place == 0 and job not in Job.queue.jobs)
    assert (job.stage, job.result) == (Stage.CANCELLED, None)


def test_jobs_wait_in_line_and_a_waiting_one_can_be_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Job.queue, "at_once", 1)
    leave = threading.Event()
    first = Job(lambda progress, cancelled: leave.wait(60))
    wait(lambda: first.stage is Stage.RUNNING)
    second = Job(lambda progress, cancelled: 2)
    third = Job(lambda progress, cancelled: 3)
    assert (second.stage, second.place, third.place) == (Stage.WAITING, 1, 2)
    second.cancel()
    wait(lambda: third.place == 1)
    leave.set()
    wait(lambda: third.finished)
    assert (second.stage, third.result) == (Stage.CANCELLED, 3)


class Slow(Job):
    """A job that works until it is told, in a queue of its own."""

    queue = Queue(1, beside=1)

    def __init__(self, visitor: str, begun: list[str], *, is_small: bool = False) -> None:
        self.go_on, self.is_small = threading.Event(), is_small
        with asked_by(Asker(visitor)):
            super().__init__(partial(self._begun, begun))

    def _begun(self, begun: list[str], *_: object) -> None:
        begun.append(self.visitor)
        self.go_on.wait(60)


def test_visitors_take_turns_and_a_place_in_line_says_when_it_is_ones_turn() -> None:
    begun: list[str] = []
    jobs = [Slow("many", begun) for _ in range(4)]
    wait(lambda: begun == ["many"])
    jobs.append(Slow("one", begun))
    assert [job.place for job in jobs] == [0, 2, 3, 4, 1]
    for job in jobs:
        job.go_on.set()
    wait(lambda: all(job.finished for job in jobs))
    assert begun == ["many", "one", "many", "many", "many"]


def test_a_small_job_waits_for_no_large_one_and_a_large_one_for_those_before() -> None:
    begun: list[str] = []
    jobs = [Slow(f"large {at}", begun) for at in range(3)]
    wait(lambda: begun == ["large 0"])
    jobs += [Slow("small 0", begun, is_small=True), Slow("small 1", begun, is_small=True)]
    wait(lambda: begun == ["large 0", "small 0"])
    assert [job.place for job in jobs] == [0, 1, 2, 0, 1]
    jobs[3].go_on.set()
    wait(lambda: begun[2:] == ["small 1"])
    for job in jobs:
        job.go_on.set()
    wait(lambda: all(job.finished for job in jobs))


def test_a_visitor_has_no_more_at_work_than_there_are_places_for_all() -> None:
    begun: list[str] = []
    jobs = [Slow("a", begun), Slow("a", begun, is_small=True)]
    wait(lambda: begun == ["a"])
    jobs.append(Slow("b", begun, is_small=True))
    wait(lambda: begun == ["a", "b"])
    for job in jobs:
        job.go_on.set()
    wait(lambda: all(job.finished for job in jobs))


def test_a_job_of_a_closed_tab_ends_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "SHORT_SILENCE", 0.0)
    gone: list[bool] = []
    with asked_by(Asker("a", lambda: bool(gone))):
        job = Job(lambda progress, cancelled: wait(cancelled))
    wait(lambda: job.stage is Stage.RUNNING)
    job.look_after()
    assert not job.finished
    gone.append(True)
    job.look_after()
    wait(lambda: job.finished)


def test_time_left_is_a_guess_from_the_share_done(monkeypatch: pytest.MonkeyPatch) -> None:
    job = Job(lambda progress, cancelled: None)
    job.share, job._started = 0.25, time.monotonic() - 10
    assert job.seconds_left == pytest.approx(30, abs=1)
    job.share = 0
    assert job.seconds_left is None


def test_a_job_that_nobody_asks_about_is_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "LONGEST_SILENCE", 0.2)
    monkeypatch.setattr(jobs, "LOOK_SECONDS", 0.01)
    wait(lambda: not Job.queue._watched)
    asked, forgotten = (Job(lambda progress, cancelled: wait(cancelled)) for _ in range(2))

    def cancelled() -> bool:
        asked.ask()
        return forgotten.finished

    wait(cancelled)
    assert (asked.stage, forgotten.stage) == (Stage.RUNNING, Stage.CANCELLED)
    asked.cancel()


def test_what_was_asked_for_last_is_kept() -> None:
    once, made = Once(2), list[str]()

    def get(name: str) -> str:
        def make() -> str:
            made.append(name)
            return name

        return once.get(name, make)

    assert [get(name) for name in "abacab"] == list("abacab")
    assert made == ["a", "b", "c", "b"], "b was asked for before a when c came"
