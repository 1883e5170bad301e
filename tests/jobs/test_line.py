"""Jobs: progress, failure, Cancel, and the line."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from dpq_core.jobs import line as jobs
from dpq_core.jobs.line import Job, Stage


def wait(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_a_job_reports_and_ends() -> None:
    job = Job(lambda progress, cancelled: (progress(0.5), "done")[1])
    wait(lambda: job.finished)
    assert (job.stage, job.result, job.share) == (Stage.DONE, "done", 0.5)


def test_a_sentence_for_people_is_kept() -> None:
    def work(progress: object, cancelled: object) -> None:
        raise ValueError("Row 3 is not a number.")

    job = Job(work)
    wait(lambda: job.finished)
    assert (job.stage, job.problem, job.result) == (Stage.FAILED, "Row 3 is not a number.", None)


def test_any_other_message_is_not_shown() -> None:
    def work(progress: object, cancelled: object) -> None:
        raise RuntimeError("secret 42")

    job = Job(work)
    wait(lambda: job.finished)
    assert job.problem == jobs.UNEXPECTED


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
